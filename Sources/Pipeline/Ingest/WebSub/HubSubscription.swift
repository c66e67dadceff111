internal import Runtime
public import News
public import Telemetry
public import Time

/// A feed's subscription at its hub, from the first request on.
public struct HubSubscription: Sendable, Hashable {
  /// How it stands.
  public enum Phase: String, Sendable, CaseIterable {
    /// Asked for; the hub has not verified it.
    case requested
    /// The hub brings what is new.
    case active
    /// The hub or the publisher has denied it.
    case refused
    /// The hub has verified it and brings nothing: polls found what it did not bring.
    case silent
  }

  /// The feed's address, as subscribed.
  public let feed: String
  /// The hub's address.
  public let hub: String
  /// The name that the hub knows the feed by.
  public let topic: String
  /// The last segment of the callback, which nobody else knows.
  public let token: Secret
  /// What the hub signs with.
  public let secret: Secret
  /// How it stands.
  public var phase = Phase.requested
  /// When the hub verified it; nil before.
  public var verified: Timestamp?
  /// Until when the hub promised to bring news.
  public var leaseEnd: Timestamp?
  /// When to ask the hub next: to try again, or to renew.
  public var nextRequest: Timestamp
  /// Requests in a row that were not followed by a verification.
  public var failures = 0
  /// Polls in a row that found what the hub had not brought.
  public var missed = 0
  /// When the hub brought something last.
  public var lastDelivery: Timestamp?
  /// What is wrong, in words.
  public var problem: String?

  /// A subscription to be asked for at `nextRequest`.
  public init(feed: String, hub: String, topic: String, token: Secret, secret: Secret, nextRequest: Timestamp) {
    self.feed = feed
    self.hub = hub
    self.topic = topic
    self.token = token
    self.secret = secret
    self.nextRequest = nextRequest
  }

  /// Whether the hub can be relied upon to bring what is new.
  public func isLive(now: Timestamp) -> Bool { phase == .active && leaseEnd.map { now < $0 } ?? false }

  /// A request is about to be sent. A hub may verify before it answers.
  mutating func request(now: Timestamp) {
    var generator = SystemRandomNumberGenerator()
    failures += 1
    nextRequest = now + (Self.retries.delay(afterFailures: failures, using: &generator) ?? Self.retries.ceiling)
    if phase != .active {
      phase = .requested
      problem = "the hub has not verified it yet"
    }
  }

  /// The hub asks whether the subscription is wanted, and promises to keep it for `lease`.
  mutating func verify(lease: Duration, now: Timestamp) {
    let lease = min(max(lease, Self.leaseMin), Self.leaseMax)
    phase = .active
    verified = now
    leaseEnd = now + lease
    // A tenth of the lease is left for a hub that is away for a while.
    nextRequest = now + lease * 0.9
    failures = 0
    missed = 0
    problem = nil
  }

  /// The hub or the publisher denies it.
  mutating func deny(reason: String, now: Timestamp) {
    phase = .refused
    problem = "the hub refuses: \(reason.isEmpty ? "it gives no reason" : String(reason.prefix(200)))"
    nextRequest = now + Self.secondThought
  }

  /// The hub brought something.
  mutating func deliver(now: Timestamp) {
    lastDelivery = now
    missed = 0
    guard phase == .silent else { return }
    phase = .active
    problem = nil
  }

  /// A poll found what is new before the hub brought it. `lastPoll` is when the feed was looked at before.
  mutating func miss(lastPoll: Timestamp?, now: Timestamp) {
    // What came before the hub knew of us, it could not bring.
    guard phase == .active, let verified, let lastPoll, verified <= lastPoll else { return }
    missed += 1
    guard missed >= Self.missedMax else { return }
    phase = .silent
    problem = "the hub is silent: \(missed) polls found what it had not brought"
    nextRequest = now + Self.secondThought
  }

  /// Once may be a poll that came just before the hub.
  private static let missedMax = 2
  /// When a hub that refused or fell silent is asked again.
  private static let secondThought = Duration.seconds(24 * 3600)
  private static let retries = RetryPolicy(first: .seconds(600), ceiling: .seconds(24 * 3600))
  /// Shorter leases would be renewed all the time.
  private static let leaseMin = Duration.seconds(300)
  /// A hub that forgot us would not be noticed for longer.
  private static let leaseMax = Duration.seconds(30 * 24 * 3600)
}

/// What the subscriber must remember. Implemented in Stores; one contract suite runs on every implementation.
public protocol HubSubscriptionStore: FeedStore {
  /// All subscriptions, by feed.
  func hubSubscriptions() async throws -> [HubSubscription]

  /// Stores a subscription in place of the feed's former one.
  func save(_ subscription: HubSubscription) async throws

  /// Removes a feed's subscription.
  func removeHubSubscription(of feed: String) async throws

  /// Stores in one transaction what a hub has brought: like a poll, but that it changes no state and may be an excerpt,
  /// so that what it does not hold is not absent. Returns how many articles are new to the feed; none where the feed was
  /// never polled.
  func commit(_ delivery: Delivery) async throws -> Int
}

/// What a hub has brought of a feed.
public struct Delivery: Sendable {
  /// The feed's address, as subscribed.
  public var feed: String
  /// The articles in the order to be told.
  public var articles: [Article]
  /// The keys of guids that are addresses, by the articles' ids.
  public var guidKeys: [String: Int64] = [:]
  /// What the operator said of the feed.
  public var subscribed: Category?
  /// When it came.
  public var time: Timestamp
  /// New articles that may enter the inbox, the newest, and as many changed ones.
  public var newItemsMax: Int

  /// What a hub has brought.
  public init(feed: String, articles: [Article], subscribed: Category?, time: Timestamp, newItemsMax: Int) {
    self.feed = feed
    self.articles = articles
    self.subscribed = subscribed
    self.time = time
    self.newItemsMax = newItemsMax
  }
}
