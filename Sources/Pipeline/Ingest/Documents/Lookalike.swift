import HTML

extension FeedDocumentError.Lookalike {
  /// What a document is whose root, if it has one, is no feed's.
  static func of(_ bytes: [UInt8], root: String?) -> FeedDocumentError.Lookalike {
    let head = bytes.prefix(headBytes)
    if root?.lowercased() == "opml" || head.firstIndex(ofASCII: "<opml") != nil { return .opml }
    if head.firstIndex(ofASCII: "<html") != nil || head.firstIndex(ofASCII: "<!doctype html") != nil {
      return .webPage(feeds: feeds(linkedBy: bytes))
    }
    if let root { return .xml(root: root) }
    if bytes.starts(with: [0x1F, 0x8B]) { return .other("compressed data (gzip)") }
    if bytes.starts(with: "PK".utf8) { return .other("a ZIP archive") }
    if bytes.starts(with: "%PDF".utf8) { return .other("a PDF") }
    if bytes.prefix(headBytes).contains(where: { $0 < 0x09 }) { return .other("binary data") }
    return .other("text")
  }

  /// A root or a page's first tags stand within it.
  private static let headBytes = 4096

  /// The feeds that a page names in its head (`<link rel="alternate" type="application/rss+xml" href="…">`).
  private static func feeds(linkedBy page: [UInt8]) -> [String] {
    // The head is enough, and spares the parse of a large page.
    guard let fragment = try? HTMLFragment(Array(page.prefix(64 << 10))) else { return [] }
    var finder = FeedLinkFinder()
    fragment.walk(&finder)
    return finder.feeds
  }
}

/// Finds the links to feeds in a page.
private struct FeedLinkFinder: HTMLVisitor {
  private(set) var feeds: [String] = []

  mutating func start(_ element: borrowing HTMLElement) -> Bool {
    guard element.name == "link" else { return true }
    var attributes: [String: String] = [:]
    element.forEachAttribute { attributes[$0] = $1 }
    guard attributes["rel"]?.mentions("alternate") == true, let href = attributes["href"],
      let type = attributes["type"]?.lowercased(),
      type.contains("rss") || type.contains("atom") || type.contains("feed"),
      feeds.count < Self.feedsMax
    else { return true }
    feeds.append(href)
    return true
  }

  mutating func end(_ element: borrowing HTMLElement) {}
  mutating func text(_ text: String) {}

  /// As many as a message can hold.
  private static let feedsMax = 4
}
