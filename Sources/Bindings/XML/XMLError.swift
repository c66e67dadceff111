/// A place in a document.
public struct XMLPlace: Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// The column in bytes, from 1.
  public let column: Int

  /// `line:column`.
  public var description: String { "\(line):\(column)" }
}

/// Why a document was not read to its end.
public enum XMLError: Error, Sendable, Hashable {
  /// It is not well-formed, there, because of that.
  case illFormed(XMLPlace, String)
  /// Its root element is complete, but something follows that no document may hold there.
  case contentAfterRoot(XMLPlace)
  /// Its elements are nested more deeply than the limit.
  case tooDeep(limit: Int)
  /// A part of it is larger than the limit.
  case tooLarge(Part, limit: Int)
  /// The visitor ended the parse.
  case stopped

  /// What a limit is about.
  public enum Part: String, Sendable, Hashable {
    /// The bytes of one piece given to the parser.
    case document
    /// The text gathered for one element.
    case text
    /// The bytes of all distinct names.
    case names
    /// The attributes of one element.
    case attributes
    /// The namespaces declared in the document.
    case namespaces
    /// The bytes that the document's own entities expand to.
    case entities
  }
}

/// How much of a stranger's document the parser takes.
public struct XMLLimits: Sendable, Hashable {
  /// Elements inside elements. HTML inside a feed stays under 100.
  public var depthMax: Int
  /// Bytes of the text gathered for one element.
  public var textBytesMax: Int
  /// Bytes of all distinct names in the document, roughly: some thousand names.
  public var nameBytesMax: Int
  /// Attributes of one element.
  public var attributesMax: Int
  /// Namespace declarations in the whole document: libxml2 searches them one by one for every name.
  public var namespacesMax: Int
  /// Bytes that the entities of the internal subset expand to, altogether: they are for abbreviations.
  public var entityBytesMax: Int

  /// Limits that no honest document meets.
  public static let `default` = XMLLimits()

  /// Limits; each default is far beyond what feeds and templates hold.
  public init(
    depthMax: Int = 256, textBytesMax: Int = 8 << 20, nameBytesMax: Int = 64 << 10, attributesMax: Int = 512,
    namespacesMax: Int = 4096, entityBytesMax: Int = 1 << 20
  ) {
    self.depthMax = depthMax
    self.textBytesMax = textBytesMax
    self.nameBytesMax = nameBytesMax
    self.attributesMax = attributesMax
    self.namespacesMax = namespacesMax
    self.entityBytesMax = entityBytesMax
  }
}
