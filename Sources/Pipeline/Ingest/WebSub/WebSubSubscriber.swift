public import Curl
internal import News
internal import OpenSSL
public import Runtime
internal import Synchronization
public import Telemetry
public import Time

/// Subscribes at the hubs that feeds name, so that news comes when it is published and not when it is asked for.
///
/// Polls go on, more seldom, and notice a hub that has fallen silent.
public final class WebSubSubscriber: Service {
  /// How the subscriber presents itself, and what it takes.
  public struct Options: Sendable {
    /// Where hubs reach the callback: the path ends with `/` and a subscription's token follows.
    public var callbackBase: WebURL
    /// Who asks, with an address to complain to.
    public var userAgent: String
    /// New items told after one delivery, the newest.
    public var newItemsMax = 50
    /// The longest document that a hub may bring, in bytes.
    public var bodyBytesMax = 4 << 20

    /// The usual behaviour.
    public init(callbackBase: WebURL, userAgent: String) {
      self.callbackBase = callbackBase
      self.userAgent = userAgent
    }
  }

  /// Its name in log lines.
  public let name = "websub"
  /// The longest document that a hub may bring, in bytes.
  public var bodyBytesMax: Int { options.bodyBytesMax }

  private struct State {
    /// By feed.
    var subscriptions: [String: HubSubscription]
    /// Feeds by token.
    var feeds: [Secret: String]
  }

  private let followed: [String: FollowedFeed]
  private let state: Mutex<State>
  private let store: any HubSubscriptionStore
  private let request: HubRequest
  private let bell: Wakeup
  private let options: Options
  private let clock: any WallClock
  private let logger: Logger
  private let metrics: WebSubMetrics
  private let due = Wakeup()

  /// Loads what is known of subscriptions, so that hubs find them from the first request on, and forgets those of feeds
  /// that are followed no more.
  ///
  /// - Parameters:
  ///   - client: sends to hubs, which strangers choose: its address guard judges them.
  ///   - bell: rung when the inbox has more.
  public static func open(
    feeds: [FollowedFeed], store: any HubSubscriptionStore, client: HTTPClient, bell: Wakeup, options: Options,
    clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) async throws -> WebSubSubscriber {
    let followed = Dictionary(feeds.map { ($0.subscription.url, $0) }, uniquingKeysWith: { first, _ in first })
    var subscriptions: [String: HubSubscription] = [:]
    for subscription in try await store.hubSubscriptions() {
      if followed[subscription.feed] != nil {
        subscriptions[subscription.feed] = subscription
      } else {
        try await store.removeHubSubscription(of: subscription.feed)
      }
    }
    return WebSubSubscriber(
      followed, subscriptions, store: store, client: client, bell: bell, options: options, clock: clock,
      logger: logger, metrics: metrics)
  }

  private init(
    _ followed: [String: FollowedFeed], _ subscriptions: [String: HubSubscription], store: any HubSubscriptionStore,
    client: HTTPClient, bell: Wakeup, options: Options, clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) {
    self.followed = followed
    state = Mutex(
      State(
        subscriptions: subscriptions,
        feeds: Dictionary(subscriptions.values.map { ($0.token, $0.feed) }, uniquingKeysWith: { $1 })))
    self.store = store
    request = HubRequest(client: client, userAgent: options.userAgent)
    self.bell = bell
    self.options = options
    self.clock = clock
    self.logger = logger
    self.metrics = WebSubMetrics(metrics)
    self.metrics.show(subscriptions.values.map(\.phase))
  }

  // MARK: - Asking hubs

  /// Asks for subscriptions, and renews them, until cancelled.
  public func run() async throws {
    while !Task.isCancelled {
      let now = clock.now
      let waiting = state.withLock { $0.subscriptions.values.sorted { $0.nextRequest < $1.nextRequest } }
      let dueNow = waiting.prefix(Self.requestsMax).prefix { $0.nextRequest <= now }
      if dueNow.isEmpty {
        let next = waiting.first?.nextRequest ?? now + Self.idleTime
        do { try await due.wait(until: next, clock: clock) } catch { return }
      } else {
        await withDiscardingTaskGroup { group in
          for subscription in dueNow { group.addTask { await self.ask(subscription.feed) } }
        }
      }
    }
  }

  /// Requests to hubs at once.
  private static let requestsMax = 4
  /// The bell rings earlier when there is something to do.
  private static let idleTime = Duration.seconds(24 * 3600)

