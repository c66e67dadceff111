extension TemplateCompiler {
  /// Finds the expressions among the attributes and the text of an XML document. Gives the root element's name.
  mutating func compileXML() throws(TemplateError) -> String {
    var scanner = XMLScanner(source)
    while let value = try scanner.next() {
      do throws(TemplateError) {
        let expression = try TemplateExpression(parsing: value.text)
        if expression.kind != .literal { replace(value.range, by: expression, escaping: value.escaping) }
      } catch {
        throw error.at(.init(byte: value.range.lowerBound, of: source))
      }
    }
    return scanner.rootElement
  }
}

/// Walks an XML 1.0 document from value to value and checks on the way that it is well-formed. Knows no DTD: a document
/// that brings one is refused, and with it every entity but the five that need none.
///
/// libxml2 reports values, not where in the source they stand; and where they stand is what a template needs, so that
/// the rest of the document stays as it was written.
struct XMLScanner {
  /// A value of the document, its references resolved.
  struct Value {
    let text: String
    let range: Range<Int>
    let escaping: Escaping
  }

  /// Elements may stand in each other this deep, as deep as arrays and objects in JSON.
  static let depthMax = 128

  private(set) var rootElement = ""
  private let source: [UInt8]
  private var position = 0
  /// The names of the open elements.
  private var open: [ArraySlice<UInt8>] = []
  /// The attributes of the tag that is being read; nil outside of tags.
  private var attributes: Set<ArraySlice<UInt8>>?

  init(_ source: [UInt8]) {
    self.source = source
    if source.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    // A declared encoding is ignored: bodies come as Unicode text, whatever they claim to be.
    if skip("<?xml") { position = source.index(of: "?>", in: position..<source.count).map { $0 + 2 } ?? position }
  }

  /// The next value; nil at the end of a whole document.
  mutating func next() throws(TemplateError) -> Value? {
    while position < source.count {
      if attributes != nil {
        if let value = try attribute() { return value }
      } else if source[position] != UInt8(ascii: "<") {
        if let value = try text() { return value }
      } else if let value = try markup() {
        return value
      }
    }
    guard attributes == nil else { throw error("expected '>', found the end of the document") }
    if let name = open.last { throw error("expected '</\(string(name))>', found the end of the document") }
    guard !rootElement.isEmpty else { throw error("expected an element, found the end of the document") }
    return nil
  }
}

// MARK: - Markup

extension XMLScanner {
  /// Passes one piece of markup; a CDATA section is a value.
  private mutating func markup() throws(TemplateError) -> Value? {
    if skip("<!--") {
      guard let end = source.index(of: "--", in: position..<source.count) else { throw error("expected '-->'") }
      position = end + 2
      guard skip(">") else { throw error("expected '-->': a comment may not hold '--'") }
    } else if skip("<?") {
      guard let end = source.index(of: "?>", in: position..<source.count) else { throw error("expected '?>'") }
      position = end + 2
    } else if skip("<![CDATA[") {
      guard !open.isEmpty else { throw error("text may stand only inside the document's element") }
      guard let end = source.index(of: "]]>", in: position..<source.count) else { throw error("expected ']]>'") }
      defer { position = end + 3 }
      return Value(
        text: try characters(position..<end, resolvingReferences: false), range: position..<end,
        escaping: .xmlCharacterData)
    } else if source[position...].starts(with: "<!".utf8) {
      throw error("a DOCTYPE is not allowed: entities that a document defines itself can grow without bound")
    } else if skip("</") {
      try closingTag()
    } else {
      try openingTag()
    }
    return nil
  }

  private mutating func openingTag() throws(TemplateError) {
    guard !open.isEmpty || rootElement.isEmpty else { throw error("a document has only one outermost element") }
    guard open.count < Self.depthMax else {
      throw error("elements may stand in each other at most \(Self.depthMax) deep")
    }
    position += 1
    let name = try name("an element's name; a bare < is written &lt;")
    if open.isEmpty { rootElement = string(name) }
    open.append(name)
    attributes = []
  }

  private mutating func closingTag() throws(TemplateError) {
    let start = position
    let name = try name("an element's name")
    skipWhitespace()
    guard skip(">") else { throw error("expected '>'") }
    guard let expected = open.popLast() else { throw error("no element is open here", at: start) }
    guard name == expected else {
      throw error("expected '</\(string(expected))>', found '</\(string(name))>'", at: start)
    }
  }

