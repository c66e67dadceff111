import HTML

/// Makes well-formed XML of a feed document that is not: run only where the strict parser has refused it, since its
/// recover mode loses text without a word.
///
/// Nothing is thrown away but what no reader could use, and everything mended is told. What is mended: bare ampersands
/// and angle brackets, names of entities, control characters, tags that do not match, attributes without quotes or
/// twice, declarations in the wrong place, text around the root, an end in the middle.
struct MarkupRepair {
  let source: [UInt8]
  var index = 0
  var output: [UInt8] = []
  var notes = RepairNotes()
  private var open: [OpenElement] = []
  /// Marks that do not occur behind this place: a search for each opening one would take quadratic time.
  private var absent: Set<String> = []
  private var rootSeen = false
  /// Names that the document's own declarations define.
  var declaredEntities: Set<String> = []

  private struct OpenElement {
    var name: [UInt8]
    /// In lower case: kept, because every end tag may be compared with all that is open.
    var folded: [UInt8]
    var isStructural: Bool
    /// Where its start tag begins in the output.
    var outputStart: Int
  }

  /// Prepares to mend a document in UTF-8.
  init(_ source: [UInt8]) {
    self.source = source
    output.reserveCapacity(source.count + source.count / 16)
  }

  /// The mended document, and a sentence about each kind of thing that was mended.
  mutating func run() -> (bytes: [UInt8], repairs: [String]) {
    while index < source.count, !(rootSeen && open.isEmpty) {
      if source[index] == UInt8(ascii: "<") { markup() } else { text() }
    }
    if index < source.count, source[index...].contains(where: { !$0.isASCIISpace }) {
      note(.afterRoot)
    }
    closeAll()
    return (output, notes.sentences)
  }

  mutating func note(_ kind: RepairNotes.Kind) { notes.add(kind, at: index, in: source) }

  // MARK: Text

  /// Text up to the next `<`.
  private mutating func text() {
    let end = source[index...].firstIndex(of: UInt8(ascii: "<")) ?? source.count
    if open.isEmpty {
      if source[index..<end].contains(where: { !$0.isASCIISpace }) { note(.beforeRoot) }
      index = end
    } else {
      appendText(upTo: end)
    }
  }

  /// Copies text up to `end`: control characters go, references are made sound, an angle bracket becomes one.
  mutating func appendText(upTo end: Int, quote: UInt8? = nil) {
    var start = index
    while index < end {
      let byte = source[index]
      let isPlain =
        byte >= 0x20 && byte != UInt8(ascii: "&") && byte != UInt8(ascii: "<") && byte != 0xEF && byte != quote
      if isPlain || byte == 0x0A || byte == 0x0D || byte == 0x09 {
        index += 1
        continue
      }
      output += source[start..<index]
      appendSpecial(byte, upTo: end)
      start = index
    }
    output += source[start..<end]
    index = end
  }

  private mutating func appendSpecial(_ byte: UInt8, upTo end: Int) {
    switch byte {
    case UInt8(ascii: "&"):
      appendReference(upTo: end)
    case UInt8(ascii: "<"):
      output.append(contentsOf: "&#60;".utf8)
      index += 1
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      output.append(contentsOf: "&#\(byte);".utf8)
      index += 1
    case 0xEF:
      // U+FFFE and U+FFFF are no characters of XML (section 2.2).
      let isNoCharacter =
        source[index...].starts(with: [0xEF, 0xBF, 0xBE]) || source[index...].starts(with: [0xEF, 0xBF, 0xBF])
      if isNoCharacter { note(.controlCharacter) } else { output += source[index..<min(index + 3, end)] }
      index = min(index + 3, end)
    default:
      note(.controlCharacter)
      index += 1
    }
  }

  /// The reference at `index`. All are written as numbers: those no parser can lose.
  private mutating func appendReference(upTo end: Int) {
    let body = source[(index + 1)..<min(end, index + 1 + Self.referenceMax)].prefix { $0 != UInt8(ascii: ";") }
    let isClosed = !body.isEmpty && body.endIndex < end && source[body.endIndex] == UInt8(ascii: ";")
    if isClosed, appendSound(body) {
      index = body.endIndex + 1
    } else {
      note(.ampersand)
      output.append(contentsOf: "&#38;".utf8)
      index += 1
    }
  }

