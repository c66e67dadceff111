/// Why a document gives no items.
public enum FeedDocumentError: Error, Sendable, Hashable {
  /// It is something else.
  case notAFeed(Lookalike)
  /// It is XML or JSON, but broken beyond mending: the place and what is wrong there.
  case unreadable(line: Int, column: Int, String)
  /// A part of it is larger than the limit: which part, and the limit in its unit.
  case tooLarge(String, limit: Int)
  /// Its elements are nested more deeply than the limit.
  case tooDeep(limit: Int)

  /// What a document is that is no feed.
  public enum Lookalike: Sendable, Hashable {
    /// Nothing but white space.
    case empty
    /// A web page, with the feeds that it points to.
    case webPage(feeds: [String])
    /// XML with another root element.
    case xml(root: String)
    /// JSON that is no JSON Feed.
    case json
    /// A list of feeds.
    case opml
    /// Compressed or binary data, or text.
    case other(String)
  }
}

extension FeedDocumentError: CustomStringConvertible {
  /// What is wrong, and what would be right.
  public var description: String {
    switch self {
    case .notAFeed(let lookalike): lookalike.description
    case .unreadable(let line, let column, let message): "\(line):\(column): \(message)"
    case .tooLarge(let part, let limit): "\(part) is larger than the limit of \(limit)"
    case .tooDeep(let limit): "elements are nested more than \(limit) deep"
    }
  }
}

extension FeedDocumentError.Lookalike: CustomStringConvertible {
  /// What it is, and what would be right.
  public var description: String {
    switch self {
    case .empty: "the document is empty; a feed was expected (RSS, Atom or JSON Feed)"
    case .webPage(let feeds) where feeds.isEmpty:
      "this is a web page, not a feed; give the address of its RSS, Atom or JSON Feed document"
    case .webPage(let feeds): "this is a web page, not a feed; it names as its feed: \(feeds.joined(separator: ", "))"
    case .xml(let root): "this is XML with the root <\(root)>; a feed has <rss>, <feed> or <rdf:RDF>"
    case .json: "this is JSON, but no JSON Feed: its `version` is to be https://jsonfeed.org/version/1.1"
    case .opml: "this is a list of feeds (OPML); import it with `tidings feeds import`"
    case .other(let what): "this is \(what); a feed was expected (RSS, Atom or JSON Feed)"
    }
  }
}
