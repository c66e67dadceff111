/// A list of feeds as readers exchange it: OPML 1.0, 1.1 and 2.0.
public struct FeedList: Sendable, Hashable {
  /// A feed of the list.
  public struct Entry: Sendable, Hashable {
    /// The feed's address, as written.
    public var url: String
    /// What the list calls it.
    public var title: String?
    /// The page that the feed is about.
    public var page: String?
    /// The language that the list says it is in.
    public var language: String?
    /// Where it is filed, each a way from the outermost folder inwards: the outlines around it, then its own categories.
    public var folders: [[String]]
    /// The line of the document on which it stands, from 1; nil in a list that a program made.
    public var line: Int?

    /// A feed of a list.
    public init(
      url: String, title: String? = nil, page: String? = nil, language: String? = nil, folders: [[String]] = [],
      line: Int? = nil
    ) {
      self.url = url
      self.title = title
      self.page = page
      self.language = language
      self.folders = folders
      self.line = line
    }
  }

  /// The feeds in document order; no address stands twice.
  public var entries: [Entry]
  /// What was wrong with the document and has been mended, and what was left out, a sentence each.
  public var repairs: [String]

  /// A list of feeds.
  public init(_ entries: [Entry], repairs: [String] = []) {
    self.entries = entries
    self.repairs = repairs
  }

  /// The longest document, in bytes: ten times the longest list that people exchange.
  public static let documentBytesMax = 16 << 20
  /// The most feeds of a list: one poller does not follow more.
  public static let entriesMax = 50_000
  /// The deepest nesting of outlines.
  public static let depthMax = 64
}

/// Why a document is no list of feeds.
public enum FeedListError: Error, Sendable, Hashable, CustomStringConvertible {
  /// It has another root element than `opml`, or none.
  case notOPML(root: String?)
  /// It is broken beyond mending: the place and what is wrong there.
  case unreadable(line: Int, column: Int, String)
  /// It is larger than a bound allows: what of it, and the bound.
  case tooLarge(String, limit: Int)

  /// What is wrong, and what would be right; begins with `line:column: ` where there is a place.
  public var description: String {
    switch self {
    case .notOPML(let root?): "this is XML with the root <\(root)>; a list of feeds has <opml>"
    case .notOPML(nil): "this is no XML; a list of feeds is an OPML document"
    case .unreadable(let line, let column, let message): "\(line):\(column): \(message)"
    case .tooLarge(let part, let limit): "\(part) is beyond the limit of \(limit)"
    }
  }
}
