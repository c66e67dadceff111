import Curl
import Testing
import Time

@testable import Ingest

/// Dice that always show the same.
struct LoadedDice: RandomNumberGenerator {
  /// 0 adds nothing to a wait, `.max` all that chance may add.
  var face: UInt64 = 0

  mutating func next() -> UInt64 { face }
}

@Suite struct CheckRhythmTests {
  static let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!
  let rhythm = CheckRhythm(interval: .seconds(900))

  private func wait(_ check: NextCheck) -> Int64 { Self.noon.distance(to: check.time).milliseconds / 1000 }

  @Test(
    "The rhythm is the operator's, which the publisher may slow within bounds",
    arguments: [
      (nil, [], 900, "every 15 min"),
      (300, [], 300, "every 5 min, as the subscription says"),
      (300, [PublisherHint(source: "ttl", wait: .seconds(1800))], 300, "every 5 min, as the subscription says"),
      (nil, [PublisherHint(source: "ttl", wait: .seconds(1800))], 1800, "the publisher's ttl asks for 30 min"),
      (nil, [PublisherHint(source: "ttl", wait: .seconds(60))], 900, "every 15 min"),
      (
        nil,
        [
          PublisherHint(source: "ttl", wait: .seconds(1800)),
          PublisherHint(source: "Cache-Control", wait: .seconds(2400)),
        ],
        2400, "the publisher's Cache-Control asks for 40 min"
      ),
      (
        nil, [PublisherHint(source: "Cache-Control", wait: .seconds(31_536_000))], 3600,
        "the publisher's Cache-Control asks for 365 d, held to 1 h"
      ),
    ] as [(Int?, [PublisherHint], Int64, String)])
  func success(own: Int?, hints: [PublisherHint], seconds: Int64, reason: String) {
    var dice = LoadedDice()
    let check = rhythm.afterSuccess(own: own.map { .seconds($0) }, hints: hints, now: Self.noon, using: &dice)
    #expect(wait(check) == seconds)
    #expect(check.reason == reason)
  }

  @Test("A rhythm slower than the ceiling for hints stays")
  func slowOperator() {
    var dice = LoadedDice()
    let hints = [PublisherHint(source: "ttl", wait: .seconds(10 * 3600))]
    let check = CheckRhythm(interval: .seconds(7200)).afterSuccess(own: nil, hints: hints, now: Self.noon, using: &dice)
    #expect(wait(check) == 7200)
  }

  @Test(
    "Retry-After is never undercut and never obeyed without end",
    arguments: [
      (120, 60, 120, "the server's Retry-After asks for 2 min"),
      (120, nil, 900, "the server's Retry-After asks for 2 min, the usual interval is longer"),
      (999_999, nil, 86_400, "the server's Retry-After asks for 11 d 13 h, held to 1 d"),
    ] as [(Int, Int?, Int64, String)])
  func retryAfter(asked: Int, own: Int?, seconds: Int64, reason: String) {
    var dice = LoadedDice()
    let check = rhythm.afterFailure(
      .throttled(status: 429, retryAfter: .seconds(asked)), own: own.map { .seconds($0) }, failures: 5, now: Self.noon,
      using: &dice)
    #expect(wait(check) == seconds)
    #expect(check.reason == reason)
  }

  @Test("Failures slow the rhythm up to a ceiling")
  func backOff() {
    var dice = LoadedDice()
    for error in [
      FetchError.empty, .throttled(status: 429, retryAfter: nil), .throttled(status: 503, retryAfter: .zero), nil,
    ] {
      let waits = [1, 2, 3, 4, 5, 6, 1000].map {
        wait(rhythm.afterFailure(error, own: nil, failures: $0, now: Self.noon, using: &dice))
      }
      #expect(waits == [900, 1800, 3600, 7200, 14_400, 14_400, 14_400])
    }
    let check = rhythm.afterFailure(.empty, own: .seconds(60), failures: 3, now: Self.noon, using: &dice)
    #expect(check.reason == "after 3 failures in a row, in 4 min")
  }

  @Test("A feed that its publisher has given up is asked once a day")
  func gone() {
    var dice = LoadedDice()
    #expect(wait(rhythm.afterFailure(.gone, own: .seconds(60), failures: 1, now: Self.noon, using: &dice)) == 86_400)
  }

  @Test("Chance only adds to a wait, a tenth at most")
  func jitter() {
    var dice = LoadedDice(face: .max)
    let check = rhythm.afterSuccess(own: nil, hints: [], now: Self.noon, using: &dice)
    #expect((980...990).contains(wait(check)))
    let pause = rhythm.afterFailure(
      .throttled(status: 429, retryAfter: .seconds(1000)), own: nil, failures: 1, now: Self.noon, using: &dice)
    #expect((1090...1100).contains(wait(pause)))
  }

  @Test("An interval of nothing is a second")
  func floor() {
    var dice = LoadedDice()
    #expect(wait(rhythm.afterSuccess(own: .zero, hints: [], now: Self.noon, using: &dice)) == 1)
    #expect(wait(rhythm.afterFailure(.empty, own: .zero, failures: 1, now: Self.noon, using: &dice)) == 1)
  }
}
