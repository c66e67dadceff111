extension Timestamp: CustomStringConvertible {
  /// The moment in RFC 3339, UTC: `2026-11-30T19:22:00Z`, with `.mmm` only where there are milliseconds.
  public var rfc3339: String {
    let time = civil
    var text = padded(time.year, to: 4)
    text += "-" + padded(time.month, to: 2) + "-" + padded(time.day, to: 2)
    text += "T" + padded(time.hour, to: 2) + ":" + padded(time.minute, to: 2) + ":" + padded(time.second, to: 2)
    if time.millisecond != 0 { text += "." + padded(time.millisecond, to: 3) }
    return text + "Z"
  }

  /// The moment in RFC 3339.
  public var description: String { rfc3339 }

  /// Reads an RFC 3339 date-time: `2026-11-30T19:22:00Z`, `…T20:22:00.5+01:00`; `t`, `z` and a blank for `T` are
  /// legal there (section 5.6). Digits past the millisecond are dropped. Nil for anything else.
  public init?(rfc3339 text: some StringProtocol) {
    var reader = DigitReader(text.utf8)
    guard let year = reader.number(of: 4), reader.skip("-"), let month = reader.number(of: 2), reader.skip("-"),
      let day = reader.number(of: 2), reader.skip("T", "t", " "), let hour = reader.number(of: 2), reader.skip(":"),
      let minute = reader.number(of: 2), reader.skip(":"), let second = reader.number(of: 2)
    else { return nil }
    var millisecond = 0
    if reader.skip(".") {
      guard let fraction = reader.fraction() else { return nil }
      millisecond = fraction
    }
    var offset = Duration.zero
    if !reader.skip("Z", "z") {
      let east = reader.skip("+")
      guard east || reader.skip("-"), let hours = reader.number(of: 2), reader.skip(":"),
        let minutes = reader.number(of: 2), hours < 24, minutes < 60
      else { return nil }
      offset = .seconds((hours * 60 + minutes) * 60 * (east ? 1 : -1))
    }
    guard reader.isAtEnd,
      let local = Timestamp.civil(
        year: year, month: month, day: day, hour: hour, minute: minute, second: second, millisecond: millisecond)
    else { return nil }
    self = local - offset
  }
}

/// Reads fixed-width numbers out of ASCII text.
private struct DigitReader {
  private var bytes: ArraySlice<UInt8>

  init(_ text: some Sequence<UInt8>) {
    bytes = Array(text)[...]
  }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func number(of width: Int) -> Int? {
    guard bytes.count >= width else { return nil }
    var value = 0
    for byte in bytes.prefix(width) {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    bytes = bytes.dropFirst(width)
    return value
  }

  /// At least one digit, as thousandths.
  mutating func fraction() -> Int? {
    let digits = bytes.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return nil }
    bytes = bytes.dropFirst(digits.count)
    return (0..<3).reduce(0) { value, position in
      value * 10 + (position < digits.count ? Int(digits[digits.startIndex + position] - 0x30) : 0)
    }
  }

  mutating func skip(_ characters: Unicode.Scalar...) -> Bool {
    guard let first = bytes.first, characters.contains(Unicode.Scalar(first)) else { return false }
    bytes = bytes.dropFirst()
    return true
  }
}

private func padded(_ number: Int, to width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
