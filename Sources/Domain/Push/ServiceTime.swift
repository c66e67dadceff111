import Time

/// Dates as the SDKs of Azure's hub and the service itself write them: ISO 8601 with more or fewer parts than RFC 3339.
enum ServiceTime {
  /// What the service answers for "never": the last moment that .NET knows.
  private static let never = "9999-12-31T23:59:59.9999999Z"

  /// The moment that `text` says: RFC 3339; without seconds, without a colon in the zone (`2021-01-01T00:00+0000`, as
  /// iOS writes), without a zone (UTC then); or `MM/dd/yyyy HH:mm:ss`, as .NET's invariant culture writes.
  static func timestamp(_ text: String) -> Timestamp? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 3 {
      return Timestamp(rfc3339: "\(parts[2].prefix(4))-\(parts[0])-\(parts[1])T\(parts[2].dropFirst(5))Z")
    }
    var time = text
    let clock = time.dropFirst(10)
    guard clock.hasPrefix("T") || clock.hasPrefix("t") || clock.hasPrefix(" ") else { return nil }
    var zone = clock.lastIndex { "Zz+-".contains($0) }.map { String(clock[$0...]) } ?? ""
    time.removeLast(zone.count)
    if zone.isEmpty { zone = "Z" }
    if zone.count == 5, !zone.contains(":") { zone.insert(":", at: zone.index(zone.startIndex, offsetBy: 3)) }
    if time.count == "yyyy-MM-ddTHH:mm".count { time += ":00" }
    return Timestamp(rfc3339: time + zone)
  }

  /// Whether `time` is the service's "never", which it also reads.
  static func isNever(_ time: Timestamp) -> Bool { time.civil.year >= 9999 }

  /// The moment as the service writes it, with seven decimals; nil is never.
  static func text(_ time: Timestamp?) -> String {
    guard let time else { return never }
    let civil = time.civil
    let date = "\(digits(civil.year, 4))-\(digits(civil.month, 2))-\(digits(civil.day, 2))"
    let clock = "\(digits(civil.hour, 2)):\(digits(civil.minute, 2)):\(digits(civil.second, 2))"
    return "\(date)T\(clock).\(digits(civil.millisecond, 3))0000Z"
  }
}
