extension Timestamp {
  /// The moment that a date in an HTTP header says, in any of the three forms of RFC 9110, section 5.6.7:
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`. Nil for anything
  /// else. A year of two digits that looks more than fifty years ahead of `now` is of the century before.
  public init?(httpDate text: some StringProtocol, now: Timestamp) {
    let words = text.split { $0 == " " || $0 == "\t" }
    let parts: (day: Substring, month: Substring, year: Substring, time: Substring)
    switch words.count {
    case 6 where words[5] == "GMT": parts = (.init(words[1]), .init(words[2]), .init(words[3]), .init(words[4]))
    case 4 where words[3] == "GMT":
      let date = words[1].split(separator: "-")
      guard date.count == 3 else { return nil }
      parts = (.init(date[0]), .init(date[1]), .init(date[2]), .init(words[2]))
    case 5: parts = (.init(words[2]), .init(words[1]), .init(words[4]), .init(words[3]))
    default: return nil
    }
    let time = parts.time.split(separator: ":", omittingEmptySubsequences: false)
    guard let day = Self.number(parts.day, digits: 1...2), let month = Self.month(parts.month),
      let year = Self.year(parts.year, now: now), time.count == 3, let hour = Self.number(time[0], digits: 2...2),
      let minute = Self.number(time[1], digits: 2...2), let second = Self.number(time[2], digits: 2...2)
    else { return nil }
    self.init(CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second))
  }

  private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  private static func month(_ name: Substring) -> Int? {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return names.firstIndex { $0 == name }.map { $0 + 1 }
  }

  private static func year(_ text: Substring, now: Timestamp) -> Int? {
    if let year = number(text, digits: 4...4) { return year }
    guard let short = number(text, digits: 2...2) else { return nil }
    let thisYear = now.civil.year
    let year = thisYear - thisYear % 100 + short
    return year > thisYear + 50 ? year - 100 : year
  }
}
