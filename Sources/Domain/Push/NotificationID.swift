public import Time

/// The name of a notification, spelled as Azure spells it: `NH-{yyyyMMddHHmmssfff}-{32 hex digits}-{2 digits}`.
public struct NotificationID: Hashable, Sendable, CustomStringConvertible {
  /// The spelling.
  public let description: String

  /// A new name, made at `moment`. The moment is there for people; the random part is what makes it unique.
  public init(at moment: Timestamp, using generator: inout some RandomNumberGenerator) {
    let time = moment.civil
    // Written digit by digit: every article gets a name.
    var name: [UInt8] = []
    name.reserveCapacity(56)
    func append(_ number: UInt64, _ width: Int, radix: UInt64 = 10) {
      var unit = (1..<width).reduce(1 as UInt64) { unit, _ in unit * radix }
      while unit > 0 {
        let digit = UInt8(number / unit % radix)
        name.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        unit /= radix
      }
    }
    name += "NH-".utf8
    append(UInt64(max(0, time.year)), 4)
    for number in [time.month, time.day, time.hour, time.minute, time.second] { append(UInt64(number), 2) }
    append(UInt64(time.millisecond), 3)
    name.append(UInt8(ascii: "-"))
    let random: (UInt64, UInt64) = (generator.next(), generator.next())
    append(random.0, 16, radix: 16)
    append(random.1, 16, radix: 16)
    name.append(UInt8(ascii: "-"))
    // A third draw would cost each article a call of the kernel and make nothing more unique.
    append(random.1 % 100, 2)
    description = String(decoding: name, as: UTF8.self)
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
