import Runtime
import TestKit
import Testing
import Time

@Suite("RetryPolicy")
struct RetryPolicyTests {
  /// Chance that always says the same.
  struct Fixed: RandomNumberGenerator {
    let bits: UInt64
    mutating func next() -> UInt64 { bits }
  }

  @Test(
    "Waits double up to the ceiling and end after the last attempt",
    arguments: [(1, 1.0), (2, 2), (3, 4), (4, 8), (5, 10), (40, 10), (99, 10)] as [(Int, Double)])
  func doubles(failures: Int, seconds: Double) {
    let policy = RetryPolicy(first: .seconds(1), ceiling: .seconds(10), attemptsMax: 100)
    var none = Fixed(bits: 0)
    #expect(policy.delay(afterFailures: failures, using: &none) == .seconds(seconds))
    #expect(policy.delay(afterFailures: 100, using: &none) == nil)
  }

  @Test("Jitter shortens a wait by at most its share")
  func jitters() throws {
    let policy = RetryPolicy(first: .seconds(1), ceiling: .seconds(10), jitter: 0.5)
    var most = Fixed(bits: .max)
    let delay = try #require(policy.delay(afterFailures: 1, using: &most))
    #expect(delay >= .seconds(0.49) && delay <= .seconds(0.51))
  }

  struct Busy: Error {}

  @Test("A call is repeated until it succeeds, and not sooner than the server asks")
  func repeats() async throws {
    let clock = ManualClock()
    let policy = RetryPolicy(first: .seconds(1), ceiling: .seconds(10), jitter: 0)
    let call = Task {
      var calls = 0
      return try await policy.run(clock: clock, judge: { _ in .seconds(5) }) {
        calls += 1
        if calls < 3 { throw Busy() }
        return calls
      }
    }
    for _ in 0..<2 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(4))
      #expect(clock.sleeperCount == 1)
      clock.advance(by: .seconds(1))
    }
    #expect(try await call.value == 3)
  }

  @Test("What cannot heal is thrown at once")
  func givesUp() async {
    let policy = RetryPolicy(first: .seconds(1), ceiling: .seconds(10))
    await #expect(throws: Busy.self) {
      try await policy.run(clock: ManualClock(), judge: { _ in nil }) { throw Busy() }
    }
  }
}
