/// What a document's root element says about its format.
struct FeedRoot {
  var format: FeedFormat
  var grammar: any FeedGrammar.Type

  /// Nil if no feed has that root.
  init?(_ name: FeedName, localName: String, namespace: String?, version: String?) {
    switch name.word {
    case .rss:
      self.init(.rss(version: version), RSSFormat.self)
    case .rdf:
      self.init(.rss10, RDFFormat.self)
    case .feed:
      self.init(.atom(namespace: namespace, version: version), AtomFormat.self)
    case .entry where name.space == .atom:
      self.init(.atom(namespace: namespace, version: version), AtomFormat.self)
    case .channel where namespace?.mentions("rss1.1") == true:
      self.init(.rss11, RDFFormat.self)
    case .channel where localName == "CHANNEL":
      self.init(.cdf, CDFFormat.self)
    case .channel:
      // RSS without its wrapper.
      self.init(.rss20, RSSFormat.self)
    default:
      return nil
    }
  }

  private init(_ format: FeedFormat, _ grammar: any FeedGrammar.Type) {
    self.format = format
    self.grammar = grammar
  }
}

extension FeedFormat {
  fileprivate static func rss(version: String?) -> FeedFormat {
    switch version?.prefix(4) {
    case "0.90": .rss090
    case "0.91": .rss091
    case "0.92", "0.93", "0.94": .rss092
    default: .rss20
    }
  }

  fileprivate static func atom(namespace: String?, version: String?) -> FeedFormat {
    let isDraft = namespace.map { $0.mentions("purl.org") || $0.mentions("echo") || $0.mentions("newformat") } ?? false
    return isDraft || version?.hasPrefix("0.") == true ? .atom03 : .atom10
  }
}
