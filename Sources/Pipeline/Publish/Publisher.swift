internal import News
internal import Push
public import Runtime
public import Telemetry
public import Time

/// Brings a claimed publication to every outlet once, and notes in the ledger what became of it at each.
///
/// What a hub is known to have is never sent again, through any crash. What it may have, because a request left and no
/// answer came, is sent again only where the operator prefers two to perhaps none.
public struct Publisher: Sendable {
  /// What is done where nobody knows whether a hub has a notification, and sending it again might ring twice.
  public enum OnUnknown: String, Sendable, Hashable, CaseIterable {
    /// Nothing is sent: a person sees it in the decision and in the metrics, and decides.
    case hold
    /// It is sent again under its id, a few times at most.
    case resend
  }

  /// The ways to readers, by different names.
  public let outlets: [Outlet]
  /// Whether everything counts as told and nothing is sent: the ledger learns what readers have heard of before.
  public let isReplaying: Bool
  private let ledger: any PublicationLedger
  private let onUnknown: OnUnknown
  private let retry: RetryPolicy
  private let clock: any WallClock
  private let logger: Logger
  private let metrics: PublisherMetrics
  private let patiently: Patience

  /// Outlets that one publication is sent to at a time: with all articles that a desk works on, fewer requests than an
  /// HTTP client takes.
  private static let outletsAtOnceMax = 8
  /// How often a part may leave in all, where it is sent again after a lost answer.
  public static let departuresMax = 3

  /// A publisher to these outlets.
  public init(
    outlets: [Outlet], isReplaying: Bool = false, ledger: any PublicationLedger, onUnknown: OnUnknown = .hold,
    retry: RetryPolicy = RetryPolicy(first: .milliseconds(200), ceiling: .seconds(60)),
    clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) {
    precondition(!outlets.isEmpty, "there is at least one way to readers")
    self.outlets = outlets
    self.isReplaying = isReplaying
    self.ledger = ledger
    self.onUnknown = onUnknown
    self.retry = retry
    self.clock = clock
    self.logger = logger
    self.metrics = PublisherMetrics(metrics)
    patiently = Patience(retry: retry, clock: clock, logger: logger, metrics: metrics)
  }

  /// A hub that fails to take an article so often, while it takes others, has that one's fault to blame: it is tried
  /// again later, and holds up nothing meanwhile.
  private static let failuresMax = 3
  /// How long such an article waits: as long as it has been tried, within these bounds.
  private static let parkingTime = Duration.seconds(15)...Duration.seconds(600)

  /// What became of a publication.
  enum Published: Sendable {
    /// It is settled. What a reader of the trail should know of it; nil where all is as it should be.
    case settled(PublicationOutcome, reason: String?)
    /// A hub fails to take it, while it takes others: it is to be tried again then.
    case parked(until: Timestamp, reason: String)
  }

  /// Sends what is not known to be sent. `isResumed` says that the publication was claimed before, so that parts of it
  /// may have left. Throws only when cancelled.
  func publish(_ article: Article, as publication: Publication, isResumed: Bool) async throws -> Published {
    guard !isReplaying else {
      return .settled(.sent(Receipt(notificationID: "replayed")), reason: "replayed without sending")
    }
    var known: [String: PublicationPart] = [:]
    if isResumed {
      let parts = try await patiently("store") { try await ledger.parts(of: publication) }
      known = Dictionary(parts.map { ($0.outlet, $0) }) { $1 }
    }
    if let outlet = outlets.first, outlets.count == 1 {
      let part = known[outlet.name]
      return summary(
        of: [(outlet.name, try await publish(article, as: publication, to: outlet, known: part))], publication)
    }
    var results: [(outlet: String, result: PartResult)] = []
    try await withThrowingTaskGroup(of: (String, PartResult).self) { group in
      for (place, outlet) in outlets.enumerated() {
        if place >= Self.outletsAtOnceMax, let (outlet, result) = try await group.next() {
          results.append((outlet, result))
        }
        let part = known[outlet.name]
        group.addTask { (outlet.name, try await self.publish(article, as: publication, to: outlet, known: part)) }
      }
      for try await (outlet, result) in group { results.append((outlet, result)) }
    }
    // In the order of the outlets, whichever was done first.
    let order = Dictionary(uniqueKeysWithValues: outlets.enumerated().map { ($1.name, $0) })
    return summary(of: results.sorted { (order[$0.outlet] ?? 0) < (order[$1.outlet] ?? 0) }, publication)
  }

