// How durations and sizes are written: a number with its unit, so that no reader has to guess it.

/// A duration as people write it: `30s`, `15m`, `1h30m`.
enum DurationText {
  /// From long to short, the order in which parts may follow each other.
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// The duration, or nil if this is none: every part a whole number with its unit, long units first, each once.
  static func parse(_ text: String) -> Duration? {
    var rest = text[...]
    var left = units[...]
    var total: Int64 = 0
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      let name = rest.dropFirst(digits.count).prefix { $0.isASCII && $0.isLetter }
      guard let number = Int64(digits), let unit = left.firstIndex(where: { $0.name == name }) else { return nil }
      let (part, tooLarge) = number.multipliedReportingOverflow(by: units[unit].milliseconds)
      let (sum, overflow) = total.addingReportingOverflow(part)
      if tooLarge || overflow { return nil }
      total = sum
      left = left[(unit + 1)...]
      rest = rest.dropFirst(digits.count + name.count)
    }
    return .milliseconds(total)
  }

  /// The shortest text that reads as this duration, to the millisecond.
  static func text(_ duration: Duration) -> String {
    var rest = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    var text = ""
    for unit in units where rest >= unit.milliseconds {
      text += "\(rest / unit.milliseconds)\(unit.name)"
      rest %= unit.milliseconds
    }
    return text.isEmpty ? "0s" : text
  }
}

/// A number of bytes as people write it: `512KiB`, `5MiB`, `10MB`.
enum ByteSize {
  private static let units: [(name: String, bytes: Int)] = [
    ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000),
    ("B", 1),
  ]

  /// The number of bytes, or nil if this is none: a whole number with its unit.
  static func parse(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let name = text.dropFirst(digits.count)
    guard let number = Int(digits), let unit = units.first(where: { $0.name == name }) else { return nil }
    let (bytes, tooLarge) = number.multipliedReportingOverflow(by: unit.bytes)
    return tooLarge ? nil : bytes
  }

  /// In the largest binary unit that leaves a whole number.
  static func text(_ bytes: Int) -> String {
    let unit = units.prefix(3).first { bytes >= $0.bytes && bytes.isMultiple(of: $0.bytes) } ?? ("B", 1)
    return "\(bytes / unit.bytes)\(unit.name)"
  }
}
