import Time

/// Reads the dates that feeds hold: RFC 822 with everything that publishers do to it, ISO 8601 in all its widths,
/// and what database exports and blog engines print.
///
/// A date that cannot be read is unknown, never now: an unknown date is no fresh news. A time without a zone is UTC,
/// and so is an unknown zone's (RFC 2822, section 4.3).
enum FeedDate {
  /// The moment that `text` names, or nil.
  static func parse(_ text: some StringProtocol) -> Timestamp? { parse(Array(text.utf8)[...]) }

  /// The moment that a text in UTF-8 names, or nil.
  static func parse(_ bytes: ArraySlice<UInt8>) -> Timestamp? {
    // Nothing longer has ever been a date.
    let text = bytes.trimmed
    guard text.count >= 4, text.count <= bytesMax else { return nil }
    if let date = UsualDate.parts(of: text.span) { return date.timestamp }
    var scanner = DateScanner(text)
    if let date = scanner.iso8601() { return date.timestamp }
    scanner = DateScanner(text)
    return scanner.words()?.timestamp
  }

  private static let bytesMax = 128
}

/// What has been read of a date.
struct DateParts {
  var year: Int?
  var month: Int?
  var day: Int?
  var hour = 0
  var minute = 0
  var second = 0
  var millisecond = 0
  var hasTime = false
  var afternoon: Bool?
  var offsetMinutes = 0
  /// A moment told without a calendar: seconds since 1970.
  var epochSeconds: Int?

  var timestamp: Timestamp? {
    if let epochSeconds { return Timestamp(secondsSince1970: Int64(epochSeconds)) }
    guard let year, Self.years.contains(year) else { return nil }
    var hour = hour
    if let afternoon, (1...12).contains(hour) { hour = hour % 12 + (afternoon ? 12 : 0) }
    // Midnight at the end of a day, and leap seconds (:61 has been seen), are the next moment.
    let isEndOfDay = hour == 24 && minute == 0 && second == 0
    let midnight = Timestamp.civil(year: year, month: month ?? 1, day: day ?? 1)
    guard let midnight, hour < 24 || isEndOfDay, minute < 60, second < 62, abs(offsetMinutes) <= 15 * 60 else {
      return nil
    }
    return midnight + .milliseconds(((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000 + millisecond)
  }

  /// Years outside were never meant: `0000`, `9999`, `0001` stand for "none" in exports.
  private static let years = 1900...2200
}