  private func ask(_ feed: String) async {
    guard let subscription = await change(feed, { $0.request(now: clock.now) }) else { return }
    let callback = options.callbackBase.text + subscription.token.reveal()
    let refusal = await request.send(subscription, callback: callback)
    guard !Task.isCancelled else { return }
    guard let refusal else {
      logger.info("websub.requested", ["feed": "\(feed)", "hub": "\(subscription.hub)"])
      return
    }
    logger.warning(
      "websub.refused",
      ["feed": "\(feed)", "problem": LogValue(refusal), "again": LogValue(subscription.nextRequest)])
    await change(feed) { subscription in
      if subscription.phase != .active { subscription.problem = refusal }
    }
  }

  // MARK: - What polls say

  /// Whether a feed's hub can be relied upon to bring what is new.
  func isLive(_ feed: String) -> Bool {
    state.withLock { $0.subscriptions[feed] }?.isLive(now: clock.now) ?? false
  }

  /// A poll of a feed went well: what hub it names now, and how many items were new to it. `lastPoll` is when it was
  /// looked at before.
  func polled(_ look: FeedCheck.Look, newCount: Int, lastPoll: Timestamp?) async {
    guard look.problem == nil else { return }
    let feed = look.feed.subscription.url
    let known = state.withLock { $0.subscriptions[feed] }
    if newCount > 0, let known {
      let after = await change(feed) { $0.miss(lastPoll: lastPoll, now: clock.now) }
      if known.phase == .active, after?.phase == .silent {
        logger.warning("websub.silent", ["feed": "\(feed)", "hub": "\(known.hub)"])
      }
    }
    guard let offer = HubOffer(look.fetch, look.document) else {
      // A 304 says nothing of hubs.
      if look.document != nil, known != nil { await drop(feed) }
      return
    }
    guard known?.hub != offer.hub.text || known?.topic != offer.topic else { return }
    await subscribe(feed, to: offer)
  }

  private func subscribe(_ feed: String, to offer: HubOffer) async {
    guard let token = try? randomBytes(count: 32), let secret = try? randomBytes(count: 32) else { return }
    let subscription = HubSubscription(
      feed: feed, hub: offer.hub.text, topic: offer.topic, token: Secret(Base64.url.encode(token)),
      secret: Secret(Base64.url.encode(secret)), nextRequest: clock.now)
    state.withLock { state in
      if let old = state.subscriptions.updateValue(subscription, forKey: feed) { state.feeds[old.token] = nil }
      state.feeds[subscription.token] = feed
    }
    await save(subscription)
    due.ring()
  }

  private func drop(_ feed: String) async {
    state.withLock { state in
      if let old = state.subscriptions.removeValue(forKey: feed) { state.feeds[old.token] = nil }
    }
    do { try await store.removeHubSubscription(of: feed) } catch { report(error, feed) }
    logger.info("websub.dropped", ["feed": "\(feed)"])
  }

  // MARK: - What hubs say

  /// Whether a subscription has that token.
  public func knows(_ token: String) -> Bool { state.withLock { $0.feeds[Secret(token)] != nil } }

  /// A hub asks whether a subscription is wanted (WebSub, section 5.3); false if it is not.
  ///
  /// - Parameter lease: for how long the hub will keep it.
  public func confirm(token: String, topic: String, lease: Duration) async -> Bool {
    guard let feed = state.withLock({ $0.feeds[Secret(token)] }),
      state.withLock({ $0.subscriptions[feed]?.topic }) == topic
    else { return false }
    guard let verified = await change(feed, { $0.verify(lease: lease, now: clock.now) }) else { return false }
    logger.info("websub.verified", ["feed": "\(feed)", "until": LogValue(verified.leaseEnd ?? clock.now)])
    return true
  }

  /// A hub tells that a subscription was denied (section 5.2); false if there is none.
  public func deny(token: String, topic: String, reason: String) async -> Bool {
    guard let feed = state.withLock({ $0.feeds[Secret(token)] }),
      state.withLock({ $0.subscriptions[feed]?.topic }) == topic
    else { return false }
    await change(feed) { $0.deny(reason: reason, now: clock.now) }
    logger.warning("websub.denied", ["feed": "\(feed)", "reason": LogValue(reason.prefix(200))])
    return true
  }

