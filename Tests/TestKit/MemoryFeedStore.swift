public import Ingest
import News
import Synchronization
public import Time

/// A feed store that forgets with the process.
public final class MemoryFeedStore: FeedStore {
  private struct State {
    var feeds: [String: FeedState] = [:]
    /// By feed and article; since when the feed's documents miss it, nil while they hold it.
    var identities: [String: [String: Timestamp?]] = [:]
    var inbox: [InboxRow] = []
    var lastRow: Int64 = 0
  }

  private let state = Mutex(State())

  /// An empty store.
  public init() {}

  /// What is known of a feed.
  public func feedState(_ url: String) async throws -> FeedState? { state.withLock { $0.feeds[url] } }

  /// What is known of all feeds.
  public func feedStates() async throws -> [FeedState] {
    state.withLock { $0.feeds.values.sorted { $0.url < $1.url } }
  }

  /// Stores a poll's outcome.
  public func commit(_ poll: Poll) async throws -> Int {
    state.withLock { state in
      let url = poll.state.url
      state.feeds[url] = poll.state
      guard !poll.articles.isEmpty else { return 0 }
      var known = state.identities[url] ?? [:]
      let new = poll.articles.filter { known.updateValue(.none, forKey: $0.id) == nil }
      for article in new.suffix(poll.isBaseline ? 0 : poll.newItemsMax) {
        state.lastRow += 1
        state.inbox.append(
          InboxRow(row: state.lastRow, article: article, subscribed: poll.subscribed, firstSeen: poll.time))
      }
      let held = Set(poll.articles.map(\.id))
      for case (let article, nil) in known where !held.contains(article) { known[article] = .some(poll.time) }
      state.identities[url] = known
      return new.count
    }
  }

  /// The oldest articles of the inbox after a row.
  public func inbox(after row: Int64, limit: Int) async throws -> [InboxRow] {
    state.withLock { Array($0.inbox.lazy.filter { $0.row > row }.prefix(limit)) }
  }

  /// Removes rows from the inbox.
  public func acknowledge(_ rows: [Int64]) async throws {
    state.withLock { state in state.inbox.removeAll { rows.contains($0.row) } }
  }

  /// Forgets identities that no document holds any more.
  public func forgetIdentities(unseenSince: Timestamp, limit: Int) async throws -> Int {
    state.withLock { state in
      let gone = state.identities.flatMap { feed, known in
        known.compactMap { article, absentSince in absentSince.map { (feed: feed, article: article, since: $0) } }
      }
      let forgotten = gone.filter { $0.since < unseenSince }.sorted { $0.since < $1.since }.prefix(limit)
      for identity in forgotten { state.identities[identity.feed]?[identity.article] = nil }
      return forgotten.count
    }
  }
}
