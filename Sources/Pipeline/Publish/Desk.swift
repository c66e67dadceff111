// Publish: decides whether a story deserves a push, and hands it to a hub once. Never knows a device.

public import News
public import Push
public import Runtime
public import Telemetry
public import Time

/// Takes articles from a source, one decision each: classify, judge, claim, compose, send, settle, acknowledge.
///
/// A crash between any two of these steps repeats the article, and the ledger answers that it is known: nothing is
/// lost and nothing rings twice.
public struct Desk: Service {
  /// How the parts judge and write.
  public struct Editing: Sendable {
    /// Says what an article is about.
    public var classifier: any Classifier
    /// Says whether it deserves a push.
    public var policy: PushPolicy
    /// Writes the push.
    public var composer: Composer

    /// How the parts judge and write.
    public init(classifier: any Classifier, policy: PushPolicy, composer: Composer) {
      self.classifier = classifier
      self.policy = policy
      self.composer = composer
    }
  }

  private let source: any ArticleSource
  private let editing: Editing
  private let ledger: any PublicationLedger
  private let hub: any Hub
  private let heldAnew: Wakeup
  private let clock: any WallClock
  private let logger: Logger
  private let metrics: DeskMetrics
  private let retry: RetryPolicy

  /// So many articles are worked on at a time: the store's commits are shared by them, and memory is bounded by them.
  private static let inFlightMax = 64

  /// A desk for one source. `heldAnew` is rung when it holds an article.
  public init(
    source: any ArticleSource, editing: Editing, ledger: any PublicationLedger, hub: any Hub, heldAnew: Wakeup,
    retry: RetryPolicy = RetryPolicy(first: .milliseconds(200), ceiling: .seconds(60)),
    clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) {
    self.source = source
    self.editing = editing
    self.ledger = ledger
    self.hub = hub
    self.heldAnew = heldAnew
    self.retry = retry
    self.clock = clock
    self.logger = logger.with(["source": LogValue(source.name)])
    self.metrics = DeskMetrics(metrics)
  }

  /// Its name in log lines.
  public var name: String { "desk-\(source.name)" }

  /// Works until cancelled or until the source ends. What is cancelled while it waits for a hub is not acknowledged
  /// and comes again at the next start.
  public func run() async throws {
    while !Task.isCancelled {
      let batch: [Inbound]?
      do { batch = try await patiently("source") { try await source.next(limit: Self.inFlightMax) } } catch {
        return
      }
      guard let batch else { return }
      await withTaskGroup(of: Void.self) { group in
        for sequence in Self.sequences(batch) {
          group.addTask { for inbound in sequence { await self.work(on: inbound) } }
        }
      }
    }
  }

  /// Articles that may be one story, or versions of one article, in the order they came; the rest side by side.
  static func sequences(_ batch: [Inbound]) -> [[Inbound]] {
    var sequences: [[Inbound]] = []
    var places: [String: Int] = [:]
    for inbound in batch {
      let keys = [inbound.article.id, CanonicalLink(inbound.article.url)?.key].compactMap(\.self)
      let place = keys.lazy.compactMap { places[$0] }.first ?? sequences.count
      if place == sequences.count { sequences.append([]) }
      sequences[place].append(inbound)
      for key in keys { places[key] = place }
    }
    return sequences
  }

  /// Does everything that an article needs, or leaves it unacknowledged when cancelled.
  private func work(on inbound: Inbound) async {
    let logger = logger.with(["article": LogValue(inbound.article.id)])
    do {
      let decision = try await patiently("store") { try await decide(inbound, logger) }
      try await patiently("store") { try await inbound.acknowledge() }
      metrics.articles.increment([source.name, decision.action.rawValue])
      logger.info(
        "article.decided",
        [
          "action": LogValue(decision.action.rawValue), "reason": LogValue(decision.reason),
          "story": LogValue(decision.storyID ?? ""), "notification": LogValue(decision.notificationID ?? ""),
        ])
    } catch {
      logger.info("article.postponed", ["reason": "stopping; it comes again at the next start"])
    }
  }

  /// Repeats what a store or a source cannot do at the moment until it can; throws only when cancelled.
  private func patiently<Value: Sendable>(
    _ part: String, _ body: () async throws -> Value
  ) async throws -> Value {
    try await retry.run(
      clock: clock,
      judge: { error in
        logger.error("desk.waiting", ["for": LogValue(part), "reason": LogValue(String(describing: error))])
        metrics.failures.increment([part])
        return .zero
      }, body)
  }

