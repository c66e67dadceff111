internal import CLibXML2

/// Hears what a document holds, in document order.
///
/// Names come as numbers that the visitor itself has given: libxml2 interns names, so that each distinct one costs a
/// comparison of strings only once a document.
public protocol XMLVisitor: AnyObject {
  /// The visitor's own number for a name of an element or attribute; asked once a document for each distinct name.
  func code(for name: XMLName) -> UInt16

  /// An element begins.
  func start(_ element: borrowing XMLElement) throws(XMLStop)

  /// The innermost open element ends.
  func end(_ element: borrowing XMLEndElement) throws(XMLStop)

  /// Text of the innermost open element, a piece of it: one text may come in several. Line ends are newlines, except
  /// inside CDATA, where they are as written.
  func text(_ text: borrowing XMLText) throws(XMLStop)

  /// What a named entity stands for that neither XML nor the document defines; nil keeps it as written.
  func entity(named name: String) -> String?
}

/// Thrown by a visitor to end the parse, which then throws `XMLError.stopped`. The reason is the visitor's to keep.
public struct XMLStop: Error {
  /// Ends the parse.
  public init() {}
}

/// The name of an element or attribute.
public struct XMLName: Hashable, Sendable {
  /// The namespace's URI; nil where there is none or its prefix was never declared.
  public let namespace: String?
  /// The prefix as written.
  public let prefix: String?
  /// The name without its prefix.
  public let local: String
}

/// The beginning of an element; valid only during the call that brings it.
public struct XMLElement: ~Copyable {
  /// The visitor's number for the element's name.
  public let code: UInt16
  let local: UnsafePointer<xmlChar>
  let prefix: UnsafePointer<xmlChar>?
  let attributes: XMLRawAttributes
  let parser: XMLParser

  /// How many attributes it has.
  public var attributeCount: Int { attributes.count }

  /// The name without its prefix.
  public var localName: String { String(cString: local) }

  /// The visitor's number for the name of an attribute.
  public func code(at index: Int) -> UInt16 {
    let attribute = attributes[index]
    return parser.code(attribute.local, attribute.prefix, attribute.namespace)
  }

  /// The value of an attribute.
  public func value(at index: Int) -> String { attributes[index].string }

  /// The value of the attribute with that number.
  public subscript(code: UInt16) -> String? {
    for index in 0..<attributes.count where self.code(at: index) == code { return value(at: index) }
    return nil
  }

  /// Calls `body` with each attribute's name, as written, and its value.
  public func forEachAttribute(_ body: (_ name: String, _ value: String) -> Void) {
    for index in 0..<attributes.count {
      let attribute = attributes[index]
      let prefix = attribute.prefix.map { String(cString: $0) + ":" } ?? ""
      body(prefix + String(cString: attribute.local), attribute.string)
    }
  }

  /// Writes the element's start tag as HTML: the name without a namespace's prefix, attributes quoted.
  public func appendStartTag(to markup: inout [UInt8]) {
    markup.append(UInt8(ascii: "<"))
    markup.append(contentsOf: localName.utf8)
    for index in 0..<attributes.count {
      let attribute = attributes[index]
      markup.append(UInt8(ascii: " "))
      if let prefix = attribute.prefix {
        markup.append(contentsOf: String(cString: prefix).utf8)
        markup.append(UInt8(ascii: ":"))
      }
      markup.append(contentsOf: String(cString: attribute.local).utf8)
      markup.append(contentsOf: [UInt8(ascii: "="), UInt8(ascii: "\"")])
      appendEscaped(attribute.value, quotes: true, to: &markup)
      markup.append(UInt8(ascii: "\""))
    }
    markup.append(UInt8(ascii: ">"))
  }
}

/// The end of an element; valid only during the call that brings it.
public struct XMLEndElement: ~Copyable {
  /// The visitor's number for the element's name.
  public let code: UInt16
  let local: UnsafePointer<xmlChar>

  /// Writes the element's end tag as HTML; nothing for the elements that have none there.
  public func appendEndTag(to markup: inout [UInt8]) {
    let name = String(cString: local)
    guard !htmlVoidElements.contains(name) else { return }
    markup.append(contentsOf: [UInt8(ascii: "<"), UInt8(ascii: "/")])
    markup.append(contentsOf: name.utf8)
    markup.append(UInt8(ascii: ">"))
  }
}

/// HTML's elements without an end tag (HTML Standard, section 13.1.2).
private let htmlVoidElements: Set<String> = [
  "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
]

/// A piece of text; valid only during the call that brings it.
public struct XMLText: ~Copyable {
  let bytes: UnsafeBufferPointer<UInt8>

  /// Its length in bytes of UTF-8.
  public var count: Int { bytes.count }

  /// Whether it is nothing but white space.
  public var isBlank: Bool { bytes.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 } }

  /// Appends it, in UTF-8.
  public func append(to buffer: inout [UInt8]) { buffer.append(contentsOf: bytes) }

  /// Appends it with `&`, `<` and `>` as references, for HTML or XML.
  public func appendEscaped(to markup: inout [UInt8]) { XML.appendEscaped(bytes, quotes: false, to: &markup) }
}

/// libxml2's array of attributes: five pointers each – local name, prefix, namespace, the value's begin and its end.
struct XMLRawAttributes {
  let first: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
  let count: Int

  struct Attribute {
    let local: UnsafePointer<xmlChar>
    let prefix: UnsafePointer<xmlChar>?
    let namespace: UnsafePointer<xmlChar>?
    let value: UnsafeBufferPointer<UInt8>

    var string: String { String(decoding: value, as: UTF8.self) }
  }

  subscript(index: Int) -> Attribute {
    let fields = first! + index * 5
    return Attribute(
      local: fields[0]!, prefix: fields[1], namespace: fields[2],
      value: UnsafeBufferPointer(start: fields[3], count: fields[4]! - fields[3]!))
  }
}

private func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>, quotes: Bool, to markup: inout [UInt8]) {
  var start = 0
  for (index, byte) in bytes.enumerated() {
    let reference: StaticString
    switch byte {
    case UInt8(ascii: "&"): reference = "&amp;"
    case UInt8(ascii: "<"): reference = "&lt;"
    case UInt8(ascii: ">"): reference = "&gt;"
    case UInt8(ascii: "\"") where quotes: reference = "&quot;"
    default: continue
    }
    markup.append(contentsOf: bytes[start..<index])
    markup.append(contentsOf: UnsafeBufferPointer(start: reference.utf8Start, count: reference.utf8CodeUnitCount))
    start = index + 1
  }
  markup.append(contentsOf: bytes[start...])
}
