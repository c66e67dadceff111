internal import Glibc

/// Tells the time and waits for it. An argument everywhere, so that a test can turn the hands itself.
public protocol WallClock: Sendable {
  /// The time now.
  var now: Timestamp { get }

  /// Returns once the clock shows that time, or so long has passed as was left to it: whoever waits for the time itself
  /// looks again, since the clock may have been set back. Throws `CancellationError` if the task is cancelled first.
  func sleep(until deadline: Timestamp) async throws
}

extension WallClock {
  /// Returns once that long has passed; throws `CancellationError` if the task is cancelled first.
  public func sleep(for duration: Duration) async throws {
    try await sleep(until: now + duration)
  }
}

/// The clock of the machine.
public struct SystemClock: WallClock {
  /// The machine's clock needs nothing to start with.
  public init() {}

  /// The machine's wall-clock time.
  public var now: Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Waits in steps of at most `stepMax`, so that a wall clock that is set forward meanwhile is noticed; by the clock
  /// that nobody sets, so that one that is set back makes nobody wait for longer.
  public func sleep(until deadline: Timestamp) async throws {
    let latest = ContinuousClock.now + now.distance(to: deadline)
    while true {
      let left = min(now.distance(to: deadline), ContinuousClock.now.duration(to: latest))
      guard left > .zero else { return try Task.checkCancellation() }
      try await Task.sleep(for: min(left, Self.stepMax), tolerance: .zero)
    }
  }

  /// A clock set forward is noticed within a minute.
  private static let stepMax = Duration.seconds(60)
}
