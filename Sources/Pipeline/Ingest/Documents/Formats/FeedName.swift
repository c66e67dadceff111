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
  case rawVoice
  case xml
  case other

  init(uri: String?, prefix: String?) {
    if let uri {
      self = Self.uris[Self.normalised(uri)] ?? (uri.allSatisfy(\.isWhitespace) ? .core : .other)
    } else if let prefix {
      // Nobody declared it, but everybody knows what it means.
      self = Self.prefixes[prefix.lowercased()] ?? .other
    } else {
      self = .core
    }
  }

  private static func normalised(_ uri: String) -> String {
    var text = uri.lowercased()[...]
    for scheme in ["http://", "https://"] where text.hasPrefix(scheme) { text = text.dropFirst(scheme.count) }
    if text.hasPrefix("www.") { text = text.dropFirst(4) }
    while let last = text.last, last == "/" || last == "#" || last.isWhitespace { text = text.dropLast() }
    return String(text)
  }

  private static let uris: [String: FeedNamespace] = [
    "w3.org/2005/atom": .atom, "purl.org/atom/ns": .atom, "purl.org/atom/app": .other, "example.com/newformat": .atom,
    "example.com/necho": .atom, "purl.org/echo": .atom, "uri/of/echo/namespace": .atom, "purl.org/pie": .atom,
    "purl.org/rss/1.0": .core, "purl.org/net/rss1.1": .core, "my.netscape.com/rdf/simple/0.9": .core,
    "channel.netscape.com/rdf/simple/0.9": .core, "my.netscape.com/publish/formats/rss-0.91.dtd": .core,
    "backend.userland.com/rss": .core, "backend.userland.com/rss2": .core, "blogs.law.harvard.edu/tech/rss": .core,
    "backend.userland.com/rss091": .core, "backend.userland.com/rss092": .core,
    "cyber.law.harvard.edu/rss/rss.html": .core,
    "purl.org/net/rss": .core,
    "w3.org/1999/02/22-rdf-syntax-ns": .rdf, "purl.org/dc/elements/1.1": .dublinCore,
    "purl.org/dc/elements/1.0": .dublinCore, "purl.org/dc/terms": .terms, "purl.org/rss/1.0/modules/content": .content,
    "search.yahoo.com/mrss": .media, "video.search.yahoo.com/mrss": .media, "tools.search.yahoo.com/mrss": .media,
    "itunes.com/dtds/podcast-1.0.dtd": .iTunes, "itunes.com/dtds/podcast-2.0.dtd": .iTunes,
    "example.com/dtds/podcast-1.0.dtd": .iTunes,
    "purl.org/rss/1.0/modules/syndication": .syndication, "w3.org/1999/xhtml": .xhtml,
    "w3.org/xml/1998/namespace": .xml,
    "prismstandard.org/namespaces/1.2/basic": .prism, "prismstandard.org/namespaces/2.0/basic": .prism,
    "prismstandard.org/namespaces/basic/1.2": .prism, "prismstandard.org/namespaces/basic/2.0": .prism,
    "prismstandard.org/namespaces/basic/2.1": .prism, "prismstandard.org/namespaces/basic/3.0": .prism,
    "purl.org/rss/1.0/modules/prism": .prism,
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
  case author, contributor, creator, publisher, managingeditor, webmaster, email, owner
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

  /// Each case is spelled as its word.
  private static let words = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })

  init(_ name: String) { self = Self.words[name.lowercased()] ?? .other }
}
