internal import CLibXML2

/// Where a parse is, as far as the events need it that the visitor does not hear of.
struct XMLParserState {
  let parser: Unmanaged<XMLParser>
  private let limits: XMLLimits
  var names = XMLNameCodes()
  /// Elements open, all of them.
  var depth = 0
  var namespacesDeclared = 0
  /// What the visitor wants of the innermost element that it knows of.
  private var interest = XMLInterest.elements
  /// Elements open inside one whose text is gathered; inside and including one that is of no interest.
  private(set) var depthInside = 0
  /// The numbers of the open elements that the visitor knows of, innermost last.
  private var open: [UInt16] = []
  var text = XMLTextBuffer()

  init(parser: Unmanaged<XMLParser>, limits: XMLLimits) {
    self.parser = parser
    self.limits = limits
  }

  /// Whether text is the visitor's.
  var gathers: Bool { interest != .elements && interest != .nothing }

  /// The limit that the element passes which begins now.
  func excess(_ attributeCount: Int) -> XMLError? {
    if depth > limits.depthMax { return .tooDeep(limit: limits.depthMax) }
    if attributeCount > limits.attributesMax { return .tooLarge(.attributes, limit: limits.attributesMax) }
    return namespacesDeclared > limits.namespacesMax ? .tooLarge(.namespaces, limit: limits.namespacesMax) : nil
  }

  /// The visitor has heard of an element, and wants this of it.
  mutating func begin(_ interest: XMLInterest, _ code: UInt16) {
    self.interest = interest
    if interest == .nothing {
      depthInside = 1
    } else {
      open.append(code)
      if interest != .elements { text.count = 0 }
    }
  }

  /// The innermost element that the visitor knows of ends.
  mutating func endOpen() -> UInt16? {
    if interest == .elements { text.count = 0 }
    interest = .elements
    return open.popLast()
  }

  mutating func startInside(_ local: UnsafePointer<xmlChar>, _ attributes: XMLRawAttributes) {
    depthInside += 1
    if interest == .html || interest == .xhtml { text.appendStartTag(local, attributes) }
  }

  mutating func endInside(_ local: UnsafePointer<xmlChar>) {
    depthInside -= 1
    if interest == .html || interest == .xhtml { text.appendEndTag(local) }
    if depthInside == 0, interest == .nothing { interest = .elements }
  }

  /// False once the text is larger than the limit.
  mutating func gather(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count + piece.count <= limits.textBytesMax else { return false }
    if interest == .xhtml { text.appendEscaped(piece, quotes: false) } else { text.append(piece) }
    return true
  }
}

/// The text of one element as it is gathered. Memory of its own, kept from element to element.
struct XMLTextBuffer {
  private var memory: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  var count = 0

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: memory, count: count) }

  func free() { memory?.deallocate() }

  mutating func append(_ piece: UnsafeBufferPointer<UInt8>) {
    guard let start = piece.baseAddress, !piece.isEmpty else { return }
    if count + piece.count > capacity { grow(toHold: count + piece.count) }
    (memory! + count).update(from: start, count: piece.count)
    count += piece.count
  }

  private mutating func grow(toHold needed: Int) {
    capacity = max(needed, capacity * 2, 4096)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    if let memory {
      larger.update(from: memory, count: count)
      memory.deallocate()
    }
    memory = larger
  }

  private mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func append(_ text: UnsafePointer<xmlChar>) {
    append(UnsafeBufferPointer(start: text, count: Int(xmlStrlen(text))))
  }

  /// Text for HTML: `&`, `<` and `>` as references, and quotes where an attribute needs it.
  mutating func appendEscaped(_ piece: UnsafeBufferPointer<UInt8>, quotes: Bool) {
    var start = 0
    for (index, byte) in piece.enumerated() {
      let reference: StaticString
      switch byte {
      case UInt8(ascii: "&"): reference = "&amp;"
      case UInt8(ascii: "<"): reference = "&lt;"
      case UInt8(ascii: ">"): reference = "&gt;"
      case UInt8(ascii: "\"") where quotes: reference = "&quot;"
      default: continue
      }
      append(UnsafeBufferPointer(rebasing: piece[start..<index]))
      append(reference)
      start = index + 1
    }
    append(UnsafeBufferPointer(rebasing: piece[start...]))
  }

  /// A start tag as HTML has it: the element's name without a prefix, attributes quoted.
  mutating func appendStartTag(_ local: UnsafePointer<xmlChar>, _ attributes: XMLRawAttributes) {
    append("<")
    append(local)
    for index in 0..<attributes.count {
      let attribute = attributes[index]
      append(" ")
      if let prefix = attribute.prefix {
        append(prefix)
        append(":")
      }
      append(attribute.local)
      append("=\"")
      appendEscaped(attribute.value, quotes: true)
      append("\"")
    }
    append(">")
  }

  /// An end tag, where HTML has one.
  mutating func appendEndTag(_ local: UnsafePointer<xmlChar>) {
    guard !htmlVoidElements.contains(String(cString: local)) else { return }
    append("</")
    append(local)
    append(">")
  }
}

/// HTML's elements without an end tag (HTML Standard, section 13.1.2).
private let htmlVoidElements: Set<String> = [
  "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
]
