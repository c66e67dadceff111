import Time

/// Reads the two families of dates from one text.
struct DateScanner {
  private var rest: ArraySlice<UInt8>
  private var parts = DateParts()

  init(_ text: ArraySlice<UInt8>) { rest = text }

  // MARK: ISO 8601

  /// `2006-01-02T15:04:05.678+01:00` and narrower: a year, a month, a day, `20060102`, `2006-002` (the day of the
  /// year), `2006-W01-1`; the time after `T` or a blank, to the hour, minute or second; slashes and dots for hyphens.
  mutating func iso8601() -> DateParts? {
    let digits = rest.prefix { $0.isASCIIDigit }.count
    if digits == 8 { return compactDate() }
    guard digits == 4, let year = number(digits: 4...4) else { return nil }
    parts.year = year
    if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "/") || first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard dateAfterYear(separator: first) else { return nil }
    }
    return timeAndEnd()
  }

  /// `20060102`, alone or before `T`.
  private mutating func compactDate() -> DateParts? {
    guard let date = number(digits: 8...8), rest.isEmpty || rest.first.map({ $0 | 0x20 }) == UInt8(ascii: "t") else {
      return nil
    }
    (parts.year, parts.month, parts.day) = (date / 10_000, date / 100 % 100, date % 100)
    return timeAndEnd()
  }

  private mutating func dateAfterYear(separator: UInt8) -> Bool {
    if separator == UInt8(ascii: "-"), skip("W", "w") { return week() }
    let digits = rest.prefix { $0.isASCIIDigit }.count
    if digits == 3 {
      guard let day = number(digits: 3...3) else { return false }
      return setDayOfYear(day)
    }
    guard let month = number(digits: 1...2) else { return false }
    parts.month = month
    guard rest.first == separator else { return true }
    rest.removeFirst()
    guard let day = number(digits: 1...2) else { return false }
    parts.day = day
    return true
  }

  /// `2006-W01-1`: the week that holds the year's first Thursday is its first (ISO 8601, section 3.2.2).
  private mutating func week() -> Bool {
    guard let week = number(digits: 2...2), (1...53).contains(week), let year = parts.year else { return false }
    var weekday = 1
    if skip("-") {
      guard let day = number(digits: 1...1), (1...7).contains(day) else { return false }
      weekday = day
    }
    let fourth = CivilTime(year: year, month: 1, day: 4)
    let mondayFirst = (fourth.weekday + 6) % 7
    return setDayOfYear(4 - mondayFirst + (week - 1) * 7 + weekday - 1)
  }

  /// Day 1 is January 1; days before and after the year are its neighbours'.
  private mutating func setDayOfYear(_ day: Int) -> Bool {
    guard let year = parts.year, let newYear = Timestamp.civil(year: year, month: 1, day: 1) else { return false }
    let civil = (newYear + .seconds((day - 1) * 86_400)).civil
    (parts.year, parts.month, parts.day) = (civil.year, civil.month, civil.day)
    return true
  }

  private mutating func timeAndEnd() -> DateParts? {
    skipBlanks()
    if skip("T", "t") { skipBlanks() }
    if rest.first?.isASCIIDigit == true {
      guard time() else { return nil }
      guard zoneAndEnd() else { return nil }
      return parts
    }
    return rest.isEmpty || zoneAndEnd() ? parts : nil
  }

  /// What may follow a time: AM or PM, a zone, a remark in parentheses; nothing else.
  private mutating func zoneAndEnd() -> Bool {
    while true {
      skipBlanks()
      guard let first = rest.first else { return true }
      if first == UInt8(ascii: "+") || first == UInt8(ascii: "-") {
        guard offset() else { return false }
      } else if first == UInt8(ascii: "(") {
        skipRemark()
      } else if first.isASCIILetter {
        let word = word()
        if let afternoon = DateWords.afternoon(word) {
          parts.afternoon = afternoon
        } else {
          parts.offsetMinutes = DateWords.offsetMinutes(word) ?? parts.offsetMinutes
        }
      } else {
        return false
      }
    }
  }

  // MARK: RFC 822 and its kin

  /// `Mon, 02 Jan 2006 15:04:05 -0700` and whatever holds the same words and numbers in another order: the day may
  /// follow the month, the year the zone, the month may be a number or in another language.
  mutating func words() -> DateParts? {
    if let epoch = epochSeconds() { return epoch }
    var wordsUnknown = 0
    while let first = rest.first {
      if first.isASCIIDigit {
        guard numberOrTime() else { return nil }
      } else if (first == UInt8(ascii: "+") || first == UInt8(ascii: "-")) && parts.hasTime {
        // A hyphen before a year that is still missing only joins: `02-Jan-2006`.
        guard offset() else { return nil }
      } else if first == UInt8(ascii: "(") {
        skipRemark()
      } else if first.isASCIILetter || first >= 0x80 {
        guard take(word()) else {
          // A weekday in a language not known here; but prose is no date.
          wordsUnknown += 1
          guard wordsUnknown <= 2 else { return nil }
          continue
        }
      } else {
        rest.removeFirst()
      }
    }
    // Two numbers without a word for the month are a time or a fraction of a date, not one.
    return parts.year != nil && parts.month != nil && parts.day != nil ? parts : nil
  }

  /// Ten digits are seconds since 1970, thirteen milliseconds.
  private mutating func epochSeconds() -> DateParts? {
    guard rest.allSatisfy(\.isASCIIDigit), rest.count == 10 || rest.count == 13,
      let value = Int(String(decoding: rest, as: UTF8.self))
    else { return nil }
    parts.epochSeconds = rest.count == 13 ? value / 1000 : value
    return parts
  }

  private mutating func take(_ word: String) -> Bool {
    if let month = DateWords.month(word), parts.month == nil {
      parts.month = month
    } else if let afternoon = DateWords.afternoon(word) {
      parts.afternoon = afternoon
    } else if parts.hasTime {
      parts.offsetMinutes = DateWords.offsetMinutes(word) ?? parts.offsetMinutes
    } else {
      return DateWords.isWeekday(word)
    }
    return true
  }

  private mutating func numberOrTime() -> Bool {
    let digits = rest.prefix { $0.isASCIIDigit }.count
    let next = rest.dropFirst(digits).first
    if next == UInt8(ascii: ":"), digits <= 2, !parts.hasTime { return time() }
    guard digits <= 4, let value = number(digits: 1...4) else { return false }
    // Chinese, Japanese and Korean name what a number is, behind it.
    if let unit = DateWords.unit(rest) {
      rest = rest.dropFirst(3)
      switch unit {
      case .year: parts.year = value
      case .month: parts.month = value
      case .day: parts.day = value
      case .hour: (parts.hour, parts.hasTime) = (value, true)
      case .minute: parts.minute = value
      case .second: parts.second = value
      }
      return true
    }
    if digits == 4 {
      guard parts.year == nil else { return false }
      parts.year = value
    } else if parts.month == nil, next == UInt8(ascii: "/") || next == UInt8(ascii: ".") {
      return numericDate(first: value)
    } else if parts.day == nil {
      parts.day = value
    } else if parts.year == nil {
      // RFC 2822, section 4.3.
      parts.year = digits == 3 || value >= 50 ? 1900 + value : 2000 + value
    } else if !parts.hasTime, value < 24,
      next.map({ $0 | 0x20 }).map({ $0 == 0x61 || $0 == 0x70 || $0 == 0x20 }) ?? false
    {
      (parts.hour, parts.hasTime) = (value, true)
    } else {
      return false
    }
    return true
  }

  /// `25.12.2006` has the day first, `12/25/2006` the month – unless the number says otherwise; `25. Dezember` is a
  /// day alone.
  private mutating func numericDate(first: Int) -> Bool {
    guard let separator = rest.popFirst(), rest.first?.isASCIIDigit == true else {
      parts.day = first
      return true
    }
    guard let second = number(digits: 1...2) else { return false }
    let dayFirst = separator == UInt8(ascii: ".") ? second <= 12 : first > 12
    (parts.day, parts.month) = dayFirst ? (first, second) : (second, first)
    return true
  }

  // MARK: Parts of both

  /// `15`, `15:04`, `15:04:05.678`, `150405`.
  private mutating func time() -> Bool {
    parts.hasTime = true
    let digits = rest.prefix { $0.isASCIIDigit }.count
    if digits == 4 || digits == 6 {
      guard let value = number(digits: digits...digits) else { return false }
      let clock = digits == 4 ? value * 100 : value
      (parts.hour, parts.minute, parts.second) = (clock / 10_000, clock / 100 % 100, clock % 100)
      fraction()
      return true
    }
    guard let hour = number(digits: 1...2) else { return false }
    parts.hour = hour
    guard skip(":") else { return true }
    guard let minute = number(digits: 1...2) else { return false }
    parts.minute = minute
    guard skip(":") else { return true }
    guard let second = number(digits: 1...2) else { return false }
    parts.second = second
    fraction()
    return true
  }

  private mutating func fraction() {
    guard let first = rest.first, first == UInt8(ascii: ".") || first == UInt8(ascii: ","),
      rest.dropFirst().first?.isASCIIDigit == true
    else { return }
    rest.removeFirst()
    var scale = 100
    while let digit = rest.first, digit.isASCIIDigit {
      parts.millisecond += Int(digit - 0x30) * scale
      scale /= 10
      rest.removeFirst()
    }
  }

  /// `+0100`, `+01:00`, `+1`, `-08`. More than one counts together: `GMT+0100`.
  private mutating func offset() -> Bool {
    let sign = rest.removeFirst() == UInt8(ascii: "-") ? -1 : 1
    let digits = rest.prefix { $0.isASCIIDigit }.count
    guard digits > 0, let value = number(digits: 1...4) else { return rest.isEmpty || rest.first?.isASCIISpace == true }
    var minutes = digits <= 2 ? value * 60 : value / 100 * 60 + value % 100
    if digits <= 2, skip(":") { minutes += number(digits: 1...2) ?? 0 }
    parts.offsetMinutes = sign * minutes
    return true
  }

  private mutating func number(digits: ClosedRange<Int>) -> Int? {
    var value = 0
    var count = 0
    while count < digits.upperBound, let digit = rest.first, digit.isASCIIDigit {
      value = value * 10 + Int(digit - 0x30)
      count += 1
      rest.removeFirst()
    }
    return count >= digits.lowerBound ? value : nil
  }

  /// Letters of any script, in lower case, and the dots between them (`a.m.`, `févr.`) left out.
  private mutating func word() -> String {
    let end =
      rest.firstIndex { !$0.isASCIILetter && $0 < 0x80 && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "'") }
      ?? rest.endIndex
    defer { rest = rest[end...] }
    return String(decoding: rest[..<end].filter { $0 != UInt8(ascii: ".") }, as: UTF8.self).lowercased()
  }

  private mutating func skip(_ characters: Unicode.Scalar...) -> Bool {
    guard let first = rest.first, characters.contains(Unicode.Scalar(first)) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func skipBlanks() {
    while rest.first?.isASCIISpace == true { rest.removeFirst() }
  }

  private mutating func skipRemark() {
    let end = rest.firstIndex(of: UInt8(ascii: ")")).map { $0 + 1 } ?? rest.endIndex
    rest = rest[end...]
  }
}
