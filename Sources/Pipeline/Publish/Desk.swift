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
    /// Says when two sources tell one story; nil for never, but where they share a link.
    public var matching: StoryMatching?

    /// A classifier, a policy, and when two sources tell one story.
    public init(classifier: any Classifier, policy: PushPolicy, matching: StoryMatching? = .standard) {
      self.classifier = classifier
      self.policy = policy
      self.matching = matching
    }
  }

  private let source: any ArticleSource
  private let editing: Editing
  private let ledger: any PublicationLedger
  private let publisher: Publisher
  private let decisions: (any DecisionLog)?
  private let heldAnew: Wakeup
  private let clock: any WallClock
  private let logger: Logger
  private let metrics: DeskMetrics
  private let patiently: Patience

  /// So many articles are read at a time.
  private static let batchMax = 512
  /// So many batches are worked on at a time, and one more is read ahead: while the store commits some, others are
  /// classified and written. Commits are shared by all of them, and memory is bounded by them.
  private static let batchesMax = 3

  /// A desk for one source. `heldAnew` is rung when it holds an article, `decisions` hears of each decision.
  public init(
    source: any ArticleSource, editing: Editing, ledger: any PublicationLedger, publisher: Publisher,
    decisions: (any DecisionLog)? = nil, heldAnew: Wakeup,
    retry: RetryPolicy = RetryPolicy(first: .milliseconds(200), ceiling: .seconds(60)),
    clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) {
    self.source = source
    self.editing = editing
    self.ledger = ledger
    self.publisher = publisher
    self.decisions = decisions
    self.heldAnew = heldAnew
    self.clock = clock
    self.logger = logger.with(["source": LogValue(source.name)])
    self.metrics = DeskMetrics(metrics)
    patiently = Patience(retry: retry, clock: clock, logger: self.logger, metrics: metrics)
  }

  /// Its name in log lines.
  public var name: String { "desk-\(source.name)" }

  /// Works until cancelled or until the source ends. What is cancelled while it waits for a hub, and what is read and
  /// not begun, is not acknowledged and comes again at the next start.
  public func run() async throws {
    enum Event {
      case read(Batch?)
      case done(Batch)
    }
    await withTaskGroup(of: Event.self) { group in
      var underWay: [Batch] = []
      var waiting: Batch?
      group.addTask { .read(await self.nextBatch()) }
      while let event = await group.next() {
        switch event {
        case .read(let batch): waiting = batch
        case .done(let batch): underWay.removeAll { $0.number == batch.number }
        }
        // In order within a story: what belongs to one that is under way waits for it.
        guard !Task.isCancelled, var batch = waiting, underWay.count < Self.batchesMax,
          !underWay.contains(where: { $0.isRelated(to: batch) })
        else { continue }
        waiting = nil
        batch.number = (underWay.last?.number ?? 0) + 1
        underWay.append(batch)
        group.addTask { [batch] in
          await self.work(on: batch)
          return .done(batch)
        }
        group.addTask { .read(await self.nextBatch()) }
      }
    }
  }

  /// Articles that came together.
  struct Batch: Sendable {
    /// Tells it from others that are under way.
    var number = 0
    /// Those that may be one story, or versions of one article, in the order they came; the rest side by side.
    var sequences: [[Item]] = []
    /// The sequence in which an article's id or its link stands.
    private var places: [String: Int] = [:]

    /// An article, and the address under which others may tell the same.
    struct Item: Sendable {
      let inbound: Inbound
      let link: String?
    }

    init(_ inbound: [Inbound]) {
      sequences.reserveCapacity(inbound.count)
      places.reserveCapacity(inbound.count * 2)
      for inbound in inbound {
        let id = inbound.articleID
        let link = CanonicalLink(inbound.article?.url)?.key
        let place = places[id] ?? link.flatMap { places[$0] } ?? sequences.count
        if place == sequences.count { sequences.append([]) }
        sequences[place].append(Item(inbound: inbound, link: link))
        places[id] = place
        if let link { places[link] = place }
      }
    }

    /// Whether an article of the one may be of the same story as an article of the other.
    func isRelated(to other: Batch) -> Bool { places.keys.contains { other.places[$0] != nil } }
  }

  /// What the source gives next; nil when there is no more, or when cancelled.
  private func nextBatch() async -> Batch? {
    do {
      return try await patiently("source") { try await source.next(limit: Self.batchMax) }.map(Batch.init)
    } catch {
      return nil
    }
  }

  private func work(on batch: Batch) async {
    await withTaskGroup(of: Void.self) { group in
      for sequence in batch.sequences {
        group.addTask {
          for item in sequence {
            // What is behind one that was left comes again behind it: a later version must not take its place.
            guard await self.work(on: item) else { break }
          }
        }
      }
    }
  }

  /// Does everything that an article needs, or leaves it unacknowledged when cancelled; whether it was done.
  private func work(on item: Batch.Item) async -> Bool {
    let inbound = item.inbound
    do {
      let decision = try await decide(item)
      try await decisions?.write(decision, about: inbound)
      try await patiently("store") { try await inbound.acknowledge() }
      metrics.articles.increment([source.name, decision.action.rawValue])
      logger.info(
        "article.decided",
        [
          "article": LogValue(inbound.articleID), "record": LogValue(inbound.origin?.description ?? ""),
          "action": LogValue(decision.action.rawValue),
          "reason": LogValue(decision.reason),
          "story": LogValue(decision.storyID ?? ""), "notification": LogValue(decision.notificationID ?? ""),
          "headline": LogValue(decision.headline), "categories": LogValue(decision.classification.summary),
          "evidence": LogValue(decision.classification.evidence.map(\.detail).joined(separator: "; ")),
        ])
      return true
    } catch {
      logger.info(
        "article.postponed",
        [
          "article": LogValue(inbound.articleID), "record": LogValue(inbound.origin?.description ?? ""),
          "reason": "stopping; it comes again at the next start",
        ])
      return false
    }
  }

  private func decide(_ item: Batch.Item) async throws -> Decision {
    let inbound = item.inbound
    guard let article = inbound.article else { return try await withdraw(inbound.articleID) }
    let classification = editing.classifier.classify(article, subscribed: inbound.subscribed)
    let now = clock.now
    let digest = article.digest
    func decision(_ action: Decision.Action, _ reason: String) -> Decision {
      Decision(
        articleID: article.id, version: article.version, digest: digest, source: article.source,
        headline: article.text.headline, time: now, classification: classification, action: action, reason: reason,
        storyID: nil, notificationID: nil)
    }

    if inbound.isUpdate, inbound.trust == .feed {
      let earlier = try await patiently("store") { try await ledger.decision(articleID: article.id) }
      if earlier == nil || earlier?.action == .drop {
        return try await refuse(decision(.drop, "a later version of an item that was not told"))
      }
    }
    switch editing.policy.judge(article, classification: classification, firstSeen: inbound.firstSeen, now: now) {
    case .withdraw(let reason):
      return try await withdraw(article.id, version: article.version, decision(.withdraw, reason))
    case .drop(let reason):
      if let refused = try await refusal(of: article, decision) { return refused }
      let dropped = decision(.drop, reason)
      try await patiently("store") { try await ledger.record(dropped) }
      return dropped
    case .hold(let until, let reason):
      if let refused = try await refusal(of: article, decision) { return refused }
      return try await hold(inbound, article, until: until, decision(.hold, reason))
    case .push:
      break
    }

    let claim = Claim(
      articleID: article.id, version: article.version, digest: digest, canonicalLink: item.link,
      recognition: editing.matching?.recognition(of: inbound, article), kind: .alert,
      categories: classification.categories,
      notificationID: NotificationID(at: now), time: now)
    switch try await patiently("store", { try await ledger.claim(claim) }) {
    case .told(let publication) where publication.articleID == article.id:
      return try await update(publication, claim, inbound, article, decision)
    case .told(let publication):
      return try await merge(
        publication, decision(.merge, "its story is told already, by article \(publication.articleID)"))
    case .retold(let publication, let likeness):
      return try await merge(
        publication, decision(.merge, "a near-duplicate of article \(publication.articleID): \(likeness)"))
    case .claimed(let publication):
      return try await tell(publication, decision(.push, "new"), inbound, article, isResumed: false)
    case .resumed(let publication):
      return try await tell(publication, decision(.push, "begun before a restart"), inbound, article, isResumed: true)
    case .refused(let refusal):
      return try await refuse(decision(.drop, "\(refusal)"))
    }
  }

  private func tell(
    _ publication: Publication, _ decision: Decision, _ inbound: Inbound, _ article: Article, isResumed: Bool
  ) async throws -> Decision {
    let published = try await publisher.publish(article, as: publication, isResumed: isResumed)
    var decision = decision
    decision.storyID = publication.storyID
    decision.notificationID = publication.notificationID.description
    switch published {
    case .settled(let outcome, let reason):
      switch outcome {
      case .sent: metrics.delaySeconds.observe(inbound.firstSeen.distance(to: clock.now).inSeconds, [source.name])
      case .refused: decision.action = .drop
      case .unknown: break
      }
      decision.reason = reason ?? decision.reason
      metrics.publications.increment([publisher.isReplaying ? "replayed" : outcome.name])
      let noted = decision
      // What was sent is known here and nowhere else until this is written: it is tried until it is.
      try await patiently("store") { try await ledger.settle(publication, as: outcome, decision: noted) }
      return noted
    case .parked(let until, let reason):
      decision.action = .hold
      decision.reason = reason
      return try await hold(inbound, article, until: until, decision)
    }
  }

  /// Keeps an article in the store until its time comes: whoever works on that store then takes it up.
  private func hold(
    _ inbound: Inbound, _ article: Article, until: Timestamp?, _ decision: Decision
  ) async throws -> Decision {
    let waiting = HeldArticle(
      article: article, subscribed: inbound.subscribed, trust: inbound.trust, firstSeen: inbound.firstSeen,
      until: until)
    try await patiently("store") { try await ledger.hold(waiting, decision: decision) }
    heldAnew.ring()
    return decision
  }
}

