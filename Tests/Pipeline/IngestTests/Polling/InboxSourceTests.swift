import News
import Runtime
import TestKit
import Testing
import Time

@testable import Ingest

@Suite struct InboxSourceTests {
  static let url = "https://example.org/feed"
  let clock = ManualClock()
  let store = MemoryFeedStore()
  let bell = Wakeup()

  private func put(_ ids: String..., baseline: Bool = false) async throws {
    let state = FeedState(url: Self.url, nextCheck: clock.now, nextCheckReason: "")
    let articles = ids.map { Article(id: $0, text: .init(headline: $0)) }
    _ = try await store.commit(
      Poll(state: state, articles: articles, subscribed: .world, time: clock.now, isBaseline: baseline))
  }

  private func source(openMax: Int = 1000) -> InboxSource {
    InboxSource(store: store, bell: bell, clock: clock, openMax: openMax)
  }

  @Test("Articles come oldest first, each once, with what their feed is known for")
  func order() async throws {
    try await put("a", "b", "c")
    let source = source()
    let first = try #require(try await source.next(limit: 2))
    #expect(first.map(\.articleID) == ["a", "b"])
    #expect(first[0].subscribed == .world && first[0].firstSeen == clock.now)
    #expect(try await source.next(limit: 2)?.map(\.articleID) == ["c"])
  }

  @Test("The poller's bell wakes who waits")
  func bellWakes() async throws {
    let source = source()
    let waiting = Task { try await source.next(limit: 10)?.map(\.articleID) }
    await clock.waitForSleepers()
    try await put("a")
    bell.ring()
    #expect(try await waiting.value == ["a"])
  }

  @Test("What another process has put there is noticed in time")
  func timeWakes() async throws {
    let source = source()
    let waiting = Task { try await source.next(limit: 10)?.map(\.articleID) }
    await clock.waitForSleepers()
    try await put("a")
    clock.advance(by: .seconds(2))
    #expect(try await waiting.value == ["a"])
  }

  @Test("What is not acknowledged comes again in another life, what is does not")
  func acknowledge() async throws {
    try await put("a", "b")
    let inbound = try #require(try await source().next(limit: 10))
    try await inbound[0].acknowledge()
    #expect(try await source().next(limit: 10)?.map(\.articleID) == ["b"])
  }

  @Test("No more are out than the stages behind can hold")
  func bounded() async throws {
    try await put("a", "b", "c")
    let source = source(openMax: 2)
    let inbound = try #require(try await source.next(limit: 10))
    #expect(inbound.count == 2)
    let waiting = Task { try await source.next(limit: 10)?.map(\.articleID) }
    await clock.waitForSleepers()
    try await inbound[1].acknowledge()
    #expect(try await waiting.value == ["c"])
  }

  @Test("A failed acknowledgement brings the article back")
  func failedAcknowledgement() async throws {
    try await put("a", "b")
    let failing = FailingStore(store)
    let source = InboxSource(store: failing, bell: bell, clock: clock)
    let inbound = try #require(try await source.next(limit: 10))
    failing.fails = true
    await #expect(throws: FailingStore.Failure.self) { try await inbound[0].acknowledge() }
    failing.fails = false
    let waiting = Task { try await source.next(limit: 10)?.map(\.articleID) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    #expect(try await waiting.value == ["a"])
  }

  @Test("Cancelling ends the wait")
  func cancel() async throws {
    let source = source()
    let waiting = Task { try await source.next(limit: 10) }
    await clock.waitForSleepers()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}
