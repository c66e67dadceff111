/// Reads one tag, forgivingly.
struct TagScanner {
  private let source: [UInt8]
  /// The next byte to read; behind the tag once its attributes are read.
  private(set) var position: Int
  /// Behind the tag's `>`.
  private(set) var end = 0
  private(set) var isEmptyElement = false

  struct Attribute {
    var name: [UInt8]
    var value: Range<Int>
    var isQuoted: Bool
  }

  /// A scanner for the tag whose name begins at `position`.
  init(_ source: [UInt8], at position: Int) {
    self.source = source
    self.position = position
  }

  /// The name, or nil if none begins here.
  mutating func name() -> [UInt8]? {
    guard position < source.count, isNameStart(source[position]) else { return nil }
    let start = position
    while position < source.count, isName(source[position]) { position += 1 }
    return Array(source[start..<position])
  }

  /// Finds the tag's `>`; false if another tag begins or the document ends before.
  mutating func findEnd() -> Bool {
    var quote: UInt8?
    var behindEquals = false
    var cursor = position
    while cursor < source.count {
      let byte = source[cursor]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: ">") {
        end = cursor + 1
        isEmptyElement = cursor > position && source[cursor - 1] == UInt8(ascii: "/")
        return true
      } else if byte == UInt8(ascii: "<") {
        return false
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), behindEquals {
        quote = byte
      }
      if !byte.isASCIISpace { behindEquals = byte == UInt8(ascii: "=") }
      cursor += 1
    }
    // A quote that is never closed: the first bracket ends the tag.
    guard quote != nil, let bracket = source[position...].firstIndex(of: UInt8(ascii: ">")) else { return false }
    end = bracket + 1
    isEmptyElement = source[bracket - 1] == UInt8(ascii: "/")
    return true
  }

  /// The next attribute that has a proper name; nil at the tag's end.
  mutating func attribute() -> Attribute? {
    let close = end - 1
    while position < close {
      guard isNameStart(source[position]) else {
        position += 1
        continue
      }
      let start = position
      while position < close, isName(source[position]) { position += 1 }
      let name = Array(source[start..<position])
      skipBlanks(before: close)
      guard position < close, source[position] == UInt8(ascii: "=") else {
        return Attribute(name: name, value: start..<start, isQuoted: false)
      }
      position += 1
      skipBlanks(before: close)
      return value(of: name, before: close)
    }
    position = end
    return nil
  }

  private mutating func value(of name: [UInt8], before close: Int) -> Attribute {
    if position < close, source[position] == UInt8(ascii: "\"") || source[position] == UInt8(ascii: "'") {
      let quote = source[position]
      let start = position + 1
      if let endQuote = source[start..<close].firstIndex(of: quote) {
        position = endQuote + 1
        return Attribute(name: name, value: start..<endQuote, isQuoted: true)
      }
      position = close
      return Attribute(name: name, value: start..<close, isQuoted: false)
    }
    let start = position
    let last = isEmptyElement ? close - 1 : close
    while position < last, !source[position].isASCIISpace { position += 1 }
    return Attribute(name: name, value: start..<max(start, position), isQuoted: false)
  }

  private mutating func skipBlanks(before close: Int) {
    while position < close, source[position].isASCIISpace { position += 1 }
  }

  private func isNameStart(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte == UInt8(ascii: "_") || byte >= 0x80 }

  private func isName(_ byte: UInt8) -> Bool {
    isNameStart(byte) || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: ":")
  }
}
