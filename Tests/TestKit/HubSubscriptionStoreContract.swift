public import Ingest
import News
import Telemetry
public import Testing
import Time

/// A promise of every store of subscriptions at hubs, with its proof.
public struct HubSubscriptionStoreContract: Sendable, CustomTestStringConvertible {
  /// Opens the store under test; each call is a handle as another process would have it, on the same state.
  public typealias Opening = @Sendable () async throws -> any HubSubscriptionStore

  /// The promise.
  public let testDescription: String
  /// Proves it on a fresh store.
  public let check: @Sendable (_ open: Opening) async throws -> Void

  private init(_ promise: String, _ check: @escaping @Sendable (_ open: Opening) async throws -> Void) {
    testDescription = promise
    self.check = check
  }

  /// All of them.
  public static let all = [
    HubSubscriptionStoreContract("A subscription is there as it was saved last, until it is removed") { open in
      let store = try await open()
      var subscription = HubSubscription(
        feed: url, hub: "https://hub.example/", topic: "https://news.example/self", token: Secret("token"),
        secret: Secret("secret"), nextRequest: noon)
      try await store.save(subscription)
      #expect(try await open().hubSubscriptions() == [subscription])
      subscription.phase = .silent
      subscription.verified = noon
      subscription.leaseEnd = noon + .seconds(1)
      subscription.nextRequest = noon + .seconds(2)
      subscription.failures = 3
      subscription.missed = 4
      subscription.lastDelivery = noon + .seconds(5)
      subscription.problem = "silent"
      try await store.save(subscription)
      let other = HubSubscription(
        feed: "https://a.example/", hub: "https://hub.example/", topic: "t", token: Secret("u"), secret: Secret("v"),
        nextRequest: noon)
      try await store.save(other)
      #expect(try await open().hubSubscriptions() == [other, subscription])
      try await store.removeHubSubscription(of: url)
      try await store.removeHubSubscription(of: url)
      #expect(try await open().hubSubscriptions() == [other])
    },
    HubSubscriptionStoreContract("What a hub brings is new once, and polls and hubs repeat nothing of each other") {
      open in
      let store = try await open()
      #expect(try await store.commit(delivery(["x"])) == 0)
      let state = FeedState(url: url, nextCheck: noon + .seconds(900), nextCheckReason: "every 15 min")
      func poll(_ ids: [String], isBaseline: Bool = false) -> Poll {
        Poll(state: state, articles: ids.map(article), subscribed: nil, time: noon, isBaseline: isBaseline)
      }
      _ = try await store.commit(poll(["a"], isBaseline: true))
      #expect(try await store.commit(delivery(["a", "b"])) == 1)
      #expect(try await store.commit(delivery(["b"])) == 0)
      #expect(try await store.commit(poll(["c", "b", "a"])) == 1)
      #expect(try await store.commit(delivery(["c"])) == 0)
      let rows = try await store.inbox(after: 0, limit: 10)
      #expect(rows.map(\.article.id) == ["b", "c"])
      #expect(rows.first?.subscribed == .sports && rows.first?.firstSeen == noon + .seconds(60))
      #expect(try await store.feedState(url) == state)
      // What an excerpt does not hold is not absent.
      #expect(try await store.forgetIdentities(unseenSince: .distantFuture, limit: 10) == 0)
      var flood = delivery(["d", "e", "f"])
      flood.newItemsMax = 1
      #expect(try await store.commit(flood) == 3)
      #expect(try await store.inbox(after: 0, limit: 10).map(\.article.id) == ["b", "c", "f"])
    },
  ]
}

private let url = "https://news.example/feed"
private let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!

private func article(_ id: String) -> Article { Article(id: id, text: Article.Text(headline: "Headline of \(id)")) }

private func delivery(_ ids: [String]) -> Delivery {
  Delivery(
    feed: url, articles: ids.map(article), subscribed: .sports, time: noon + .seconds(60), newItemsMax: 50)
}
