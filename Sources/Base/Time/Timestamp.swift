// Time: wall-clock time as a value, and the clock that tells it. Knows no zone but UTC.

/// A moment in UTC, to the millisecond.
///
/// An integer, so that it survives a store and a comparison unchanged, which a floating-point date does not.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public let millisecondsSince1970: Int64

  /// The moment so many milliseconds after the epoch.
  public init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  /// The moment so many whole seconds after the epoch.
  public init(secondsSince1970: Int64) {
    self.millisecondsSince1970 = secondsSince1970 * 1000
  }

  /// The earlier one is the smaller.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// The moment a duration later; the ends of the range are kept, so that "for ever" is not an overflow.
  public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
    let (sum, overflow) = moment.millisecondsSince1970.addingReportingOverflow(duration.milliseconds)
    return Timestamp(millisecondsSince1970: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// The moment a duration earlier.
  public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
    moment + (.zero - duration)
  }

  /// How long it is from this moment to another; negative where the other is earlier.
  public func distance(to other: Timestamp) -> Duration {
    .milliseconds(other.millisecondsSince1970.subtractingReportingOverflow(millisecondsSince1970).partialValue)
  }
}

extension Duration {
  /// The duration in whole milliseconds, towards zero; beyond the range its nearest end.
  public var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000_000_000
  }

  /// The duration in seconds, as metrics want it.
  public var inSeconds: Double {
    // Whole nanoseconds stay exact until the one division, so that 54 ms are 0.054 and not 0.054000000000000006.
    (Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9) / 1e9
  }
}
