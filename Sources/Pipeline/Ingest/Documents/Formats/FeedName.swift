import XML

/// A name of an element or attribute in a feed: which vocabulary it is from, and which of its words.
struct FeedName: Hashable {
  var space: FeedNamespace
  var word: FeedWord

  init(_ space: FeedNamespace, _ word: FeedWord) {
    self.space = space
    self.word = word
  }

  /// As the number that the XML parser keeps for it.
  var code: UInt16 { UInt16(space.rawValue) << 8 | UInt16(word.rawValue) }

  init(code: UInt16) {
    space = FeedNamespace(rawValue: UInt8(code >> 8)) ?? .other
    word = FeedWord(rawValue: UInt8(truncatingIfNeeded: code)) ?? .other
  }
}

/// The vocabularies that feeds mix. Publishers write their URIs with every slip there is, so a URI is compared without
/// its scheme, case and last punctuation.
enum FeedNamespace: UInt8 {
  /// No namespace, RSS's own, or the one that the document's root has: the words of the format itself.
  case core
  case atom
  case rdf
  case dublinCore
  /// DCMI terms.
  case terms
  case content
  case media
  case iTunes
  case syndication
  case xhtml
  case prism
  case xml
  case other

  init(uri: String?, prefix: String?) {
    if let uri {
      self =
        Self.uris[uri] ?? Self.normalisedURIs[Self.normalised(uri)] ?? (uri.allSatisfy(\.isWhitespace) ? .core : .other)
    } else if let prefix {
      // Nobody declared it, but everybody knows what it means.
      self = Self.prefixes[prefix.lowercased()] ?? .other
    } else {
      self = .core
    }
  }

  private static func normalised(_ uri: String) -> String {
    var text = uri.lowercased()[...]
    for beginning in ["http://", "https://", "www."] where text.hasPrefix(beginning) {
      text = text.dropFirst(beginning.count)
    }
    while let last = text.last, last == "/" || last == "#" || last.isWhitespace { text.removeLast() }
    return String(text)
  }

  private static let normalisedURIs = Dictionary(
    uris.map { (normalised($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })

  private static let uris: [String: FeedNamespace] = [
    "http://www.w3.org/2005/Atom": .atom, "http://purl.org/atom/ns#": .atom, "http://example.com/newformat#": .atom,
    "http://example.com/necho": .atom, "http://purl.org/echo/": .atom, "uri/of/echo/namespace#": .atom,
    "http://purl.org/pie/": .atom,
    "http://purl.org/rss/1.0/": .core, "http://purl.org/net/rss1.1#": .core,
    "http://my.netscape.com/rdf/simple/0.9/": .core, "http://channel.netscape.com/rdf/simple/0.9/": .core,
    "http://my.netscape.com/publish/formats/rss-0.91.dtd": .core, "http://backend.userland.com/rss": .core,
    "http://backend.userland.com/rss2": .core, "http://blogs.law.harvard.edu/tech/rss": .core,
    "http://backend.userland.com/rss091": .core, "http://backend.userland.com/rss092": .core,
    "http://cyber.law.harvard.edu/rss/rss.html": .core, "http://purl.org/net/rss": .core,
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": .rdf,
    "http://purl.org/dc/elements/1.1/": .dublinCore, "http://purl.org/dc/elements/1.0/": .dublinCore,
    "http://purl.org/dc/terms/": .terms, "http://purl.org/rss/1.0/modules/content/": .content,
    "http://search.yahoo.com/mrss/": .media, "http://video.search.yahoo.com/mrss": .media,
    "http://tools.search.yahoo.com/mrss/": .media,
    "http://www.itunes.com/dtds/podcast-1.0.dtd": .iTunes, "http://www.itunes.com/dtds/podcast-2.0.dtd": .iTunes,
    "http://example.com/dtds/podcast-1.0.dtd": .iTunes,
    "http://purl.org/rss/1.0/modules/syndication/": .syndication, "http://www.w3.org/1999/xhtml": .xhtml,
    "http://www.w3.org/XML/1998/namespace": .xml,
    "http://prismstandard.org/namespaces/1.2/basic/": .prism, "http://prismstandard.org/namespaces/2.0/basic/": .prism,
    "http://prismstandard.org/namespaces/basic/1.2/": .prism, "http://prismstandard.org/namespaces/basic/2.0/": .prism,
    "http://prismstandard.org/namespaces/basic/2.1/": .prism, "http://prismstandard.org/namespaces/basic/3.0/": .prism,
    "http://purl.org/rss/1.0/modules/prism/": .prism,
  ]

  private static let prefixes: [String: FeedNamespace] = [
    "atom": .atom, "a10": .atom, "dc": .dublinCore, "dcterms": .terms, "content": .content, "media": .media,
    "itunes": .iTunes, "sy": .syndication, "xhtml": .xhtml, "prism": .prism, "rdf": .rdf, "rss": .core, "xml": .xml,
  ]
}

/// The words that mean something here, in lower case: feeds write `pubDate`, `pubdate` and `PUBDATE`.
enum FeedWord: UInt8, CaseIterable {
  // Structure.
  case rss, rdf, channel, item, items, feed, entry, image, textinput, source, group, opml
  // Texts.
  case title, description, summary, subtitle, tagline, content, encoded, body, div, abstract, fullitem, name, text,
    value
  // Links and identities.
  case link, guid, id, url, uri, href, comments, identifier
  // Dates.
  case pubdate, lastbuilddate, published, updated, issued, modified, created, date, publicationdate, available, valid
  case expirationdate, lastmod, expires
  // People.
  case author, contributor, creator, publisher, managingeditor, webmaster, email, owner, homepage
  // Subjects.
  case category, subject, keywords, language
  // Things attached.
  case enclosure, thumbnail, logo, icon, player
  // How often to come back.
  case ttl, skiphours, skipdays, hour, day, updateperiod, updatefrequency, updatebase
  // Attributes.
  case rel, type, hreflang, length, filesize, domain, term, scheme, label, ispermalink, version, mode, src, base, lang
  case about, resource, medium, height, width, xmlns, isdefault
  case other

  /// Each case is spelled as its word; the usual spellings with capitals are found at once.
  private static let words: [String: FeedWord] = {
    var words = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })
    for name in ["RDF", "pubDate", "lastBuildDate", "isPermaLink", "fileSize", "skipHours", "skipDays", "isDefault"] {
      words[name] = words[name.lowercased()]
    }
    return words
  }()

  init(_ name: String) { self = Self.words[name] ?? Self.words[name.lowercased()] ?? .other }
}
