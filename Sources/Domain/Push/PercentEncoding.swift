/// `text` as it may stand anywhere in a URL: all but the unreserved characters of RFC 3986, section 2.3, as `%XX` of its
/// UTF-8, with digits of the case given.
func percentEncoded(_ text: some StringProtocol, uppercase: Bool = true) -> String {
  let digits = Array((uppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
  var output: [UInt8] = []
  output.reserveCapacity(text.utf8.count * 2)
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      output.append(byte)
    default:
      output.append(UInt8(ascii: "%"))
      output.append(digits[Int(byte >> 4)])
      output.append(digits[Int(byte & 0xF)])
    }
  }
  return String(decoding: output, as: UTF8.self)
}

/// `text` with every `%XX` turned into its byte; nil when a `%` begins no such thing or the bytes are no UTF-8.
func percentDecoded(_ text: some StringProtocol) -> String? {
  var output: [UInt8] = []
  output.reserveCapacity(text.utf8.count)
  var bytes = text.utf8.makeIterator()
  while let byte = bytes.next() {
    guard byte == UInt8(ascii: "%") else {
      output.append(byte)
      continue
    }
    guard let high = bytes.next().flatMap(hexadecimalValue), let low = bytes.next().flatMap(hexadecimalValue) else {
      return nil
    }
    output.append(high << 4 | low)
  }
  return String(validating: output, as: UTF8.self)
}

private func hexadecimalValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
  default: nil
  }
}
