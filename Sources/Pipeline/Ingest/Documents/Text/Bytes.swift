// Bytes of text: what the standard library has for characters, at the speed of bytes.

extension UInt8 {
  var isASCIISpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
  var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
  /// Upper-case ASCII as lower case, everything else as it is.
  var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension Span<UInt8> {
  /// Where its text begins and ends without the white space at both ends.
  var trimmedBounds: (start: Int, end: Int) {
    var start = 0
    var end = count
    while start < end, self[start].isASCIISpace { start += 1 }
    while end > start, self[end - 1].isASCIISpace { end -= 1 }
    return (start, end)
  }
}

extension ArraySlice<UInt8> {
  /// Without the white space at both ends.
  var trimmed: ArraySlice<UInt8> {
    let (start, end) = span.trimmedBounds
    return self[(startIndex + start)..<(startIndex + end)]
  }

  /// Where `part`, lower case, is found first, ASCII letters of either case.
  func firstIndex(ofASCII part: String) -> Int? {
    let part = Array(part.utf8)
    guard let first = part.first, count >= part.count else { return nil }
    for index in startIndex...(endIndex - part.count) where self[index].lowercasedASCII == first {
      var matched = 1
      while matched < part.count, self[index + matched].lowercasedASCII == part[matched] { matched += 1 }
      if matched == part.count { return index }
    }
    return nil
  }
}

extension StringProtocol {
  /// Without the ASCII white space at both ends.
  var trimmedASCII: String { String(decoding: Array(utf8)[...].trimmed, as: UTF8.self) }

  /// Whether `part`, lower case, is in it, ASCII letters of either case.
  func mentions(_ part: String) -> Bool { Array(utf8)[...].firstIndex(ofASCII: part) != nil }

  /// Whether it is nothing but ASCII white space.
  var isBlank: Bool { utf8.allSatisfy(\.isASCIISpace) }
}
