internal import Time

/// When a publisher wants a feed to be fetched, by its last document. Kept between polls: a 304 brings no document.
public struct PublisherWishes: Sendable, Hashable {
  /// RSS `ttl`: how long a copy may be kept.
  public var timeToLive: Duration?
  /// `sy:updatePeriod` divided by `sy:updateFrequency`: how far apart its changes are.
  public var updatePeriod: Duration?
  /// RSS `skipHours`: hours of the day, UTC, in which it is not to be fetched.
  public var skipHours: Set<Int>
  /// RSS `skipDays`: days of the week in which it is not to be fetched, 0 for Sunday.
  public var skipDays: Set<Int>
  /// How far apart its items are: the median; nil where too few say when they came.
  public var itemGap: Duration?

  /// Wishes, as far as there are any.
  public init(
    timeToLive: Duration? = nil, updatePeriod: Duration? = nil, skipHours: Set<Int> = [], skipDays: Set<Int> = [],
    itemGap: Duration? = nil
  ) {
    self.timeToLive = timeToLive
    self.updatePeriod = updatePeriod
    self.skipHours = skipHours
    self.skipDays = skipDays
    self.itemGap = itemGap
  }

  /// The hints among them. `sy:updatePeriod` counts only while the items do not come faster than it says: blog engines
  /// write `hourly` unasked.
  var hints: [PublisherHint] {
    var hints: [PublisherHint] = []
    if let timeToLive { hints.append(PublisherHint(source: "ttl", wait: timeToLive)) }
    if let updatePeriod, itemGap.map({ $0 >= updatePeriod }) ?? true {
      hints.append(PublisherHint(source: "sy:updatePeriod", wait: updatePeriod))
    }
    return hints
  }

  /// The first moment from `time` on that is in no hour and on no day to be skipped, but at most `limit` later.
  ///
  /// A list of all hours or all days is a mistake and counts for nothing.
  func unskipped(from time: Timestamp, within limit: Duration) -> Timestamp {
    let hours = skipHours.count < 24 ? skipHours : []
    let days = skipDays.count < 7 ? skipDays : []
    guard !hours.isEmpty || !days.isEmpty else { return time }
    let hourLength: Int64 = 3_600_000
    var open = time
    while open < time + limit {
      let civil = open.civil
      guard hours.contains(civil.hour) || days.contains(civil.weekday) else { return open }
      let hour = (Double(open.millisecondsSince1970) / Double(hourLength)).rounded(.down)
      open = Timestamp(millisecondsSince1970: (Int64(hour) + 1) * hourLength)
    }
    return time + limit
  }
}

extension FeedDocument {
  /// What the document says about its rhythm, and shows of it.
  var wishes: PublisherWishes {
    PublisherWishes(
      timeToLive: refresh.timeToLiveMinutes.flatMap { $0 > 0 ? .seconds(min($0, Self.minutesMax) * 60) : nil },
      updatePeriod: updatePeriod, skipHours: refresh.skipHours, skipDays: refresh.skipDays, itemGap: itemGap)
  }

  private var updatePeriod: Duration? {
    let seconds: Int? =
      switch refresh.updatePeriod {
      case "hourly": 3600
      case "daily": 86_400
      case "weekly": 7 * 86_400
      case "monthly": 30 * 86_400
      case "yearly": Self.minutesMax * 60
      default: nil
      }
    return seconds.map { .seconds($0 / max(1, min(refresh.updateFrequency ?? 1, $0))) }
  }

  private var itemGap: Duration? {
    let dates = items.compactMap(\.published).sorted().suffix(Self.rhythmItemsMax)
    guard dates.count >= Self.rhythmItemsMin else { return nil }
    let gaps = zip(dates, dates.dropFirst()).map { $0.distance(to: $1) }.sorted()
    return gaps[gaps.count / 2]
  }

  /// A year; the rhythm holds hints far below.
  private static let minutesMax = 525_600
  /// Fewer items than these show no rhythm.
  private static let rhythmItemsMin = 5
  /// Older items than so many show a rhythm of the past.
  private static let rhythmItemsMax = 30
}