  /// What stands between `&` and `;`, as a reference by number; false if it is none.
  private mutating func appendSound(_ body: ArraySlice<UInt8>) -> Bool {
    if body.first == UInt8(ascii: "#") {
      guard let number = Self.number(body.dropFirst()) else { return false }
      if Self.isCharacter(number) { output += source[index...body.endIndex] } else { note(.controlCharacter) }
      return true
    }
    if let character = Self.predefined(body) {
      output.append(contentsOf: character.utf8)
      return true
    }
    guard body.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }) else {
      return false
    }
    let name = String(decoding: body, as: UTF8.self)
    if declaredEntities.contains(name) {
      output += source[index...body.endIndex]
      return true
    }
    guard let characters = CharacterReferences.text(named: name) else { return false }
    for scalar in characters.unicodeScalars { output.append(contentsOf: "&#\(scalar.value);".utf8) }
    return true
  }

  private static func predefined(_ name: ArraySlice<UInt8>) -> String? {
    switch name.count {
    case 2 where name.elementsEqual("lt".utf8): "&#60;"
    case 2 where name.elementsEqual("gt".utf8): "&#62;"
    case 3 where name.elementsEqual("amp".utf8): "&#38;"
    case 4 where name.elementsEqual("quot".utf8): "&#34;"
    case 4 where name.elementsEqual("apos".utf8): "&#39;"
    default: nil
    }
  }

  /// `8217` or `x2019`.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
    let isHex = digits.first == UInt8(ascii: "x")
    let digits = isHex ? digits.dropFirst() : digits
    guard !digits.isEmpty, digits.count <= 8 else { return nil }
    var value: UInt32 = 0
    for digit in digits {
      let lower = digit | 0x20
      if digit.isASCIIDigit {
        value = value &* (isHex ? 16 : 10) &+ UInt32(digit - 0x30)
      } else if isHex, (0x61...0x66).contains(lower) {
        value = value &* 16 &+ UInt32(lower - 0x61 + 10)
      } else {
        return nil
      }
    }
    return value
  }

  /// A name of HTML's at most, `#x` and a number.
  private static let referenceMax = 40

  /// XML 1.0, section 2.2.
  private static func isCharacter(_ number: UInt32) -> Bool {
    switch number {
    case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  // MARK: Markup

  private mutating func markup() {
    let rest = source[index...]
    if rest.starts(with: "<!--".utf8) {
      // Dropped, for `--` inside would be another error.
      index = end(of: "-->", from: index + 4) ?? end(of: ">", from: index) ?? source.count
    } else if rest.starts(with: "<![CDATA[".utf8) {
      characterData()
    } else if rest.starts(with: "<?".utf8) {
      // The declaration says nothing more once the text is UTF-8, and instructions nothing to a feed's reader.
      index = end(of: "?>", from: index + 2) ?? end(of: ">", from: index) ?? source.count
    } else if rest.starts(with: "<!".utf8) {
      declaration()
    } else if rest.starts(with: "</".utf8) {
      endTag()
    } else if !startTag() {
      if open.isEmpty {
        note(.beforeRoot)
      } else {
        note(.bracket)
        output.append(contentsOf: "&#60;".utf8)
      }
      index += 1
    }
  }

  private mutating func characterData() {
    let start = index + 9
    let close = end(of: "]]>", from: start).map { $0 - 3 } ?? source.count
    guard !open.isEmpty else {
      note(.beforeRoot)
      index = min(close + 3, source.count)
      return
    }
    output.append(contentsOf: "<![CDATA[".utf8)
    index = start
    var from = start
    while index < close {
      let byte = source[index]
      if byte < 0x20, byte != 0x0A, byte != 0x0D, byte != 0x09 {
        output += source[from..<index]
        note(.controlCharacter)
        from = index + 1
      }
      index += 1
    }
    output += source[min(from, close)..<close]
    output.append(contentsOf: "]]>".utf8)
    index = min(close + 3, source.count)
  }

  /// A document type is kept where it may stand, for its entities; every other declaration goes.
  private mutating func declaration() {
    var end = index
    var inSubset = false
    while end < source.count, inSubset || source[end] != UInt8(ascii: ">") {
      if source[end] == UInt8(ascii: "[") { inSubset = true }
      if source[end] == UInt8(ascii: "]") { inSubset = false }
      end += 1
    }
    end = min(end + 1, source.count)
    let text = source[index..<end]
    if !rootSeen, text.starts(with: "<!DOCTYPE".utf8), declaredEntities.isEmpty {
      output += text
      noteEntities(declaredIn: text)
    } else {
      note(.declaration)
    }
    index = end
  }

  private mutating func noteEntities(declaredIn text: ArraySlice<UInt8>) {
    // Over bytes: characters are parted by what stands before them, which here may be anything.
    var rest = text
    while let start = rest.firstIndex(ofASCII: "<!entity") {
      rest = rest[start...].dropFirst("<!entity".utf8.count)
      let name = rest.drop(while: \.isASCIISpace).prefix { !$0.isASCIISpace }
      declaredEntities.insert(String(decoding: name, as: UTF8.self))
    }
  }

  // MARK: Tags

  /// False if what is at `index` is no tag: no name, or no end before the next tag begins.
  private mutating func startTag() -> Bool {
    var tag = TagScanner(source, at: index + 1)
    guard let name = tag.name() else { return false }
    guard tag.findEnd() else { return false }
    let local = Self.local(name)
    let isStructural = Self.structural.contains(local)
    if Self.unnested.contains(local) { closeForItem(named: name) }
    guard open.count < Self.openMax else {
      note(.unclosed)
      index = tag.end
      return true
    }
    open.append(
      OpenElement(name: name, folded: Self.lowercased(name), isStructural: isStructural, outputStart: output.count))
    rootSeen = true
    output.append(UInt8(ascii: "<"))
    output += name
    appendAttributes(&tag)
    output.append(UInt8(ascii: ">"))
    index = tag.position
    if tag.isEmptyElement || (Self.void.contains(local) && !isFollowed(byEndOf: name)) {
      if !tag.isEmptyElement { note(.unclosed) }
      closeLast()
    }
    return true
  }

  /// An item stands in its channel: another item, and whatever else was never closed, ends before it.
  private mutating func closeForItem(named name: [UInt8]) {
    let same = open.lastIndex { $0.name == name }
    let container = open.lastIndex { $0.isStructural && !Self.unnested.contains(Self.local($0.name)) }
    guard let first = same ?? container.map({ $0 + 1 }), first < open.count else { return }
    note(.unclosed)
    close(downTo: first)
  }

  private mutating func appendAttributes(_ tag: inout TagScanner) {
    var seen: Set<[UInt8]> = []
    while let attribute = tag.attribute() {
      guard seen.insert(attribute.name).inserted, seen.count <= Self.attributesMax else {
        note(.attribute)
        continue
      }
      if !attribute.isQuoted { note(.attribute) }
      output.append(UInt8(ascii: " "))
      output += attribute.name
      output.append(contentsOf: "=\"".utf8)
      index = attribute.value.lowerBound
      appendText(upTo: attribute.value.upperBound, quote: UInt8(ascii: "\""))
      output.append(UInt8(ascii: "\""))
    }
  }

  private mutating func endTag() {
    var tag = TagScanner(source, at: index + 2)
    guard let name = tag.name(), tag.findEnd() else {
      note(.bracket)
      if !open.isEmpty { output.append(contentsOf: "&#60;".utf8) }
      index += 1
      return
    }
    let folded = Self.lowercased(name)
    let match = open.lastIndex { $0.name == name } ?? open.lastIndex { $0.folded == folded }
    if let match, open[match].isStructural || !open[(match + 1)...].contains(where: \.isStructural) {
      if match < open.count - 1 { note(.unclosed) }
      close(downTo: match)
    } else {
      note(.stray)
    }
    index = tag.end
  }

  private mutating func close(downTo first: Int) {
    while open.count > first { closeLast() }
  }

  private mutating func closeLast() {
    let element = open.removeLast()
    output.append(contentsOf: "</".utf8)
    output += element.name
    output.append(UInt8(ascii: ">"))
  }

  /// An item that the document breaks off in is left out: half a headline is no headline.
  private mutating func closeAll() {
    guard !open.isEmpty else { return }
    if let item = open.lastIndex(where: { Self.unnested.contains(Self.local($0.name)) }), item < open.count - 1 {
      output.removeLast(output.count - open[item].outputStart)
      open.removeLast(open.count - item)
      note(.brokenItem)
    } else {
      note(.truncated)
    }
    close(downTo: 0)
  }

  private func isFollowed(byEndOf name: [UInt8]) -> Bool {
    let rest = source[index...].drop(while: \.isASCIISpace)
    return rest.starts(with: "</".utf8) && rest.dropFirst(2).starts(with: name)
  }

  /// Where the next `mark` from `start` ends.
  private mutating func end(of mark: String, from start: Int) -> Int? {
    guard start <= source.count, !absent.contains(mark) else { return nil }
    guard let found = source[start...].firstIndex(ofASCII: mark) else {
      absent.insert(mark)
      return nil
    }
    return found + mark.utf8.count
  }

  private static func lowercased(_ name: [UInt8]) -> [UInt8] {
    name.map(\.lowercasedASCII)
  }

  private static func local(_ name: [UInt8]) -> String {
    String(decoding: lowercased(name).split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
  }

  /// Elements that no end tag of another kind closes.
  private static let structural: Set<String> = ["rss", "rdf", "channel", "item", "feed", "entry"]
  /// Elements that are never inside their like.
  private static let unnested: Set<String> = ["item", "entry"]
  /// HTML's empty elements that have no other meaning in a feed.
  private static let void: Set<String> = ["br", "hr", "img", "input", "wbr", "embed", "meta"]
  /// Elements never closed that are kept, well within the depth that the parser takes: the tags of those beyond go.
  private static let openMax = 200
  /// Twice what the parser takes.
  private static let attributesMax = 1024
}