  private func publish(
    _ article: Article, as publication: Publication, to outlet: Outlet, known: PublicationPart?
  ) async throws -> PartResult {
    if let outcome = known?.outcome { return PartResult(outcome) }
    let notification: Push.Notification
    do throws(TagExpressionError) {
      guard
        let composed = try outlet.composer.compose(article, categories: publication.categories, as: publication)
      else { return .untold }
      notification = composed
    } catch {
      return .refused("its audience cannot be said: \(error)")
    }
    let result = try await send(notification, of: publication, to: outlet, departures: known?.departures ?? 0)
    note(result, of: publication, at: outlet)
    // With one outlet the publication's outcome says it all.
    if outlets.count > 1, let outcome = result.outcome {
      try await patiently("store") { try await ledger.settle(for: outlet.name, of: publication, as: outcome) }
    }
    return result
  }
}

// MARK: - Sending

extension Publisher {
  /// Sends until the hub has taken or refused the notification, it has expired, or nobody knows. Throws only when
  /// cancelled.
  private func send(
    _ notification: Push.Notification, of publication: Publication, to outlet: Outlet, departures: Int
  ) async throws -> PartResult {
    let logger = logger.with(["outlet": LogValue(outlet.name), "article": LogValue(publication.articleID)])
    var generator = SystemRandomNumberGenerator()
    var departures = departures
    var failures = 0
    let answered = outlet.gate.answered
    if departures > 0, !mayLeave(after: departures) {
      return .unknown("a restart came between the request and its answer")
    }
    while true {
      guard let pass = try await outlet.gate.enter(before: notification.expires) else {
        let reason = Self.expired(notification, while: outlet.gate.closure?.why)
        return departures > 0 ? .unknown("no answer came, and then \(reason)") : .refused(reason)
      }
      if !outlet.hub.repeatsSafely {
        switch try await depart(publication, to: outlet, after: departures, pass) {
        case .granted: departures += 1
        case .inHand: return .unknown("it is being sent by another")
        case .settled(let outcome): return PartResult(outcome)
        }
      }
      let wait: Duration
      switch await ask(outlet.hub, notification) {
      case .success(let receipt):
        outlet.gate.open(pass)
        return .sent(receipt)
      case .failure(.refused(let why)):
        outlet.gate.open(pass)
        return .refused(why)
      case .failure(.unserved(let why)):
        outlet.gate.open(pass)
        return .unserved(why)
      case .failure(.closed(let closure)):
        outlet.gate.close(pass, closure)
        try await postpone(publication, to: outlet, &departures)
        continue
      case .failure(.retry(let least, let why)):
        outlet.gate.leave(pass)
        try await postpone(publication, to: outlet, &departures)
        failures += 1
        if failures >= Self.failuresMax, outlet.gate.answered > answered { return .parked(why) }
        wait = max(least, retry.delay(afterFailures: failures, using: &generator) ?? retry.ceiling)
        logger.warning("hub.waiting", ["reason": LogValue(why), "seconds": LogValue(wait)])
      case .failure(.unknown(let why)):
        outlet.gate.leave(pass)
        guard mayLeave(after: departures) else { return .unknown(why) }
        failures += 1
        wait = retry.delay(afterFailures: failures, using: &generator) ?? retry.ceiling
        logger.warning("hub.resending", ["reason": LogValue(why), "seconds": LogValue(wait)])
      }
      try await clock.sleep(for: wait)
    }
  }

  /// Whether what has left so often without an answer may leave again.
  private func mayLeave(after departures: Int) -> Bool {
    onUnknown == .resend && departures < Self.departuresMax
  }

  private func ask(_ hub: any Hub, _ notification: Push.Notification) async -> Result<Receipt, HubError> {
    let started = clock.now
    do throws(HubError) {
      let receipt = try await hub.send(notification)
      metrics.sendSeconds.observe(started.distance(to: clock.now).inSeconds)
      return .success(receipt)
    } catch {
      metrics.failures.increment(["hub"])
      return .failure(error)
    }
  }

  private func depart(
    _ publication: Publication, to outlet: Outlet, after departures: Int, _ pass: HubGate.Pass
  ) async throws -> Departure {
    do {
      let answer = try await patiently("store") {
        try await ledger.depart(for: outlet.name, of: publication, after: departures)
      }
      if answer != .granted { outlet.gate.leave(pass) }
      return answer
    } catch {
      outlet.gate.leave(pass)
      throw error
    }
  }

  private func postpone(_ publication: Publication, to outlet: Outlet, _ departures: inout Int) async throws {
    guard !outlet.hub.repeatsSafely else { return }
    departures -= 1
    try await patiently("store") { try await ledger.postpone(for: outlet.name, of: publication) }
  }

  private static func expired(_ notification: Push.Notification, while reason: String?) -> String {
    let when = notification.expires.map { " at \($0)" } ?? ""
    return "it expired\(when) while the hub could not take it" + (reason.map { " (\($0))" } ?? "")
  }
}

