public import Time
internal import Runtime

/// When to look at a feed next, and why.
public struct NextCheck: Sendable, Hashable {
  /// Not before.
  public var time: Timestamp
  /// In words, for whoever wonders why nothing comes.
  public var reason: String

  /// A time with its reason.
  public init(time: Timestamp, reason: String) {
    self.time = time
    self.reason = reason
  }
}

/// How long a publisher wants readers to stay away.
public struct PublisherHint: Sendable, Hashable {
  /// Where it says so: `ttl`, `Cache-Control`.
  public var source: String
  /// How long.
  public var wait: Duration

  /// A wish with its source.
  public init(source: String, wait: Duration) {
    self.source = source
    self.wait = wait
  }
}

/// Decides when to look again: a rhythm that publishers may slow, that failures slow further, and that recovers by
/// itself. Pure: the time and the dice are arguments.
public struct CheckRhythm: Sendable {
  /// How often, where the subscription says nothing.
  public var interval: Duration
  /// No publisher's hint slows the rhythm further: what is older is no news, and a `max-age` of a year is a mistake.
  public var hintMax = Duration.seconds(3600)
  /// No `Retry-After` is obeyed for longer.
  public var pauseMax = Duration.seconds(24 * 3600)
  /// `skipHours` and `skipDays` put a check off for no longer.
  public var skipMax = Duration.seconds(24 * 3600)
  /// How often a feed is looked at between two of its items.
  public var looksPerItem = 4
  /// The longest pause between two tries of a feed that fails.
  public var backOffMax = Duration.seconds(4 * 3600)
  /// How long a feed that its publisher calls gone is left alone before it is asked once more.
  public var gonePause = Duration.seconds(24 * 3600)
  /// The share of a wait by which chance moves a check, so that feeds spread out: forward within an interval, back only
  /// where a server asked for a pause.
  public var jitter = 0.1
  /// The share of an interval that is kept for the poll's turn and its way, so that the server sees no longer one.
  public var headStart = 0.05

  /// Below this a mistake in a configuration would become an attack.
  static let intervalMin = Duration.seconds(1)

  /// A rhythm with the usual bounds.
  public init(interval: Duration = .seconds(15 * 60)) { self.interval = interval }

  /// After a poll that went well.
  ///
  /// - Parameters:
  ///   - own: the subscription's own interval, which outranks the publisher's wishes.
  ///   - hints: what the answer said.
  ///   - wishes: what the feed's last document said.
  ///   - isPushed: whether a hub brings what is new.
  func afterSuccess(
    own: Duration?, hints: [PublisherHint] = [], wishes: PublisherWishes = PublisherWishes(), isPushed: Bool = false,
    now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> NextCheck {
    if let own {
      return check(within: own, "every \(own.inWords), as the subscription says", now, &generator)
    }
    let slower = [isPushed ? pushed : nil, wishes.itemGap.map(rhythm(ofItems:))].compactMap(\.self)
    let limit = Self.longest(usual, slower)
    let asked = (hints + wishes.hints).map(held)
    let check = check(
      within: limit.wait, atLeast: asked.map(\.wait).max() ?? .zero, Self.longest(limit, asked).reason, now, &generator)
    let open = wishes.unskipped(from: check.time, within: skipMax)
    guard open > check.time else { return check }
    // All that wait for the same hour do not come in its first second.
    return NextCheck(
      time: open + interval * (Double.random(in: 0..<1, using: &generator) * jitter),
      reason: check.reason + ", but not in the hours and days that it says to skip")
  }

  private typealias Wait = (wait: Duration, reason: String)

  private static func longest(_ first: Wait, _ others: [Wait]) -> Wait {
    others.reduce(first) { $1.wait > $0.wait ? $1 : $0 }
  }

  private var usual: Wait { (interval, "every \(interval.inWords)") }

  private var pushed: Wait { (hintMax, "its hub brings what is new; looked after every \(hintMax.inWords)") }

  private func rhythm(ofItems gap: Duration) -> Wait {
    held(gap / looksPerItem, "its items come about \(gap.inWords) apart")
  }

  private func held(_ hint: PublisherHint) -> Wait {
    held(hint.wait, "the publisher's \(hint.source) asks for \(hint.wait.inWords)")
  }

  private func held(_ wait: Duration, _ reason: String) -> Wait {
    wait > hintMax ? (hintMax, reason + ", held to \(hintMax.inWords)") : (wait, reason)
  }

  /// After a poll that failed.
  ///
  /// - Parameter failures: how many in a row, this one included.
  func afterFailure(
    _ error: FetchError?, own: Duration?, failures: Int, now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) -> NextCheck {
    let usual = max(own ?? interval, Self.intervalMin)
    switch error {
    case .throttled(_, let wait?) where wait > .zero:
      let pause = min(wait, pauseMax)
      var words = "the server's Retry-After asks for \(wait.inWords)"
      if pause < usual { words += ", the usual interval is longer" }
      if usual <= pause, pause < wait { words += ", held to \(pause.inWords)" }
      return check(within: usual, atLeast: pause, words, now, &generator)
    case .gone:
      return check(
        within: usual, atLeast: gonePause, "the publisher says that the feed is gone; asked once more", now, &generator)
    default:
      let policy = RetryPolicy(first: usual, ceiling: max(backOffMax, usual), jitter: 0)
      let wait = policy.delay(afterFailures: failures, using: &generator) ?? backOffMax
      let words = failures == 1 ? "after a failure" : "after \(failures) failures in a row"
      return check(within: wait, "\(words), in \(wait.inWords)", now, &generator)
    }
  }

  /// Before `limit` is over, unless `minimum` is longer.
  private func check(
    within limit: Duration, atLeast minimum: Duration = .zero, _ reason: String, _ now: Timestamp,
    _ generator: inout some RandomNumberGenerator
  ) -> NextCheck {
    let shift = Double.random(in: 0..<1, using: &generator) * jitter
    let wait = minimum > limit ? minimum * (1 + shift) : max(minimum, limit * (1 - headStart - shift))
    return NextCheck(time: now + max(wait, Self.intervalMin), reason: reason)
  }
}