  private func decide(_ inbound: Inbound, _ logger: Logger) async throws -> Decision {
    let article = inbound.article
    let classification = editing.classifier.classify(article, subscribed: inbound.subscribed)
    let now = clock.now
    func decision(_ action: Decision.Action, _ reason: String) -> Decision {
      Decision(article: article, time: now, classification: classification, action: action, reason: reason)
    }

    switch editing.policy.judge(article, classification: classification, firstSeen: inbound.firstSeen, now: now) {
    case .drop(let reason):
      let dropped = decision(.drop, reason)
      try await ledger.record(dropped)
      return dropped
    case .hold(let until, let reason):
      let held = decision(.hold, reason)
      try await ledger.hold(
        HeldArticle(
          article: article, subscribed: inbound.subscribed, firstSeen: inbound.firstSeen, until: until),
        decision: held)
      heldAnew.ring()
      return held
    case .push:
      break
    }

    let claim = Claim(
      articleID: article.id, version: article.version, canonicalLink: CanonicalLink(article.url)?.key, kind: .alert,
      categories: classification.categories, notificationID: NotificationID(at: now), time: now)
    switch try await ledger.claim(claim) {
    case .told(let publication):
      // Told before and not acknowledged: a restart came between, and what was decided then stands.
      if publication.articleID == article.id, let earlier = try await ledger.decision(articleID: article.id),
        earlier.version == article.version
      {
        return earlier
      }
      var merged = decision(.merge, "its story is told already, by article \(publication.articleID)")
      merged.storyID = publication.storyID
      merged.notificationID = publication.notificationID.description
      try await ledger.record(merged)
      return merged
    case .claimed(let publication):
      return try await tell(publication, decision(.push, "new"), inbound, logger)
    case .resumed(let publication) where hub.repeatsSafely:
      return try await tell(publication, decision(.push, "begun before a restart"), inbound, logger)
    case .resumed(let publication):
      let pushed = decision(.push, "begun before a restart")
      return try await settle(
        publication, .unknown(reason: "a restart came between the request and its answer"), pushed)
    }
  }

  private func tell(
    _ publication: Publication, _ decision: Decision, _ inbound: Inbound, _ logger: Logger
  ) async throws -> Decision {
    let notification: Push.Notification
    do {
      notification = try editing.composer.compose(
        inbound.article, categories: publication.categories, as: publication)
    } catch {
      return try await settle(publication, .refused(reason: "its audience cannot be said: \(error)"), decision)
    }
    let outcome = try await send(notification, logger)
    metrics.delaySeconds.observe(inbound.firstSeen.distance(to: clock.now).inSeconds)
    return try await settle(publication, outcome, decision)
  }

  /// Sends until the hub has taken or refused the notification or it has expired. Throws only when cancelled.
  private func send(_ notification: Push.Notification, _ logger: Logger) async throws -> PublicationOutcome {
    var generator = SystemRandomNumberGenerator()
    var failures = 0
    while true {
      let wait: Duration
      do throws(HubError) {
        let started = clock.now
        let receipt = try await hub.send(notification)
        metrics.sendSeconds.observe(started.distance(to: clock.now).inSeconds)
        return .sent(receipt)
      } catch {
        failures += 1
        metrics.failures.increment(["hub"])
        switch error {
        case .refused(let why): return .refused(reason: why)
        case .unknown(let why): return .unknown(reason: why)
        case .retry(let least, let why):
          wait = max(least, retry.delay(afterFailures: failures, using: &generator) ?? retry.ceiling)
          logger.warning("hub.waiting", ["reason": LogValue(why), "seconds": LogValue(wait)])
        }
      }
      try await clock.sleep(for: wait)
      if let expires = notification.expires, expires <= clock.now {
        return .refused(reason: "it expired at \(expires) while the hub could not take it")
      }
    }
  }

  private func settle(
    _ publication: Publication, _ outcome: PublicationOutcome, _ decision: Decision
  ) async throws -> Decision {
    var settled = decision
    settled.storyID = publication.storyID
    settled.notificationID = publication.notificationID.description
    switch outcome {
    case .sent: break
    case .refused(let reason):
      settled.action = .drop
      settled.reason = "refused by the hub: \(reason)"
      logger.error("hub.refused", ["article": LogValue(decision.articleID), "reason": LogValue(reason)])
    case .unknown(let reason):
      settled.reason = "nobody knows whether it was sent: \(reason)"
      logger.error("hub.unknown", ["article": LogValue(decision.articleID), "reason": LogValue(reason)])
    }
    metrics.publications.increment([outcome.name])
    try await ledger.settle(publication, as: outcome, decision: settled)
    return settled
  }
}

extension PublicationOutcome {
  /// The outcome as metrics name it.
  fileprivate var name: String {
    switch self {
    case .sent: "sent"
    case .refused: "refused"
    case .unknown: "unknown"
    }
  }
}

/// What a desk counts.
private struct DeskMetrics: Sendable {
  let articles: Counter
  let publications: Counter
  let failures: Counter
  let sendSeconds: Histogram
  let delaySeconds: Histogram

  init(_ registry: MetricRegistry) {
    articles = registry.counter(
      "tidings_articles_decided_total", help: "Articles by what was decided about them.", labels: ["source", "action"])
    publications = registry.counter(
      "tidings_publications_total", help: "Claimed publications by what became of them.", labels: ["outcome"])
    failures = registry.counter(
      "tidings_desk_failures_total", help: "Calls that failed and are repeated, by the part that failed.",
      labels: ["part"])
    sendSeconds = registry.histogram("tidings_hub_send_seconds", help: "How long the hub took to accept.")
    delaySeconds = registry.histogram(
      "tidings_publication_delay_seconds", help: "From first seeing an article to the hub's receipt.")
  }
}
