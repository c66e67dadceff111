import Time

/// Reads the two spellings that nineteen dates of twenty have, at once: `Mon, 02 Jan 2006 15:04:05 GMT` (or `+0000`)
/// and `2006-01-02T15:04:05Z` (or `+00:00`).
///
/// Nil means nothing: `DateScanner` reads what this does not.
struct UsualDate {
  private var parts = DateParts()

  /// The date, if it is spelled in one of the two ways.
  static func parts(of text: Span<UInt8>) -> DateParts? {
    guard text.count >= 19 else { return nil }
    var date = UsualDate()
    let isRead = text[4] == UInt8(ascii: "-") ? date.readISO8601(text) : date.readRFC822(text)
    return isRead ? date.parts : nil
  }

  private mutating func readISO8601(_ text: Span<UInt8>) -> Bool {
    guard text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: " "),
      let century = pair(text, 0), let year = pair(text, 2), let month = pair(text, 5), let day = pair(text, 8),
      readTime(text, 11)
    else { return false }
    (parts.year, parts.month, parts.day) = (century * 100 + year, month, day)
    if text.count == 19 { return true }
    if text.count == 20 { return text[19] == UInt8(ascii: "Z") }
    guard text.count == 25, text[22] == UInt8(ascii: ":"), let minutes = pair(text, 23) else { return false }
    return readOffset(text, 19, minutes: minutes)
  }

  private mutating func readRFC822(_ text: Span<UInt8>) -> Bool {
    var start = 0
    if text[3] == UInt8(ascii: ",") {
      guard text[0].isASCIILetter, text[1].isASCIILetter, text[2].isASCIILetter, text[4] == 0x20 else { return false }
      start = 5
    }
    let digits = text[start + 1] == 0x20 ? 1 : 2
    guard text.count >= start + digits + 18, text[start + digits] == 0x20, text[start + digits + 4] == 0x20,
      text[start + digits + 9] == 0x20, text[start].isASCIIDigit
    else { return false }
    let day = digits == 1 ? Int(text[start] - 0x30) : pair(text, start)
    let month = Self.month(text[start + digits + 1], text[start + digits + 2], text[start + digits + 3])
    guard let day, let month, let century = pair(text, start + digits + 5), let year = pair(text, start + digits + 7),
      readTime(text, start + digits + 10)
    else { return false }
    (parts.year, parts.month, parts.day) = (century * 100 + year, month, day)
    return readZone(text, start + digits + 18)
  }

  /// `15:04:05`.
  private mutating func readTime(_ text: Span<UInt8>, _ start: Int) -> Bool {
    guard text[start + 2] == UInt8(ascii: ":"), text[start + 5] == UInt8(ascii: ":"), let hour = pair(text, start),
      let minute = pair(text, start + 3), let second = pair(text, start + 6)
    else { return false }
    (parts.hour, parts.minute, parts.second) = (hour, minute, second)
    return true
  }

  /// A blank and `GMT`, `UTC`, `Z` or `+0100`, or nothing.
  private mutating func readZone(_ text: Span<UInt8>, _ start: Int) -> Bool {
    let count = text.count - start
    if count == 0 { return true }
    guard text[start] == 0x20 else { return false }
    switch count {
    case 2: return text[start + 1] == UInt8(ascii: "Z")
    case 4:
      let (first, second, third) = (text[start + 1], text[start + 2], text[start + 3])
      return (first == UInt8(ascii: "G") && second == UInt8(ascii: "M") && third == UInt8(ascii: "T"))
        || (first == UInt8(ascii: "U") && second == UInt8(ascii: "T") && third == UInt8(ascii: "C"))
    case 6:
      guard let minutes = pair(text, start + 4) else { return false }
      return readOffset(text, start + 1, minutes: minutes)
    default: return false
    }
  }

  private mutating func readOffset(_ text: Span<UInt8>, _ start: Int, minutes: Int) -> Bool {
    guard text[start] == UInt8(ascii: "+") || text[start] == UInt8(ascii: "-"), let hours = pair(text, start + 1) else {
      return false
    }
    parts.offsetMinutes = (hours * 60 + minutes) * (text[start] == UInt8(ascii: "-") ? -1 : 1)
    return true
  }

  private func pair(_ text: Span<UInt8>, _ start: Int) -> Int? {
    guard text[start].isASCIIDigit, text[start + 1].isASCIIDigit else { return nil }
    return Int(text[start] - 0x30) * 10 + Int(text[start + 1] - 0x30)
  }

  private static func month(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int? {
    switch (first | 0x20, second | 0x20, third | 0x20) {
    case (0x6A, 0x61, 0x6E): 1
    case (0x66, 0x65, 0x62): 2
    case (0x6D, 0x61, 0x72): 3
    case (0x61, 0x70, 0x72): 4
    case (0x6D, 0x61, 0x79): 5
    case (0x6A, 0x75, 0x6E): 6
    case (0x6A, 0x75, 0x6C): 7
    case (0x61, 0x75, 0x67): 8
    case (0x73, 0x65, 0x70): 9
    case (0x6F, 0x63, 0x74): 10
    case (0x6E, 0x6F, 0x76): 11
    case (0x64, 0x65, 0x63): 12
    default: nil
    }
  }
}