// MARK: - What became of it

/// What became of a part.
private enum PartResult: Sendable {
  case sent(Receipt)
  case refused(String)
  /// The hub reaches nobody in that way.
  case unserved(String)
  case unknown(String)
  /// The article has no text for the outlet's readers.
  case untold
  /// The hub fails to take it, while it takes others.
  case parked(String)

  init(_ outcome: PublicationOutcome) {
    self =
      switch outcome {
      case .sent(let receipt): .sent(receipt)
      case .refused(let reason): .refused(reason)
      case .unknown(let reason): .unknown(reason)
      }
  }

  /// The result as the ledger keeps it; nil where there is none yet.
  var outcome: PublicationOutcome? {
    switch self {
    case .sent(let receipt): .sent(receipt)
    case .refused(let reason), .unserved(let reason): .refused(reason: reason)
    case .unknown(let reason): .unknown(reason: reason)
    case .untold: .refused(reason: "it has no text for these readers")
    case .parked: nil
    }
  }

  /// The result as metrics name it.
  var name: String {
    switch self {
    case .sent: "sent"
    case .refused: "refused"
    case .unserved: "unserved"
    case .unknown: "unknown"
    case .untold: "untold"
    case .parked: "parked"
    }
  }
}

extension Publisher {
  private func note(_ result: PartResult, of publication: Publication, at outlet: Outlet) {
    metrics.sends.increment([outlet.name, result.name])
    func fields(_ reason: String) -> LogFields {
      ["outlet": LogValue(outlet.name), "article": LogValue(publication.articleID), "reason": LogValue(reason)]
    }
    switch result {
    case .refused(let reason): logger.error("hub.refused", fields(reason))
    case .unknown(let reason): logger.error("hub.unknown", fields(reason))
    case .parked(let reason): logger.warning("hub.parked", fields(reason))
    // Whoever learns that a hub reaches nobody in some way says so once, not for every article.
    case .sent, .unserved, .untold: break
    }
  }

  /// One outcome for all parts: what nobody knows of any of them weighs most, then what was sent.
  private func summary(of results: [(outlet: String, result: PartResult)], _ publication: Publication) -> Published {
    func reasons(_ select: (PartResult) -> String?) -> String? {
      let reasons = results.compactMap { outlet, result in
        select(result).map { results.count == 1 ? $0 : "\(outlet): \($0)" }
      }
      return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }
    if let parked = reasons({ if case .parked(let reason) = $0 { reason } else { nil } }) {
      let now = clock.now
      let tried = publication.time.distance(to: now)
      let until = now + min(max(tried, Self.parkingTime.lowerBound), Self.parkingTime.upperBound)
      return .parked(until: until, reason: "the hub takes others but not this one: \(parked); tried again at \(until)")
    }
    let refused = reasons { if case .refused(let reason) = $0 { reason } else { nil } }
    let refusal = refused.map { "refused by the hub: \($0)" }
    if let unknown = reasons({ if case .unknown(let reason) = $0 { reason } else { nil } }) {
      let words = ["nobody knows whether it was sent: \(unknown)", refusal].compactMap(\.self)
      return .settled(.unknown(reason: unknown), reason: words.joined(separator: "; "))
    }
    let receipts = results.compactMap { if case .sent(let receipt) = $0.result { receipt } else { nil } }
    if let first = receipts.first {
      let counts = receipts.compactMap(\.matched)
      let receipt = Receipt(
        notificationID: first.notificationID,
        matched: counts.count == receipts.count ? counts.reduce(0, +) : nil)
      return .settled(.sent(receipt), reason: refusal.map { "sent, but not to all: \($0)" })
    }
    if let refused { return .settled(.refused(reason: refused), reason: refusal) }
    let unserved = reasons { if case .unserved(let reason) = $0 { reason } else { nil } }
    let reason = unserved ?? "it has no text in any reader's language"
    return .settled(.refused(reason: reason), reason: reason)
  }
}

/// What a publisher counts.
private struct PublisherMetrics: Sendable {
  let sends: Counter
  let failures: Counter
  let sendSeconds: Histogram

  init(_ registry: MetricRegistry) {
    sends = registry.counter(
      "tidings_hub_sends_total", help: "Notifications by outlet and what became of them there.",
      labels: ["outlet", "outcome"])
    failures = registry.counter(
      "tidings_desk_failures_total", help: "Calls that failed and are repeated, by the part that failed.",
      labels: ["part"])
    sendSeconds = registry.histogram("tidings_hub_send_seconds", help: "How long the hub took to accept.")
  }
}
