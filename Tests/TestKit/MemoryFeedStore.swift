public import Ingest
import News
import Synchronization
public import Time

/// A feed store that forgets with the process.
public final class MemoryFeedStore: HubSubscriptionStore {
  private struct State {
    var feeds: [String: FeedState] = [:]
    /// By feed and article; since when the feed's documents miss it, nil while they hold it.
    var identities: [String: [String: Timestamp?]] = [:]
    /// By feed and identity.
    var records: [String: [String: ItemRecord]] = [:]
    var inbox: [InboxRow] = []
    var lastRow: Int64 = 0
    var subscriptions: [String: HubSubscription] = [:]

    /// Puts the last of those that are new to a feed, and of those that have changed, into the inbox; how many are new.
    mutating func fill(
      _ articles: [Article], guidKeys: [String: Int64], of feed: String, subscribed: News.Category?, time: Timestamp,
      newItemsMax: Int
    ) -> Int {
      var known = records[feed] ?? [:]
      for (identity, absentSince) in identities[feed] ?? [:] { known[identity]?.isPresent = absentSince == nil }
      let document = Recollection(of: articles, guidKeys: guidKeys, known: known)
      for record in document.records {
        known[record.identity] = record
        identities[feed, default: [:]][record.identity] = .some(nil)
      }
      records[feed] = known
      for article in document.new.suffix(newItemsMax) + document.updated.suffix(newItemsMax) {
        lastRow += 1
        inbox.append(InboxRow(row: lastRow, article: article, subscribed: subscribed, firstSeen: time))
      }
      return document.new.count
    }
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
      let newCount = state.fill(
        poll.articles, guidKeys: poll.guidKeys, of: url, subscribed: poll.subscribed, time: poll.time,
        newItemsMax: poll.isBaseline ? 0 : poll.newItemsMax)
      let held = Set(poll.articles.map(\.id))
      for case (let article, nil) in state.identities[url] ?? [:] where !held.contains(article) {
        state.identities[url]?[article] = .some(poll.time)
      }
      return newCount
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
      for identity in forgotten {
        state.identities[identity.feed]?[identity.article] = nil
        state.records[identity.feed]?[identity.article] = nil
      }
      return forgotten.count
    }
  }
  /// All subscriptions, by feed.
  public func hubSubscriptions() async throws -> [HubSubscription] {
    state.withLock { $0.subscriptions.values.sorted { $0.feed < $1.feed } }
  }

  /// Stores a subscription in place of the feed's former one.
  public func save(_ subscription: HubSubscription) async throws {
    state.withLock { $0.subscriptions[subscription.feed] = subscription }
  }

  /// Removes a feed's subscription.
  public func removeHubSubscription(of feed: String) async throws {
    state.withLock { $0.subscriptions[feed] = nil }
  }

  /// Stores what a hub has brought.
  public func commit(_ delivery: Delivery) async throws -> Int {
    state.withLock { state in
      guard state.feeds[delivery.feed] != nil else { return 0 }
      return state.fill(
        delivery.articles, guidKeys: delivery.guidKeys, of: delivery.feed, subscribed: delivery.subscribed,
        time: delivery.time, newItemsMax: delivery.newItemsMax)
    }
  }
}
