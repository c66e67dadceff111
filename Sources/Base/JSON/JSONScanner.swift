/// Walks a JSON text token by token and says where in the source each stands. Strict: what RFC 8259 does not allow is
/// an error, and so is text after the value.
///
///     var scanner = JSONScanner(bytes)
///     while let token = try scanner.next() {
///       if case .string(let text) = token { note(text, at: scanner.range) }
///     }
///
/// One pass, no recursion, no allocation but for the strings it hands out.
public struct JSONScanner: Sendable {
  /// One step through the text. Commas and colons are checked and passed over.
  public enum Token: Hashable, Sendable {
    case beginObject
    case endObject
    case beginArray
    case endArray
    /// The key of a member; its value comes next.
    case key(String)
    /// A string that is a value.
    case string(String)
    case number(JSONNumber)
    case bool(Bool)
    case null
  }

  /// Arrays and objects may stand in each other this deep; deeper text is an attack, not a document.
  public static let depthMax = 128

  /// The bytes that are read.
  public let source: [UInt8]
  /// The bytes of `source` that the last token takes; a string's include its quotes.
  public private(set) var range: Range<Int> = 0..<0
  /// How many arrays and objects are open.
  public private(set) var depth = 0

  private var position = 0
  private var expected = Expectation.value
  /// One bit for each open container, the innermost lowest: 1 is an object. `depthMax` is its width.
  private var objects: UInt128 = 0

  private enum Expectation {
    case value, valueOrEnd, keyOrEnd, key, commaOrEnd, end
  }

  /// A scanner at the beginning of `source`, UTF-8.
  public init(_ source: [UInt8]) { self.source = source }

  /// The next token; nil after the whole text was read.
  public mutating func next() throws(JSONError) -> Token? {
    skipWhitespace()
    if expected == .commaOrEnd && byte == UInt8(ascii: ",") {
      position += 1
      expected = isInObject ? .key : .value
      skipWhitespace()
    }
    switch expected {
    case .value: return try value()
    case .valueOrEnd: return byte == UInt8(ascii: "]") ? close(.endArray) : try value()
    case .key: return try key()
    case .keyOrEnd: return byte == UInt8(ascii: "}") ? close(.endObject) : try key()
    case .commaOrEnd:
      guard byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
        throw unexpected(isInObject ? "a comma or '}' after a member" : "a comma or ']' after an element")
      }
      return close(isInObject ? .endObject : .endArray)
    case .end:
      guard position == source.count else { throw unexpected("nothing more after the value") }
      return nil
    }
  }
}

// MARK: - Structure

extension JSONScanner {
  private var isInObject: Bool { objects & 1 == 1 }

  /// The byte to be read; 0, which no token starts with, at the end.
  private var byte: UInt8 { position < source.count ? source[position] : 0 }