// MARK: - Corrections and withdrawals

extension Desk {
  private typealias Deciding = (Decision.Action, String) -> Decision

  /// What comes of an article that has been told already, perhaps with another content.
  private func update(
    _ told: Publication, _ alert: Claim, _ inbound: Inbound, _ article: Article, _ decision: Deciding
  ) async throws -> Decision {
    let earlier = try await patiently("store") { try await ledger.decision(articleID: article.id) }
    // Decided before and not acknowledged: a restart came between, and what was decided then stands.
    if let earlier, earlier.action != .hold, earlier.version == article.version,
      earlier.digest == nil || earlier.digest == article.digest
    {
      return earlier
    }
    if inbound.isVersionedByPlace {
      // In a copy of its topic, or written again, it has another place.
      let wasTold = try await patiently("store") {
        try await ledger.wasTold(articleID: article.id, digest: article.digest)
      }
      if wasTold { return try await merge(told, decision(.merge, "told already, with the same content")) }
    }
    if told.version == article.version {
      if told.digest == nil || told.digest == article.digest { return decision(.merge, "told already") }
      logger.warning(
        "article.same_version",
        [
          "article": LogValue(article.id), "version": LogValue(article.version), "reason": "its content is another",
        ])
    }
    guard inbound.trust == .editor, editing.policy.corrections == .send else {
      return try await merge(told, decision(.merge, "correction recorded, not sent"))
    }
    var claim = alert
    claim.kind = .correction(version: article.version)
    switch try await patiently("store", { try await ledger.claim(claim) }) {
    case .claimed(let publication):
      return try await tell(
        publication, decision(.push, "correction of version \(told.version)"), inbound, article, isResumed: false)
    case .resumed(let publication):
      return try await tell(
        publication, decision(.push, "correction begun before a restart"), inbound, article, isResumed: true)
    case .told(let publication), .retold(let publication, _):
      return try await merge(publication, decision(.merge, "correction sent already"))
    case .refused(let refusal):
      return try await refuse(decision(.drop, "\(refusal)"))
    }
  }

