/// A number as it was spelled: `1.50` stays `1.50`, and a 30-digit identifier loses none of its digits.
///
/// Two numbers are equal when they are spelled alike.
public struct JSONNumber: Hashable, Sendable {
  /// The number's text, always legal JSON.
  public let spelling: String

  /// The number written as `spelling`; nil unless it is one by the grammar of RFC 8259, section 6.
  public init?(_ spelling: some StringProtocol) {
    var scanner = JSONScanner(Array(spelling.utf8))
    guard let first = spelling.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
      case .number(let number)? = try? scanner.next(), scanner.range.upperBound == spelling.utf8.count
    else { return nil }
    self = number
  }

  /// A whole number.
  public init(_ value: Int) { spelling = String(value) }

  /// A double; nil for infinities and NaN, which JSON cannot say.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    spelling = String(describing: value)
  }

  init(trusted spelling: String) { self.spelling = spelling }

  /// The value, when an `Int` holds it exactly.
  public var int: Int? { Int(spelling) ?? Double(spelling).flatMap { Int(exactly: $0) } }

  /// The nearest double; infinite beyond a double's range.
  public var double: Double { Double(spelling) ?? .nan }
}

extension JSONNumber: CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// The spelling.
  public var description: String { spelling }
  /// A whole number.
  public init(integerLiteral value: Int) { self.init(value) }
}
