// Publish: decides whether a story deserves a push, and hands it to a hub once. Never knows a device.

public import News
internal import Push
public import Runtime
public import Telemetry
public import Time

/// Takes articles from a source, one decision each: classify, judge, claim, publish, settle, acknowledge.
///
/// A crash between any two of these steps repeats the article, and the ledger answers that it is known: nothing is
/// lost and nothing rings twice.
public struct Desk: Service {
  /// How articles are judged.
  public struct Editing: Sendable {
    /// Says what an article is about.
    public var classifier: any Classifier
    /// Says whether it deserves a push.
    public var policy: PushPolicy

    /// A classifier and a policy.
    public init(classifier: any Classifier, policy: PushPolicy) {
      self.classifier = classifier
      self.policy = policy
    }
  }

  private let source: any ArticleSource
  private let editing: Editing
  private let ledger: any PublicationLedger
  private let publisher: Publisher
  private let heldAnew: Wakeup
  private let clock: any WallClock
  private let logger: Logger
  private let metrics: DeskMetrics
  private let patiently: Patience

  /// So many articles are worked on at a time: the store's commits are shared by them, and memory is bounded by them.
  private static let inFlightMax = 64

  /// A desk for one source. `heldAnew` is rung when it holds an article.
  public init(
    source: any ArticleSource, editing: Editing, ledger: any PublicationLedger, publisher: Publisher,
    heldAnew: Wakeup, retry: RetryPolicy = RetryPolicy(first: .milliseconds(200), ceiling: .seconds(60)),
    clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) {
    self.source = source
    self.editing = editing
    self.ledger = ledger
    self.publisher = publisher
    self.heldAnew = heldAnew
    self.clock = clock
    self.logger = logger.with(["source": LogValue(source.name)])
    self.metrics = DeskMetrics(metrics)
    patiently = Patience(retry: retry, clock: clock, logger: self.logger, metrics: metrics)
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
      let decision = try await decide(inbound, logger)
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
      try await patiently("store") { try await ledger.record(dropped) }
      return dropped
    case .hold(let until, let reason):
      let held = decision(.hold, reason)
      let waiting = HeldArticle(
        article: article, subscribed: inbound.subscribed, firstSeen: inbound.firstSeen, until: until)
      try await patiently("store") { try await ledger.hold(waiting, decision: held) }
      heldAnew.ring()
      return held
    case .push:
      break
    }

    let claim = Claim(
      articleID: article.id, version: article.version, canonicalLink: CanonicalLink(article.url)?.key, kind: .alert,
      categories: classification.categories, notificationID: NotificationID(at: now), time: now)
    switch try await patiently("store", { try await ledger.claim(claim) }) {
    case .told(let publication):
      // Told before and not acknowledged: a restart came between, and what was decided then stands.
      if publication.articleID == article.id,
        let earlier = try await patiently("store", { try await ledger.decision(articleID: article.id) }),
        earlier.version == article.version
      {
        return earlier
      }
      var merged = decision(.merge, "its story is told already, by article \(publication.articleID)")
      merged.storyID = publication.storyID
      merged.notificationID = publication.notificationID.description
      let joined = merged
      try await patiently("store") { try await ledger.record(joined) }
      return joined
    case .claimed(let publication):
      return try await tell(publication, decision(.push, "new"), inbound, isResumed: false)
    case .resumed(let publication):
      return try await tell(publication, decision(.push, "begun before a restart"), inbound, isResumed: true)
    }
  }

  private func tell(
    _ publication: Publication, _ decision: Decision, _ inbound: Inbound, isResumed: Bool
  ) async throws -> Decision {
    let published = try await publisher.publish(inbound.article, as: publication, isResumed: isResumed)
    metrics.delaySeconds.observe(inbound.firstSeen.distance(to: clock.now).inSeconds)
    return try await settle(publication, published, decision)
  }

  private func settle(
    _ publication: Publication, _ published: Publisher.Published, _ decision: Decision
  ) async throws -> Decision {
    var settled = decision
    settled.storyID = publication.storyID
    settled.notificationID = publication.notificationID.description
    if case .refused = published.outcome { settled.action = .drop }
    settled.reason = published.reason ?? decision.reason
    metrics.publications.increment([published.outcome.name])
    let noted = settled
    // What was sent is known here and nowhere else until this is written: it is tried until it is.
    try await patiently("store") { try await ledger.settle(publication, as: published.outcome, decision: noted) }
    return noted
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
  let delaySeconds: Histogram

  init(_ registry: MetricRegistry) {
    articles = registry.counter(
      "tidings_articles_decided_total", help: "Articles by what was decided about them.", labels: ["source", "action"])
    publications = registry.counter(
      "tidings_publications_total", help: "Claimed publications by what became of them.", labels: ["outcome"])
    delaySeconds = registry.histogram(
      "tidings_publication_delay_seconds", help: "From first seeing an article to the hub's receipt.")
  }
}