  private mutating func skipWhitespace() {
    while position < source.count {
      switch source[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  private mutating func value() throws(JSONError) -> Token {
    switch byte {
    case UInt8(ascii: "\""):
      let text = try string()
      finishValue()
      return .string(text)
    case UInt8(ascii: "{"): return try open(object: true)
    case UInt8(ascii: "["): return try open(object: false)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let spelling = try number()
      finishValue()
      return .number(spelling)
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw unexpected("a value (a string in double quotes, a number, an object, an array, true, false or null)")
    }
  }

  private mutating func key() throws(JSONError) -> Token {
    guard byte == UInt8(ascii: "\"") else {
      throw unexpected(expected == .key ? "a key in double quotes after the comma" : "a key in double quotes or '}'")
    }
    let text = try string()
    skipWhitespace()
    guard byte == UInt8(ascii: ":") else { throw unexpected("a colon after the key") }
    position += 1
    expected = .value
    return .key(text)
  }

  private mutating func open(object isObject: Bool) throws(JSONError) -> Token {
    guard depth < Self.depthMax else {
      throw error("arrays and objects may stand in each other at most \(Self.depthMax) deep")
    }
    depth += 1
    objects = objects << 1 | (isObject ? 1 : 0)
    expected = isObject ? .keyOrEnd : .valueOrEnd
    range = position..<position + 1
    position += 1
    return isObject ? .beginObject : .beginArray
  }

  private mutating func close(_ token: Token) -> Token {
    depth -= 1
    objects >>= 1
    range = position..<position + 1
    position += 1
    finishValue()
    return token
  }

  private mutating func finishValue() { expected = depth == 0 ? .end : .commaOrEnd }

  private mutating func word(_ word: StaticString, _ token: Token) throws(JSONError) -> Token {
    let text = word.description
    let end = position + text.utf8.count
    guard end <= source.count, source[position..<end].elementsEqual(text.utf8) else {
      throw unexpected("\(text), spelled out in lower case")
    }
    range = position..<end
    position = end
    finishValue()
    return token
  }
}

// MARK: - Strings and numbers

extension JSONScanner {
  /// Reads a string from its opening to past its closing quote.
  private mutating func string() throws(JSONError) -> String {
    let start = position
    let end = endOfRun(from: start + 1)
    position = end
    switch byte {
    case UInt8(ascii: "\""):
      // The usual string: as it stands in the source.
      position = end + 1
      range = start..<position
      return try text(in: (start + 1)..<end)
    case UInt8(ascii: "\\"): return try escapedString(from: start)
    default: throw stringBroken(from: start)
    }
  }

  /// Where what stands for itself ends: at a quote, a backslash, a control character or the end of the source.
  private func endOfRun(from start: Int) -> Int {
    let source = source.span
    var end = start
    while end < source.count {
      let byte = source[end]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      end += 1
    }
    return end
  }

  /// The string that began at `start`, read up to its first backslash at `position`.
  private mutating func escapedString(from start: Int) throws(JSONError) -> String {
    var text = Array(source[(start + 1)..<position])
    while byte == UInt8(ascii: "\\") {
      text.append(contentsOf: try escape())
      let end = endOfRun(from: position)
      text.append(contentsOf: source[position..<end])
      position = end
    }
    guard byte == UInt8(ascii: "\"") else { throw stringBroken(from: start) }
    position += 1
    range = start..<position
    guard let string = String(validating: text, as: UTF8.self) else {
      // Escapes put in only whole scalars, so the fault stands in the source as well.
      throw notUTF8(in: (start + 1)..<(position - 1))
    }
    return string
  }

  private func text(in range: Range<Int>) throws(JSONError) -> String {
    do throws(UTF8.ValidationError) {
      return String(copying: try UTF8Span(validating: source.span.extracting(range)))
    } catch {
      throw notUTF8(at: range.lowerBound + error.byteOffsets.lowerBound)
    }
  }

  private mutating func escape() throws(JSONError) -> String.UTF8View {
    position += 1
    let letter = byte
    position += 1
    switch letter {
    case UInt8(ascii: "\""): return "\"".utf8
    case UInt8(ascii: "\\"): return "\\".utf8
    case UInt8(ascii: "/"): return "/".utf8
    case UInt8(ascii: "b"): return "\u{8}".utf8
    case UInt8(ascii: "f"): return "\u{C}".utf8
    case UInt8(ascii: "n"): return "\n".utf8
    case UInt8(ascii: "r"): return "\r".utf8
    case UInt8(ascii: "t"): return "\t".utf8
    case UInt8(ascii: "u"): return String(try escapedScalar()).utf8
    default:
      position -= 1
      throw unexpected(#"one of " \ / b f n r t u after a backslash"#)
    }
  }

  /// The scalar of `\uXXXX`, joined with a second escape when the two are a surrogate pair. A surrogate alone is legal
  /// by the grammar yet no character (RFC 8259, section 8.2): it becomes U+FFFD, so that one of them costs one
  /// character and not a document.
  private mutating func escapedScalar() throws(JSONError) -> Character {
    let high = try hexadecimalUnit()
    if let scalar = Unicode.Scalar(high) { return Character(scalar) }
    guard (0xD800...0xDBFF).contains(high), byte == UInt8(ascii: "\\"), position + 1 < source.count,
      source[position + 1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let beforeSecond = position
    position += 2
    let low = try hexadecimalUnit()
    guard (0xDC00...0xDFFF).contains(low) else {
      position = beforeSecond
      return "\u{FFFD}"
    }
    let scalar = Unicode.Scalar(0x10000 + (UInt32(high - 0xD800) << 10 | UInt32(low - 0xDC00)))
    return scalar.map { Character($0) } ?? "\u{FFFD}"
  }

  private mutating func hexadecimalUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw unexpected(#"four hexadecimal digits after \u"#)
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// Reads `-? (0 | [1-9] digits) (. digits)? ([eE] [+-]? digits)?`.
  private mutating func number() throws(JSONError) -> JSONNumber {
    let start = position
    if byte == UInt8(ascii: "-") { position += 1 }
    if byte == UInt8(ascii: "0") {
      position += 1
      if isDigit { throw unexpected("no digit after a leading zero") }
    } else {
      try digits()
    }
    if byte == UInt8(ascii: ".") {
      position += 1
      try digits()
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      position += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
    range = start..<position
    return JSONNumber(trusted: String(decoding: source[range], as: UTF8.self))
  }

  private var isDigit: Bool { byte &- UInt8(ascii: "0") < 10 }

  private mutating func digits() throws(JSONError) {
    guard isDigit else { throw unexpected("a digit") }
    while isDigit { position += 1 }
  }
}

// MARK: - Faults

extension JSONScanner {
  private func error(_ message: String) -> JSONError { JSONError(message, at: position, of: source) }

  private func unexpected(_ wanted: String) -> JSONError { error("expected \(wanted), found \(found)") }

  /// What stands at `position`, for a message.
  private var found: String {
    guard position < source.count else { return "the end of the text" }
    if position == 0 && source.starts(with: [0xEF, 0xBB, 0xBF]) { return "a byte order mark" }
    let rest = String(decoding: source[position..<min(position + 4, source.count)], as: UTF8.self)
    guard let scalar = rest.unicodeScalars.first else { return "nothing" }
    if scalar.value < 0x20 || scalar.value == 0x7F {
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "the control character U+" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return scalar == "\u{FFFD}" ? "a byte that is no UTF-8" : "'\(scalar)'"
  }

  /// A string that a control character or the end of the text broke off at `position`.
  private func stringBroken(from start: Int) -> JSONError {
    position < source.count
      ? unexpected(#"control characters in a string to be written as escapes such as \n"#)
      : JSONError("the string that begins here has no closing quote", at: start, of: source)
  }

  private func notUTF8(in range: Range<Int>) -> JSONError {
    do throws(JSONError) {
      _ = try text(in: range)
      return notUTF8(at: range.lowerBound)
    } catch {
      return error
    }
  }

  private func notUTF8(at offset: Int) -> JSONError {
    JSONError("expected UTF-8, found a byte sequence that is none", at: offset, of: source)
  }
}
