/// A date and a time of day in UTC, in the proleptic Gregorian calendar.
public struct CivilTime: Sendable, Hashable {
  /// The year, astronomical.
  public var year: Int
  /// The month, 1…12.
  public var month: Int
  /// The day of the month, 1…31.
  public var day: Int
  /// The hour, 0…23.
  public var hour: Int
  /// The minute, 0…59.
  public var minute: Int
  /// The second, 0…60; 60 is a leap second and counts as the next minute's first.
  public var second: Int
  /// The millisecond, 0…999.
  public var millisecond: Int

  /// A time of day on a date; not checked until it becomes a `Timestamp`.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, millisecond: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
    self.millisecond = millisecond
  }

  /// The day of the week, 0 for Sunday.
  public var weekday: Int {
    let days = daysSince1970(year: year, month: month, day: day)
    return Int(((days + 4) % 7 + 7) % 7)
  }
}

extension Timestamp {
  /// The moment of a civil time in UTC, or nil where there is no such day or time.
  public init?(_ civil: CivilTime) {
    guard (-9999...9999).contains(civil.year), (1...12).contains(civil.month),
      (1...daysIn(month: civil.month, year: civil.year)).contains(civil.day),
      (0...23).contains(civil.hour), (0...59).contains(civil.minute), (0...60).contains(civil.second),
      (0...999).contains(civil.millisecond)
    else { return nil }
    let days = daysSince1970(year: civil.year, month: civil.month, day: civil.day)
    let seconds = ((days * 24 + Int64(civil.hour)) * 60 + Int64(civil.minute)) * 60 + Int64(civil.second)
    self.init(millisecondsSince1970: seconds * 1000 + Int64(civil.millisecond))
  }

  /// The moment of a civil time in UTC, or nil where there is no such day or time.
  public static func civil(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, millisecond: Int = 0
  ) -> Timestamp? {
    Timestamp(
      CivilTime(
        year: year, month: month, day: day, hour: hour, minute: minute, second: second, millisecond: millisecond))
  }

  /// The date and time of day in UTC.
  public var civil: CivilTime {
    let (seconds, milliseconds) = millisecondsSince1970.flooredQuotient(by: 1000)
    let (days, secondOfDay) = seconds.flooredQuotient(by: 86_400)
    // From days to a date: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    let shifted = days + 719_468
    let (era, dayOfEra) = shifted.flooredQuotient(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return CivilTime(
      year: Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month: Int(month),
      day: Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1), hour: Int(secondOfDay / 3600),
      minute: Int(secondOfDay / 60 % 60), second: Int(secondOfDay % 60), millisecond: Int(milliseconds))
  }
}

/// Days from 1970-01-01 to a date (Hinnant, days_from_civil).
private func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
  let shiftedYear = Int64(month <= 2 ? year - 1 : year)
  let (era, yearOfEra) = shiftedYear.flooredQuotient(by: 400)
  let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private func daysIn(month: Int, year: Int) -> Int {
  switch month {
  case 4, 6, 9, 11: 30
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  default: 31
  }
}

extension Int64 {
  /// Quotient and remainder rounded towards minus infinity: the remainder is never negative.
  fileprivate func flooredQuotient(by divisor: Int64) -> (Int64, Int64) {
    let quotient = self / divisor
    let remainder = self % divisor
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
