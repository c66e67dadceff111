public import Time

/// The name of a notification, spelled as Azure spells it: `NH-{yyyyMMddHHmmssfff}-{32 hex digits}-{2 digits}`.
public struct NotificationID: Hashable, Sendable, CustomStringConvertible {
  /// The spelling.
  public let description: String

  /// A new name, made at `moment`. The moment is there for people; the random part is what makes it unique.
  public init(at moment: Timestamp, using generator: inout some RandomNumberGenerator) {
    let time = moment.civil
    let stamp =
      digits(time.year, 4) + digits(time.month, 2) + digits(time.day, 2) + digits(time.hour, 2)
      + digits(time.minute, 2) + digits(time.second, 2) + digits(time.millisecond, 3)
    let random = (0..<2).map { _ in digits(UInt64.random(in: .min ... .max, using: &generator), 16, radix: 16) }
    let shard = digits(Int.random(in: 0...99, using: &generator), 2)
    description = "NH-\(stamp)-\(random.joined())-\(shard)"
  }

  /// A new name, made at `moment`, from the system's generator.
  public init(at moment: Timestamp) {
    var generator = SystemRandomNumberGenerator()
    self.init(at: moment, using: &generator)
  }

  /// The name that `text` spells; nil when it spells none.
  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard parts.count == 4, parts[0].elementsEqual("NH".utf8), parts[1].count == 17, parts[1].allSatisfy(isDigit),
      parts[2].count == 32,
      parts[2].allSatisfy({ isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }),
      parts[3].count == 2, parts[3].allSatisfy(isDigit)
    else { return nil }
    description = text
  }
}

/// `number` with at least `width` digits.
func digits(_ number: some BinaryInteger, _ width: Int, radix: Int = 10) -> String {
  let text = String(number, radix: radix)
  return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
}