  private func merge(_ publication: Publication, _ decision: Decision) async throws -> Decision {
    var decision = decision
    decision.storyID = publication.storyID
    decision.notificationID = publication.notificationID.description
    return try await refuse(decision)
  }

  /// Notes a decision that sends nothing.
  private func refuse(_ decision: Decision) async throws -> Decision {
    try await patiently("store") { try await ledger.record(decision) }
    return decision
  }

  /// The decision about a version that has no effect; nil where it has one.
  private func refusal(of article: Article, _ decision: Deciding) async throws -> Decision? {
    let standing = try await patiently("store") { try await ledger.standing(of: article.id) }
    guard let refusal = standing.refusal(of: article.version) else { return nil }
    return try await refuse(decision(.drop, "\(refusal)"))
  }

  /// Withdraws an article in all versions seen so far.
  private func withdraw(_ articleID: String) async throws -> Decision {
    let known = try await patiently("store") { try await ledger.decision(articleID: articleID) }
    let decision = Decision(
      articleID: articleID, version: known?.version ?? 0, source: known?.source ?? source.name,
      headline: known?.headline ?? "", time: clock.now, classification: Classification(categories: [], evidence: []),
      action: .withdraw, reason: "withdrawn by its editor", storyID: nil, notificationID: nil)
    return try await withdraw(articleID, version: nil, decision)
  }

  private func withdraw(_ articleID: String, version: Int64?, _ decision: Decision) async throws -> Decision {
    let withdrawal = Withdrawal(version: version, decision: decision)
    switch try await patiently("store", { try await ledger.withdraw(withdrawal) }) {
    case .withdrawn(let noted, let alert):
      if let alert {
        logger.warning(
          "article.withdrawn_late",
          ["article": LogValue(articleID), "notification": LogValue(alert.notificationID.description)])
      }
      return noted
    case .refused(let refusal):
      var refused = decision
      refused.action = .drop
      refused.reason = "\(refusal)"
      return try await refuse(refused)
    }
  }
}

extension StoryMatching {
  /// How an article may be recognised; nil where it has too little to go by.
  fileprivate func recognition(of inbound: Inbound, _ article: Article) -> Recognition? {
    guard let sketch = StorySketch(article) else { return nil }
    return Recognition(sketch, matching: self, mayJoin: inbound.trust == .feed)
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
      "tidings_publication_delay_seconds",
      help: "From first seeing an article, or the time of its Kafka record, to the hub's receipt.", labels: ["source"])
  }
}
