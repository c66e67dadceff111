internal import Runtime
internal import Telemetry
internal import Time

/// Repeats what a store or a source cannot do at the moment until it can.
struct Patience: Sendable {
  let retry: RetryPolicy
  let clock: any WallClock
  let logger: Logger
  let failures: Counter

  init(retry: RetryPolicy, clock: any WallClock, logger: Logger, metrics: MetricRegistry) {
    self.retry = retry
    self.clock = clock
    self.logger = logger
    failures = metrics.counter(
      "tidings_desk_failures_total", help: "Calls that failed and are repeated, by the part that failed.",
      labels: ["part"])
  }

  /// Throws only when cancelled.
  func callAsFunction<Value: Sendable>(_ part: String, _ body: () async throws -> Value) async throws -> Value {
    try await retry.run(
      clock: clock,
      judge: { error in
        logger.error("desk.waiting", ["for": LogValue(part), "reason": LogValue(String(describing: error))])
        failures.increment([part])
        return .zero
      }, body)
  }
}
