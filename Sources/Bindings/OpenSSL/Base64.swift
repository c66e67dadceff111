/// Base64 (RFC 4648), in Swift: OpenSSL's own decoder cannot tell padding from zero bytes and knows no URL alphabet.
public enum Base64: Sendable {
  /// `+` and `/`, padded with `=` (RFC 4648, section 4).
  case standard
  /// `-` and `_`, without padding (RFC 4648, section 5, as RFC 7515 uses it).
  case url

  /// `bytes` as text.
  public func encode(_ bytes: [UInt8]) -> String {
    let digits = self == .url ? Self.urlDigits : Self.standardDigits
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
      for position in 0...group.count {
        text.append(digits[Int(bits >> (18 - 6 * UInt32(position)) & 0x3F)])
      }
      if self == .standard { text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - group.count)) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that `text` stands for; nil when it is not exactly what `encode` gives for some bytes. In the URL
  /// alphabet padding is accepted.
  public func decode(_ text: some StringProtocol) -> [UInt8]? {
    let characters = Array(text.utf8)
    let digits = characters.prefix { $0 != UInt8(ascii: "=") }
    let padding = characters.count - digits.count
    guard characters[digits.count...].allSatisfy({ $0 == UInt8(ascii: "=") }), digits.count % 4 != 1,
      padding == (4 - digits.count % 4) % 4 || padding == 0 && self == .url
    else { return nil }

    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        bits &= (1 << bitCount) - 1
      }
    }
    // Bits that belong to no byte must be zero, or two texts would mean the same bytes.
    return bits == 0 ? bytes : nil
  }

  private func value(of digit: UInt8) -> UInt32? {
    switch (digit, self) {
    case (UInt8(ascii: "A")...UInt8(ascii: "Z"), _): UInt32(digit - UInt8(ascii: "A"))
    case (UInt8(ascii: "a")...UInt8(ascii: "z"), _): UInt32(digit - UInt8(ascii: "a")) + 26
    case (UInt8(ascii: "0")...UInt8(ascii: "9"), _): UInt32(digit - UInt8(ascii: "0")) + 52
    case (UInt8(ascii: "+"), .standard), (UInt8(ascii: "-"), .url): 62
    case (UInt8(ascii: "/"), .standard), (UInt8(ascii: "_"), .url): 63
    default: nil
    }
  }

  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  private static let standardDigits = Array((letters + "+/").utf8)
  private static let urlDigits = Array((letters + "-_").utf8)
}

/// Bytes as lower-case hexadecimal digits, two each.
public func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
}