  /// What becomes of what a hub has brought.
  public enum Reception: Sendable, Hashable {
    /// Nobody waits for it: the hub may end the subscription.
    case unwanted
    /// It is stored, or ignored: the hub has done its part.
    case taken
    /// It says that the feed at this address has changed, not how: the feed is to be polled.
    case announced(feed: String)
    /// It could not be stored: the hub shall try again.
    case failed
  }

  /// Takes what a hub has brought (section 7). What is not signed with the subscription's secret is ignored.
  public func receive(token: String, signature: String?, contentType: String?, body: [UInt8]) async -> Reception {
    guard let feed = state.withLock({ $0.feeds[Secret(token)] }), let followed = followed[feed],
      let subscription = state.withLock({ $0.subscriptions[feed] })
    else {
      metrics.deliveries.increment(["unwanted"])
      return .unwanted
    }
    guard let signature = signature.flatMap(HubSignature.init),
      signature.isValid(for: body, secret: subscription.secret)
    else {
      metrics.deliveries.increment(["forged"])
      logger.warning("websub.forged", ["feed": "\(feed)"])
      return .taken
    }
    guard let document = try? FeedDocument.parse(body, contentType: contentType, baseURL: followed.url.text) else {
      // Some hubs only tell that there is something.
      await change(feed) { $0.deliver(now: clock.now) }
      metrics.deliveries.increment(["announced"])
      return .announced(feed: feed)
    }
    return await store(document, of: followed)
  }

  private func store(_ document: FeedDocument, of feed: FollowedFeed) async -> Reception {
    let url = feed.subscription.url
    var delivery = Delivery(
      feed: url, articles: document.articles(for: feed.subscription, itemsMax: Self.itemsMax),
      subscribed: feed.subscription.category, time: clock.now, newItemsMax: options.newItemsMax)
    delivery.guidKeys = document.guidKeys(feed: url, itemsMax: Self.itemsMax)
    do {
      let newCount = try await store.commit(delivery)
      await change(url) { $0.deliver(now: clock.now) }
      metrics.deliveries.increment([newCount > 0 ? "new" : "known"])
      logger.info(
        "websub.delivered",
        ["feed": "\(url)", "items": LogValue(delivery.articles.count), "new": LogValue(newCount)])
      if newCount > 0 { bell.ring() }
      return .taken
    } catch {
      metrics.deliveries.increment(["store_failed"])
      report(error, url)
      return .failed
    }
  }

  /// Items read of one delivery.
  private static let itemsMax = 1000

  // MARK: - State

  /// Changes a subscription and stores it; nil if there is none.
  @discardableResult
  private func change(_ feed: String, _ body: (inout HubSubscription) -> Void) async -> HubSubscription? {
    let (before, after) = state.withLock { state -> (HubSubscription?, HubSubscription?) in
      guard var subscription = state.subscriptions[feed] else { return (nil, nil) }
      let before = subscription
      body(&subscription)
      state.subscriptions[feed] = subscription
      return (before, subscription)
    }
    guard let after, after != before else { return after }
    await save(after)
    // The loop sleeps until the earliest request that it knew of.
    if let before, after.nextRequest < before.nextRequest { due.ring() }
    return after
  }

  /// What the store does not take, this process knows at least.
  private func save(_ subscription: HubSubscription) async {
    do { try await store.save(subscription) } catch { report(error, subscription.feed) }
    metrics.show(state.withLock { $0.subscriptions.values.map(\.phase) })
  }

  private func report(_ error: any Error, _ feed: String) {
    logger.error("websub.not_stored", ["feed": "\(feed)", "error": LogValue(String(describing: error))])
  }
}

/// What the subscriber counts.
private struct WebSubMetrics: Sendable {
  let deliveries: Counter
  private let subscriptions: Gauge

  init(_ registry: MetricRegistry) {
    deliveries = registry.counter(
      "tidings_websub_deliveries_total", help: "What hubs have brought, by what came of it.", labels: ["result"])
    subscriptions = registry.gauge(
      "tidings_websub_subscriptions", help: "Subscriptions at hubs, by how they stand.", labels: ["phase"])
  }

  func show(_ phases: [HubSubscription.Phase]) {
    for phase in HubSubscription.Phase.allCases {
      subscriptions.set(Double(phases.count { $0 == phase }), [phase.rawValue])
    }
  }
}
