internal import CLibXML2

/// Hears what a document holds, in document order, as far as it is interested.
///
/// Names come as numbers that the visitor itself has given: libxml2 interns names, so that each distinct one costs a
/// comparison of strings only once a document.
public protocol XMLVisitor: AnyObject {
  /// The visitor's own number for a name of an element or attribute; asked once a document for each distinct name.
  func code(for name: XMLName) -> UInt16

  /// An element begins; the answer says what of it is wanted.
  func start(_ element: borrowing XMLElement) throws(XMLStop) -> XMLInterest

  /// An element ends: one of interest, and not inside one whose text is gathered.
  func end(_ element: borrowing XMLEndElement) throws(XMLStop)

  /// What a named entity stands for that neither XML nor the document defines; nil keeps it as written.
  func entity(named name: String) -> String?
}

/// What a visitor wants of an element.
public enum XMLInterest: Sendable, Hashable {
  /// The elements in it, each for itself.
  case elements
  /// Its text and that of all elements in it, as one.
  case text
  /// Its text, which is HTML already, with the tags of the elements in it.
  case html
  /// The elements in it as HTML; its text is text, and escaped.
  case xhtml
  /// Neither it nor what is in it.
  case nothing
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
  let attributes: XMLRawAttributes
  let state: UnsafeMutablePointer<XMLParserState>
  let visitor: any XMLVisitor

  /// The name without its prefix.
  public var localName: String { String(cString: local) }

  /// How many attributes it has; namespace declarations are none.
  public var attributeCount: Int { attributes.count }

  /// The visitor's number for the name of an attribute.
  public func code(at index: Int) -> UInt16 {
    let attribute = attributes[index]
    return state.pointee.names.code(attribute.local, attribute.prefix, attribute.namespace, visitor: visitor)
  }

  /// The name of an attribute without its prefix.
  public func localName(at index: Int) -> String { String(cString: attributes[index].local) }

  /// The value of an attribute.
  public func value(at index: Int) -> String { String(decoding: attributes[index].value, as: UTF8.self) }

  /// The value of the attribute with that number.
  public subscript(code: UInt16) -> String? {
    for index in 0..<attributes.count where self.code(at: index) == code { return value(at: index) }
    return nil
  }
}

/// The end of an element; valid only during the call that brings it.
public struct XMLEndElement: ~Copyable {
  /// The visitor's number for the element's name.
  public let code: UInt16
  let state: UnsafeMutablePointer<XMLParserState>

  /// The text that was gathered, in UTF-8; empty if only elements were wanted. Line ends are newlines, except inside
  /// CDATA, where they are as written.
  public var text: [UInt8] { Array(state.pointee.text.bytes) }
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
  }

  subscript(index: Int) -> Attribute {
    let fields = first! + index * 5
    return Attribute(
      local: fields[0]!, prefix: fields[1], namespace: fields[2],
      value: UnsafeBufferPointer(start: fields[3], count: fields[4]! - fields[3]!))
  }
}