  /// Passes one attribute of the open tag, or its end.
  private mutating func attribute() throws(TemplateError) -> Value? {
    let isSeparated = skipWhitespace()
    if skip(">") {
      attributes = nil
      return nil
    }
    if skip("/>") {
      attributes = nil
      open.removeLast()
      return nil
    }
    guard isSeparated else { throw error("expected a blank, '>' or '/>'") }
    let start = position
    let name = try name("an attribute, '>' or '/>'")
    guard attributes?.insert(name).inserted == true else {
      throw error("the attribute '\(string(name))' is there twice", at: start)
    }
    skipWhitespace()
    guard skip("=") else { throw error("expected '=' after the attribute's name") }
    skipWhitespace()
    guard position < source.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(source[position]) else {
      throw error("expected an attribute's value in quotes")
    }
    let quote = source[position]
    position += 1
    guard let end = source[position...].firstIndex(of: quote) else {
      throw error("the attribute's value has no closing quote")
    }
    if let bracket = source[position..<end].firstIndex(of: UInt8(ascii: "<")) {
      throw error("a < in an attribute's value is written &lt;", at: bracket)
    }
    defer { position = end + 1 }
    return Value(text: try characters(position..<end), range: position..<end, escaping: .xmlAttribute)
  }

  /// Passes the text up to the next markup.
  private mutating func text() throws(TemplateError) -> Value? {
    let end = source[position...].firstIndex(of: UInt8(ascii: "<")) ?? source.count
    let range = position..<end
    if open.isEmpty {
      guard let stray = source[range].firstIndex(where: { !isWhitespace($0) }) else {
        position = end
        return nil
      }
      throw error("text may stand only inside the document's element", at: stray)
    }
    if let bracket = source.index(of: "]]>", in: range) {
      throw error("a ]]> in text is written ]]&gt;", at: bracket)
    }
    defer { position = end }
    return Value(text: try characters(range), range: range, escaping: .xmlText)
  }
}

// MARK: - Characters

extension XMLScanner {
  /// The characters of `range`.
  private func characters(_ range: Range<Int>, resolvingReferences: Bool = true) throws(TemplateError) -> String {
    if let illegal = source[range].firstIndex(where: { $0 < 0x20 && !isWhitespace($0) }) {
      throw error("XML allows no control characters", at: illegal)
    }
    var output: [UInt8] = []
    output.reserveCapacity(range.count)
    var position = range.lowerBound
    while position < range.upperBound {
      guard source[position] == UInt8(ascii: "&"), resolvingReferences else {
        output.append(source[position])
        position += 1
        continue
      }
      // The longest that means anything is &#x10FFFF; with some leading zeros.
      let semicolon = source[position..<min(position + 16, range.upperBound)].firstIndex(of: UInt8(ascii: ";"))
      guard let semicolon, let scalar = scalar(of: string(source[(position + 1)..<semicolon])) else {
        throw error(
          "expected &amp; &lt; &gt; &quot; &apos; or a numeric reference; a bare & is written &amp;", at: position)
      }
      output.append(contentsOf: UTF8.encode(scalar)!)
      position = semicolon + 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private func scalar(of reference: String) -> Unicode.Scalar? {
    switch reference {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let isHexadecimal = reference.hasPrefix("#x")
      guard reference.hasPrefix("#"),
        let number = UInt32(reference.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10),
        let scalar = Unicode.Scalar(number), scalar.isXMLCharacter
      else { return nil }
      return scalar
    }
  }

  private mutating func name(_ wanted: String) throws(TemplateError) -> ArraySlice<UInt8> {
    let start = position
    while position < source.count, isNameByte(source[position], first: position == start) { position += 1 }
    guard position > start else { throw error("expected \(wanted)") }
    return source[start..<position]
  }

  /// Every character beyond ASCII is taken for one of a name: the few that are none harm nobody here.
  private func isNameByte(_ byte: UInt8, first: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: ":"), 0x80...0xFF:
      true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !first
    default: false
    }
  }

  private func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  @discardableResult
  private mutating func skipWhitespace() -> Bool {
    let start = position
    while position < source.count, isWhitespace(source[position]) { position += 1 }
    return position > start
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let bytes = text.description.utf8
    guard source[position...].starts(with: bytes) else { return false }
    position += bytes.count
    return true
  }

  private func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private func error(_ advice: String, at offset: Int? = nil) -> TemplateError {
    .bodyNotDeserialized(advice, at: .init(byte: offset ?? position, of: source))
  }
}

extension [UInt8] {
  /// Where `text` first begins that lies in `range`.
  fileprivate func index(of text: StaticString, in range: Range<Int>) -> Int? {
    let bytes = Array(text.description.utf8)
    guard range.count >= bytes.count else { return nil }
    return (range.lowerBound...(range.upperBound - bytes.count)).first { start in
      self[start] == bytes[0] && self[start..<(start + bytes.count)].elementsEqual(bytes)
    }
  }
}
