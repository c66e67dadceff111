import HTML

/// Takes tags out of text and reads its references, once.
struct TagStripper {
  private let source: ArraySlice<UInt8>
  private let markup: PlainText.Markup
  private var output = TextCollector()
  private var index: Int
  /// What pictures say instead of being seen.
  private(set) var alternatives: [UInt8] = []
  private var pairs: (opened: Set<String>, closed: Set<String>)?
  /// Elements that HTML does not know, of which tags were found.
  private var strangers: Set<String> = []

  init(_ source: ArraySlice<UInt8>, markup: PlainText.Markup) {
    self.source = source
    self.markup = markup
    index = source.startIndex
  }

  /// The text.
  mutating func run() -> [UInt8] {
    var start = index
    while index < source.endIndex {
      let byte = source[index]
      guard byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") else {
        index += 1
        continue
      }
      output.append(source[start..<index])
      start = index
      // What is no markup stays in the text, and the search goes on behind its first byte.
      if byte == UInt8(ascii: "<") ? tag() : reference() { start = index } else { index += 1 }
    }
    output.append(source[start...])
    return output.finish()
  }

  /// Whether a text holds references or complete tags that another reading would find.
  static func readsAsMarkup(_ text: ArraySlice<UInt8>) -> Bool {
    var stripper = TagStripper(text, markup: .text)
    while let next = text[stripper.index...].firstIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) {
      stripper.index = next
      if text[next] == UInt8(ascii: "<") ? stripper.tag() : stripper.reference() { return true }
      stripper.index = next + 1
    }
    return false
  }

  // MARK: Tags

  /// Passes over a tag, comment or declaration at `index`; false if it is none.
  private mutating func tag() -> Bool {
    let rest = source[index...]
    if rest.starts(with: "<!--".utf8) {
      index = end(of: "-->", from: index + 4)
      return true
    }
    if rest.starts(with: "<![CDATA[".utf8) {
      let close = end(of: "]]>", from: index + 9)
      output.append(source[(index + 9)..<max(index + 9, close - 3)])
      index = close
      return true
    }
    let closes = rest.dropFirst().first == UInt8(ascii: "/")
    let nameStart = index + (closes ? 2 : 1)
    guard nameStart < source.endIndex, source[nameStart].isASCIILetter || source[nameStart] == UInt8(ascii: "!") else {
      return false
    }
    let nameEnd = source[nameStart...].firstIndex { !isNameByte($0) } ?? source.endIndex
    guard let close = tagEnd(from: nameEnd) else { return false }
    let name = String(decoding: source[nameStart..<nameEnd], as: UTF8.self).lowercased()
    guard isTag(name, closes: closes, attributes: source[nameEnd..<close]) else { return false }
    if name == "img" || name == "image" { noteAlternative(source[nameEnd..<close]) }
    index = close + 1
    if !closes, HTMLNames.unseen.contains(name) { index = end(of: "</" + name, from: index, thenThrough: true) }
    if HTMLNames.breaking.contains(name) { output.blank() }
    return true
  }

  /// Whether a complete tag is one, and no text about tags. Elements that HTML does not know are text, unless they have
  /// attributes, as drawings do. In what claims to be plain text, a lone inline tag without attributes is text, too:
  /// "The <b> element".
  private mutating func isTag(_ name: String, closes: Bool, attributes: ArraySlice<UInt8>) -> Bool {
    if !HTMLNames.known.contains(name), !name.contains(":"), !name.hasPrefix("!") {
      if closes { return strangers.contains(name) }
      guard attributes.firstIndex(ofASCII: "=\"") != nil || attributes.firstIndex(ofASCII: "='") != nil else {
        return false
      }
      strangers.insert(name)
      return true
    }
    guard markup == .text, !HTMLNames.breaking.contains(name) else { return true }
    if attributes.contains(UInt8(ascii: "=")) || name == "img" { return true }
    let names = pairs ?? tagNames()
    pairs = names
    return closes ? names.opened.contains(name) : names.closed.contains(name)
  }

  /// The names that tags open and close anywhere in the source. Found once: a search at every tag would be quadratic.
  private func tagNames() -> (opened: Set<String>, closed: Set<String>) {
    var names: (opened: Set<String>, closed: Set<String>) = ([], [])
    var position = source.startIndex
    while let open = source[position...].firstIndex(of: UInt8(ascii: "<")) {
      let closes = source[open...].dropFirst().first == UInt8(ascii: "/")
      let bytes = source[open...].dropFirst(closes ? 2 : 1).prefix { isNameByte($0) }
      let name = String(decoding: bytes, as: UTF8.self).lowercased()
      if closes { names.closed.insert(name) } else { names.opened.insert(name) }
      position = bytes.endIndex > open ? bytes.endIndex : open + 1
    }
    return names
  }

  /// The `>` that ends a tag, quoted ones passed over; nil if a `<` comes first or none comes at all.
  private func tagEnd(from start: Int) -> Int? {
    var quote: UInt8?
    var position = start
    while position < source.endIndex {
      let byte = source[position]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        // A quote is one only behind `=`: `<it's>`.
        let before = source[start..<position].trimmed.last
        if before == UInt8(ascii: "=") { quote = byte }
      } else if byte == UInt8(ascii: ">") {
        return position
      } else if byte == UInt8(ascii: "<") {
        return nil
      }
      position += 1
    }
    // A quote that never closes: the first `>` it is.
    return quote == nil ? nil : source[start...].firstIndex(of: UInt8(ascii: ">"))
  }

  private mutating func noteAlternative(_ attributes: ArraySlice<UInt8>) {
    for name in ["alt=", "title="] {
      guard let found = attributes.firstIndex(ofASCII: name) else { continue }
      let value = attributes[(found + name.utf8.count)...]
      guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { continue }
      let text = value.dropFirst().prefix { $0 != quote }
      guard !text.trimmed.isEmpty else { continue }
      var reader = TagStripper(text, markup: .text)
      alternatives += reader.run() + [0x20]
      return
    }
  }

  // MARK: References

  /// Reads a reference at `index` into the output; false if it is none.
  private mutating func reference() -> Bool {
    let rest = source[(index + 1)...]
    guard let first = rest.first else { return false }
    if first == UInt8(ascii: "#") { return numericReference(rest.dropFirst()) }
    let name = rest.prefix(Self.nameMax).prefix { $0.isASCIILetter || $0.isASCIIDigit }
    guard !name.isEmpty else { return false }
    let text = String(decoding: name, as: UTF8.self)
    let next = source[name.endIndex...].first
    guard next == UInt8(ascii: ";") || (CharacterReferences.needsNoSemicolon(text) && next != UInt8(ascii: "=")),
      let characters = CharacterReferences.text(named: text)
    else { return false }
    for scalar in characters.unicodeScalars { output.append(scalar) }
    index = name.endIndex + (next == UInt8(ascii: ";") ? 1 : 0)
    return true
  }

  /// The longest name is `CounterClockwiseContourIntegral`.
  private static let nameMax = 32

  private mutating func numericReference(_ rest: ArraySlice<UInt8>) -> Bool {
    let isHex = rest.first.map { $0 | 0x20 } == UInt8(ascii: "x")
    let digits = (isHex ? rest.dropFirst() : rest).prefix(8).prefix {
      $0.isASCIIDigit || (isHex && (0x61...0x66).contains($0 | 0x20))
    }
    guard let number = UInt32(String(decoding: digits, as: UTF8.self), radix: isHex ? 16 : 10) else { return false }
    output.append(CharacterReferences.scalar(numbered: number))
    index = digits.endIndex
    if index < source.endIndex, source[index] == UInt8(ascii: ";") { index += 1 }
    return true
  }

  // MARK: Searching

  private func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
      || byte == UInt8(ascii: "!")
  }

  /// Where the text behind the next `mark` begins, or with `thenThrough` behind the `>` that follows it; the end of
  /// the source if there is none.
  private func end(of mark: String, from start: Int, thenThrough: Bool = false) -> Int {
    guard start < source.endIndex, let found = source[start...].firstIndex(ofASCII: mark) else {
      return source.endIndex
    }
    let end = found + mark.utf8.count
    guard thenThrough else { return end }
    return source[end...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? source.endIndex
  }
}
