import Ingest
import Synchronization
import TestKit
import Time

/// A store that fails while it is told to.
final class FailingStore: FeedStore {
  struct Failure: Error {}

  private let store: MemoryFeedStore
  private let state = Mutex(false)

  init(_ store: MemoryFeedStore) { self.store = store }

  var fails: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  private func check() throws {
    if fails { throw Failure() }
  }

  func feedState(_ url: String) async throws -> FeedState? { try await store.feedState(url) }
  func feedStates() async throws -> [FeedState] { try await store.feedStates() }
  func inbox(after row: Int64, limit: Int) async throws -> [InboxRow] {
    try await store.inbox(after: row, limit: limit)
  }
  func commit(_ poll: Poll) async throws -> Int {
    try check()
    return try await store.commit(poll)
  }

  func acknowledge(_ rows: [Int64]) async throws {
    try check()
    try await store.acknowledge(rows)
  }

  func forgetIdentities(unseenSince: Timestamp, limit: Int) async throws -> Int {
    try await store.forgetIdentities(unseenSince: unseenSince, limit: limit)
  }
}
