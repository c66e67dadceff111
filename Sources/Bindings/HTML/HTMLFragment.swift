// HTML: holds Gumbo: HTML text in, an HTML5 tree out. Never knows a feed.
internal import CGumbo

/// A piece of HTML as a browser would understand it inside a `<div>`: closed, nested and decoded by HTML5's rules.
public struct HTMLFragment: ~Copyable {
  private let memory: tidings_html_memory
  private let root: UnsafeMutablePointer<GumboNode>

  /// Parses UTF-8.
  public init(_ markup: [UInt8], limits: HTMLLimits = .default) throws(HTMLError) {
    guard markup.count <= limits.bytesMax else { throw .tooLarge(limit: limits.bytesMax) }
    try HTMLEffort.check(markup, limits)
    var memory = tidings_html_memory()
    // Never empty, so that there is an address.
    let root = (markup + [0]).withUnsafeBytes {
      tidings_html_parse($0.baseAddress!.assumingMemoryBound(to: CChar.self), markup.count, limits.memoryMax, &memory)?
        .pointee.root
    }
    guard let root else {
      tidings_html_free(&memory)
      throw .tooIntricate(limit: limits.memoryMax)
    }
    self.memory = memory
    self.root = root
  }

  deinit {
    var memory = memory
    tidings_html_free(&memory)
  }

  /// Walks through the tree in document order.
  public func walk(_ visitor: inout some HTMLVisitor) {
    // Node and the next child to visit. A stack of its own: depth is bounded, but not by what a thread's stack holds.
    var open: [(node: UnsafeMutablePointer<GumboNode>, next: Int)] = [(root, 0)]
    while let (node, next) = open.last {
      let children = node.pointee.v.element.children
      guard next < Int(children.length) else {
        open.removeLast()
        if !open.isEmpty { visitor.end(HTMLElement(node: node)) }
        continue
      }
      open[open.count - 1].next += 1
      let child = children.data[next]!.assumingMemoryBound(to: GumboNode.self)
      switch child.pointee.type {
      case GUMBO_NODE_ELEMENT, GUMBO_NODE_TEMPLATE:
        if visitor.start(HTMLElement(node: child)) { open.append((child, 0)) }
      case GUMBO_NODE_TEXT, GUMBO_NODE_WHITESPACE, GUMBO_NODE_CDATA:
        visitor.text(String(cString: child.pointee.v.text.text))
      default: break
      }
    }
  }
}

/// Hears what a fragment holds.
public protocol HTMLVisitor {
  /// An element begins; false passes over all that is in it, its end included.
  mutating func start(_ element: borrowing HTMLElement) -> Bool
  /// An element ends.
  mutating func end(_ element: borrowing HTMLElement)
  /// Text, decoded.
  mutating func text(_ text: String)
}

/// An element of a fragment; valid only during the call that brings it.
public struct HTMLElement: ~Copyable {
  let node: UnsafeMutablePointer<GumboNode>

  /// The name in lower case. Elements that HTML does not know have the name they were written with.
  public var name: String {
    let element = node.pointee.v.element
    guard element.tag == GUMBO_TAG_UNKNOWN else { return String(cString: gumbo_normalized_tagname(element.tag)) }
    var piece = element.original_tag
    gumbo_tag_from_original_text(&piece)
    let bytes = UnsafeRawBufferPointer(start: piece.data, count: piece.data == nil ? 0 : Int(piece.length))
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  /// Whether it is HTML's own, not SVG's or MathML's.
  public var isHTML: Bool { node.pointee.v.element.tag_namespace == GUMBO_NAMESPACE_HTML }

  /// Calls `body` with each attribute's name, in lower case, and its decoded value, in the order written.
  public func forEachAttribute(_ body: (_ name: String, _ value: String) -> Void) {
    let attributes = node.pointee.v.element.attributes
    for index in 0..<Int(attributes.length) {
      let attribute = attributes.data[index]!.assumingMemoryBound(to: GumboAttribute.self).pointee
      body(String(cString: attribute.name), String(cString: attribute.value))
    }
  }
}

/// Why a fragment was not parsed.
public enum HTMLError: Error, Hashable, Sendable {
  /// It is longer than the limit, in bytes.
  case tooLarge(limit: Int)
  /// Its elements are nested more deeply than the limit.
  case tooDeep(limit: Int)
  /// One of its tags has more attributes than the limit.
  case tooManyAttributes(limit: Int)
  /// Its tree needs more memory than the limit, in bytes.
  case tooIntricate(limit: Int)
}

/// How much of a stranger's HTML is parsed.
public struct HTMLLimits: Hashable, Sendable {
  /// Bytes of one fragment: the longest articles of real feeds are around a megabyte.
  public var bytesMax: Int
  /// Elements inside elements; the parser's work for one tag grows with it. Browsers stop at 512.
  public var depthMax: Int
  /// Attributes of one tag; the parser compares each with all others.
  public var attributesMax: Int
  /// Bytes of the tree: about fifteen times an honest source's.
  public var memoryMax: Int

  /// Limits that no honest article meets.
  public static let `default` = HTMLLimits()

  /// Limits; each default is far beyond what articles hold.
  public init(
    bytesMax: Int = 2 << 20, depthMax: Int = 256, attributesMax: Int = 1024, memoryMax: Int = 64 << 20
  ) {
    self.bytesMax = bytesMax
    self.depthMax = depthMax
    self.attributesMax = attributesMax
    self.memoryMax = memoryMax
  }
}
