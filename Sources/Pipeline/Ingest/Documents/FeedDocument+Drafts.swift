import Curl

// From what the document says to what it means: links become absolute, items inherit from their feed.
extension FeedDocument {
  init(_ reader: FeedReader, format: FeedFormat, documentBase: String?) {
    self.init(format: format)
    let feed = reader.feed
    let resolver = LinkResolver(
      documentBase: documentBase, selfLink: feed.selfLink?.reference, siteLink: feed.link.value?.reference)
    title = feed.title.value
    link = feed.link.value.flatMap(resolver.absolute)
    language = feed.language.flatMap(languageTag)
    description = feed.summary.value?.plainText()
    image = feed.image.value.flatMap(resolver.absolute)
    updated = feed.updated.value ?? feed.published.value
    selfLink = feed.selfLink.flatMap(resolver.absolute)
    hubLinks = feed.hubLinks.compactMap(resolver.absolute)
    refresh = feed.refresh
    items = reader.items.map { FeedItem($0, in: feed, format: format, resolver) }
  }
}

extension FeedItem {
  fileprivate init(_ draft: ItemDraft, in feed: FeedDraft, format: FeedFormat, _ resolver: LinkResolver) {
    let isAtom = format == .atom10 || format == .atom03
    guid = draft.guid.value?.text ?? draft.about.flatMap { $0.isEmpty ? nil : $0 }
    title = draft.title.value
    link = draft.link.value.flatMap(resolver.absolute)
    // A guid that is an address is where the item is, if nothing better is said.
    if let guid = draft.guid.value, guid.isPermaLink || link == nil {
      let address = resolver.webAddress(guid.text, base: guid.base)
      if link == nil, guid.isPermaLink || isAtom { link = address }
      guidIsPermaLink = guid.isPermaLink && address != nil
    } else if link == nil, let about = draft.about {
      link = resolver.webAddress(about, base: draft.base)
    }
    published = draft.published.value
    updated = draft.updated.value
    embargoed = draft.embargoed
    expires = draft.expires
    authors = draft.authors.people.isEmpty && isAtom ? feed.authors.people : draft.authors.people
    categories = draft.categories
    language = (draft.language ?? feed.language).flatMap(languageTag)
    image = draft.image.value.flatMap(resolver.absolute)
    enclosures = draft.enclosures.compactMap { enclosure in
      resolver.absolute(enclosure.link).map { Enclosure(url: $0, type: enclosure.type, length: enclosure.length) }
    }
    summaryContent = draft.summary.value.map { $0.based(on: resolver.base(draft.base, itemLink: link)) }
    content = draft.content.value.map { $0.based(on: resolver.base(draft.base, itemLink: link)) }
    if content == nil, let summaryContent, summaryContent.markup == .html { content = summaryContent }
  }
}

/// A language as BCP 47 spells it: many write a locale's underscore. Nil for none.
private func languageTag(_ text: String) -> String? {
  guard !text.isEmpty else { return nil }
  return text.utf8.contains(UInt8(ascii: "_")) ? String(text.map { $0 == "_" ? "-" : $0 }) : text
}

/// Makes the links of one document absolute.
struct LinkResolver {
  /// The document's own address; else what it calls so, or at least the address of its site.
  private let documentBase: String?

  init(documentBase: String?, selfLink: String?, siteLink: String?) {
    self.documentBase =
      documentBase ?? selfLink.flatMap { URLReference.resolve($0) } ?? siteLink.flatMap { URLReference.resolve($0) }
  }

  /// The absolute form of a link; nil if there is nothing to complete a relative one with.
  func absolute(_ link: LinkDraft) -> String? {
    guard let reference = LinkDraft.bounded(link.reference) else { return nil }
    return URLReference.resolve(reference, against: base(link.base, itemLink: nil))
  }

  /// The absolute form of a text that may be a web address; nil if it is none, like `urn:uuid:…` or `tag:…`.
  func webAddress(_ text: String, base: String?) -> String? {
    let lower = text.prefix(8).lowercased()
    return lower.hasPrefix("http://") || lower.hasPrefix("https://")
      ? absolute(LinkDraft(reference: text, base: base)) : nil
  }

  /// What relative links inside an item are relative to.
  func base(_ xmlBase: String?, itemLink: String?) -> String? {
    guard let xmlBase else { return documentBase ?? itemLink }
    return URLReference.resolve(xmlBase, against: documentBase) ?? documentBase ?? itemLink
  }
}

extension FeedContent {
  /// The same body; where it has no base of its own, with this one.
  fileprivate func based(on fallback: String?) -> FeedContent {
    FeedContent(bytes, markup: markup, base: base.flatMap { URLReference.resolve($0, against: fallback) } ?? fallback)
  }
}
