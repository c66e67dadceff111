public import Push
public import Runtime
internal import Synchronization
public import Telemetry
public import Time

/// Whether a hub takes anything for now. While it does not, everyone who sends to it waits here; one at a time asks
/// whether it does again, and what he hears holds for all.
///
/// A closed hub is said once when it closes and once each time it was asked again: a line a minute where a person has
/// to act, however many articles wait.
public final class HubGate: Sendable {
  /// Leave to ask the hub once. Whoever has it gives it back with what he heard.
  struct Pass {
    /// Whether he asks for all who wait.
    let isProbe: Bool
  }

  private struct Closed {
    var closure: HubClosure
    let since: Timestamp
    /// Nobody asks before, and not for longer than this.
    var until: Timestamp
    var wait = Duration.zero
    /// How often it was asked in vain.
    var failures = 1
    /// Whether somebody is asking.
    var isProbed = false

    mutating func rest(_ wait: Duration, from now: Timestamp) {
      self.wait = wait
      until = now + wait
    }
  }

  private let name: String
  private let clock: any WallClock
  private let logger: Logger
  private let retry: RetryPolicy
  private let metric: Gauge
  private let closed = Mutex<Closed?>(nil)
  private let changes = Broadcast()
  private let answers = Atomic(0)
  private let permits: Permits?

  /// A person who corrects a key wants to see within this that it works; nothing else heals it.
  public static let accessInterval = Duration.seconds(60)
  /// Who asks is done by then; whoever waits for what he hears looks again.
  private static let lookAgain = Duration.seconds(60)

  /// An open gate to the hub of that name, for as many sends at once as `sendsMax`, nil for any number. `retry` says how
  /// long an unreachable hub is left alone.
  public init(
    hub name: String, sendsMax: Int? = nil, retry: RetryPolicy = RetryPolicy(first: .seconds(1), ceiling: .seconds(60)),
    clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) {
    self.name = name
    self.retry = retry
    permits = sendsMax.map(Permits.init)
    self.clock = clock
    self.logger = logger.with(["hub": LogValue(name)])
    metric = metrics.gauge(
      "tidings_hub_paused",
      help: "1 while nothing is sent to the hub: its key is refused, its quota used up, or it "
        + "cannot be reached.", labels: ["hub", "cause"])
    for cause in HubClosure.Cause.allCases { metric.set(0, [name, cause.rawValue]) }
  }

  /// Why the hub takes nothing for now; nil where it does.
  public var closure: HubClosure? { closed.withLock { $0?.closure } }

  /// Waits until the hub may be asked; nil once `deadline` has passed, which who stands in line learns when it is his
  /// turn. Throws only when cancelled.
  func enter(before deadline: Timestamp?) async throws -> Pass? {
    try await permits?.take()
    do {
      if let pass = try await waitUntilOpen(before: deadline) { return pass }
    } catch {
      permits?.giveBack()
      throw error
    }
    permits?.giveBack()
    return nil
  }

  private func waitUntilOpen(before deadline: Timestamp?) async throws -> Pass? {
    enum Step {
      case go(Pass)
      case wait(until: Timestamp)
    }
    while true {
      let round = changes.round
      let now = clock.now
      if let deadline, deadline <= now { return nil }
      let step = closed.withLock { closed -> Step in
        guard let state = closed else { return .go(Pass(isProbe: false)) }
        if state.isProbed { return .wait(until: now + Self.lookAgain) }
        // A clock that was set back is no reason to wait for longer.
        guard state.until <= now || now + state.wait < state.until else { return .wait(until: state.until) }
        closed?.isProbed = true
        return .go(Pass(isProbe: true))
      }
      switch step {
      case .go(let pass): return pass
      case .wait(let until):
        try await changes.wait(past: round, until: min(until, deadline ?? until), clock: clock)
      }
    }
  }

  /// How often the hub took something, or refused it for its own sake.
  var answered: Int { answers.load(ordering: .relaxed) }

  /// The hub took something, or refused it for its own sake: it is open.
  func open(_ pass: Pass) {
    defer { permits?.giveBack() }
    answers.add(1, ordering: .relaxed)
    // Who entered before it closed knows nothing newer.
    guard pass.isProbe, let was = closed.withLock({ take(&$0) }) else { return }
    metric.set(0, [name, was.closure.cause.rawValue])
    logger.info(
      "hub.resumed",
      ["cause": LogValue(was.closure.cause.rawValue), "paused": LogValue(was.since.distance(to: clock.now))])
    changes.send()
  }

  /// The hub takes nothing for now.
  func close(_ pass: Pass, _ closure: HubClosure) {
    defer { permits?.giveBack() }
    let now = clock.now
    let (was, until) = closed.withLock { closed -> (HubClosure.Cause?, Timestamp?) in
      var state = closed ?? Closed(closure: closure, since: now, until: now, failures: 0)
      defer { closed = state }
      let was = closed?.closure.cause
      // Those who were under way when it closed bring no news, unless they are to wait longer.
      guard closed == nil || pass.isProbe else {
        if let wait = closure.wait, now + wait > state.until { state.rest(wait, from: now) }
        return (was, nil)
      }
      state.closure = closure
      state.failures += 1
      state.isProbed = false
      state.rest(wait(closure, failures: state.failures), from: now)
      return (was, state.until)
    }
    guard let until else { return }
    if let was, was != closure.cause { metric.set(0, [name, was.rawValue]) }
    metric.set(1, [name, closure.cause.rawValue])
    let fields: LogFields = [
      "cause": LogValue(closure.cause.rawValue), "reason": LogValue(closure.why), "until": LogValue(until),
    ]
    if closure.cause == .access { logger.error("hub.paused", fields) } else { logger.warning("hub.paused", fields) }
    changes.send()
  }

  /// Nothing was learnt: the hub's answer was no answer, or it was not asked at all.
  func leave(_ pass: Pass) {
    defer { permits?.giveBack() }
    guard pass.isProbe else { return }
    closed.withLock { closed in
      guard let state = closed else { return }
      closed?.isProbed = false
      closed?.rest(wait(state.closure, failures: state.failures), from: clock.now)
    }
    changes.send()
  }

  private func wait(_ closure: HubClosure, failures: Int) -> Duration {
    if let wait = closure.wait { return wait }
    if closure.cause == .access { return Self.accessInterval }
    var generator = SystemRandomNumberGenerator()
    return retry.delay(afterFailures: failures, using: &generator) ?? retry.ceiling
  }

  private func take(_ closed: inout Closed?) -> Closed? {
    defer { closed = nil }
    return closed
  }
}
