public import Time

/// How long to wait before trying again: exponential, bounded, with jitter.
public struct RetryPolicy: Sendable, Hashable {
  /// The wait after the first failure.
  public var first: Duration
  /// No wait is longer.
  public var ceiling: Duration
  /// How many tries in all; nil where giving up would lose something.
  public var attemptsMax: Int?
  /// The share of a wait that chance may take away, so that many who failed together do not return together.
  public var jitter: Double

  /// A policy; the waits double from `first` to `ceiling`.
  public init(first: Duration, ceiling: Duration, attemptsMax: Int? = nil, jitter: Double = 0.25) {
    self.first = first
    self.ceiling = ceiling
    self.attemptsMax = attemptsMax
    self.jitter = jitter
  }

  /// How long to wait after so many failures (1 after the first); nil when it was the last try.
  public func delay(afterFailures failures: Int, using generator: inout some RandomNumberGenerator) -> Duration? {
    if let attemptsMax, failures >= attemptsMax { return nil }
    // 2^30 times any first wait is past every ceiling; more would overflow.
    let doublings = min(max(failures - 1, 0), 30)
    let full = min(first * (1 << doublings), ceiling)
    return full * (1 - Double.random(in: 0..<1, using: &generator) * jitter)
  }

  /// Runs `body` until it returns, waiting between tries as the policy says. `judge` says whether an error can heal:
  /// nil gives up, a duration is the least wait (a server's `Retry-After`).
  public func run<Value: Sendable>(
    clock: any WallClock, judge: (any Error) -> Duration?, _ body: () async throws -> Value
  ) async throws -> Value {
    var generator = SystemRandomNumberGenerator()
    var failures = 0
    while true {
      do { return try await body() } catch {
        failures += 1
        guard !(error is CancellationError), let least = judge(error),
          let delay = delay(afterFailures: failures, using: &generator)
        else { throw error }
        try await clock.sleep(for: max(delay, least))
      }
    }
  }
}
