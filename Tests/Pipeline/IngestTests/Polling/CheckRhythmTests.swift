import Curl
import Testing
import Time

@testable import Ingest

/// Dice that always show the same.
struct LoadedDice: RandomNumberGenerator {
  /// 0 leaves a wait as it is, `.max` moves it as far as chance may.
  var face: UInt64 = 0

  mutating func next() -> UInt64 { face }
}

@Suite struct CheckRhythmTests {
  static let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!
  let rhythm = rhythm(every: 900)

  /// Without its head start a check comes when the interval is over, but for chance.
  private static func rhythm(every seconds: Int) -> CheckRhythm {
    var rhythm = CheckRhythm(interval: .seconds(seconds))
    rhythm.headStart = 0
    return rhythm
  }

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
    let check = Self.rhythm(every: 7200).afterSuccess(own: nil, hints: hints, now: Self.noon, using: &dice)
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

  @Test(
    "Chance and the head start bring a check forward within the interval, never before what a server asked for",
    arguments: [
      (nil, [], 765...855, 900), (100, [], 85...95, 100),
      (nil, [PublisherHint(source: "ttl", wait: .seconds(600))], 765...855, 900),
      (nil, [PublisherHint(source: "ttl", wait: .seconds(840))], 840...855, 900),
      (nil, [PublisherHint(source: "ttl", wait: .seconds(900))], 900...900, 900),
      (nil, [PublisherHint(source: "ttl", wait: .seconds(1000))], 1000...1100, 1100),
      (nil, [PublisherHint(source: "ttl", wait: .seconds(9000))], 3600...3960, 3960),
      (100, [PublisherHint(source: "ttl", wait: .seconds(9000))], 85...95, 100),
    ] as [(Int?, [PublisherHint], ClosedRange<Int64>, Int64)])
  func jitter(own: Int?, hints: [PublisherHint], range: ClosedRange<Int64>, limit: Int64) {
    for face in [0, .max / 2, .max] as [UInt64] {
      var dice = LoadedDice(face: face)
      let check = CheckRhythm(interval: .seconds(900)).afterSuccess(
        own: own.map { .seconds($0) }, hints: hints, now: Self.noon, using: &dice)
      #expect(range.contains(wait(check)))
      #expect(wait(check) <= limit)
    }
  }

  @Test("A feed whose items or whose hub make it wait is looked at within that time")
  func slowedByItself() {
    for face in [0, .max] as [UInt64] {
      var dice = LoadedDice(face: face)
      let rhythm = CheckRhythm(interval: .seconds(900))
      let pushed = rhythm.afterSuccess(own: nil, isPushed: true, now: Self.noon, using: &dice)
      #expect((3060...3420).contains(wait(pushed)))
      let calm = rhythm.afterSuccess(
        own: nil, wishes: PublisherWishes(itemGap: .seconds(8000)), now: Self.noon, using: &dice)
      #expect((1700...1900).contains(wait(calm)))
    }
  }

  @Test("A pause that a server asks for is only lengthened by chance, a failure's wait only shortened")
  func jitterOfFailures() {
    for (face, paused, failed) in [(0, 1000, 855), (.max, 1100, 765)] as [(UInt64, Int64, Int64)] {
      var dice = LoadedDice(face: face)
      let rhythm = CheckRhythm(interval: .seconds(900))
      let pause = rhythm.afterFailure(
        .throttled(status: 429, retryAfter: .seconds(1000)), own: nil, failures: 1, now: Self.noon, using: &dice)
      #expect(abs(wait(pause) - paused) <= 1)
      let retry = rhythm.afterFailure(.empty, own: nil, failures: 1, now: Self.noon, using: &dice)
      #expect(abs(wait(retry) - failed) <= 1)
    }
  }

  @Test("An interval of nothing is a second")
  func floor() {
    var dice = LoadedDice()
    #expect(wait(rhythm.afterSuccess(own: .zero, hints: [], now: Self.noon, using: &dice)) == 1)
    #expect(wait(rhythm.afterFailure(.empty, own: .zero, failures: 1, now: Self.noon, using: &dice)) == 1)
  }
}
