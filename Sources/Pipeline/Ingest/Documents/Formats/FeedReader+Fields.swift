import Curl
import OpenSSL
import Time

// What becomes of a field's text: alike for all XML formats.
extension FeedReader {
  private var isInItem: Bool { scope(.item) }
  private var isAtom: Bool { format == .atom10 || format == .atom03 }

  /// Takes a field whose element is complete.
  func take(_ capture: Capture, _ gathered: [UInt8]) {
    text = gathered
    if capture.scope == .item || isInItem { takeForItem(capture) } else { takeForFeed(capture) }
  }

  private func takeForItem(_ capture: Capture) {
    switch capture.field {
    case .title(let rank): if item.title.wants(rank) { item.title.offer(plainText(capture), rank) }
    case .link(let rank): takeLink(capture.attributes, rank)
    case .relation: takeRelation(capture.attributes)
    case .identity(let rank): takeIdentity(capture.attributes, rank)
    case .summary(let rank): item.summary.offer(content(capture), rank)
    case .content(let rank): item.content.offer(content(capture), rank)
    case .published(let rank): item.published.offer(FeedDate.parse(text[...]), rank)
    case .updated(let rank): item.updated.offer(FeedDate.parse(text[...]), rank)
    case .date:
      let date = FeedDate.parse(text[...])
      item.published.offer(date, .module)
      item.updated.offer(date, .module)
    case .embargoed: item.embargoed = item.embargoed ?? FeedDate.parse(text[...])
    case .expires: item.expires = item.expires ?? FeedDate.expiry(string)
    case .author(let rank): takePerson(.init(text: string), rank)
    case .category: takeCategory(capture.attributes)
    case .keywords:
      let words = string.split(separator: ",", maxSplits: Self.categoriesMax).prefix(Self.categoriesMax)
      for word in words { add(.init(term: word.trimmedASCII)) }
    case .enclosure: takeEnclosure(url: capture.attributes[.url], capture.attributes)
    case .mediaContent: takeMediaContent(capture.attributes)
    case .image(let rank): item.image.offer(linkText(capture.attributes.address), rank)
    case .imageURL: item.image.offer(linkText(nil), .own)
    case .language: if !string.isEmpty { item.language = string }
    case .personName, .personEmail, .personURI: takePersonDetail(capture.field)
    case .timeToLive, .skipHour, .skipDay, .updatePeriod, .updateFrequency, .updateBase: break
    }
  }

  private func takeForFeed(_ capture: Capture) {
    switch capture.field {
    case .title(let rank): if feed.title.wants(rank) { feed.title.offer(plainText(capture), rank) }
    case .link(let rank): feed.link.offer(linkText(capture.attributes[.href]), rank)
    case .relation: takeRelation(capture.attributes)
    case .summary(let rank): feed.summary.offer(content(capture), rank)
    case .published(let rank): feed.published.offer(FeedDate.parse(text[...]), rank)
    case .updated(let rank): feed.updated.offer(FeedDate.parse(text[...]), rank)
    case .date: feed.updated.offer(FeedDate.parse(text[...]), .module)
    case .author(let rank): feed.authors.offer(.init(text: string), rank)
    case .image(let rank): feed.image.offer(linkText(capture.attributes.address), rank)
    case .imageURL: feed.image.offer(linkText(nil), .own)
    case .language: if !string.isEmpty { feed.language = string }
    case .personName, .personEmail, .personURI: takePersonDetail(capture.field)
    case .timeToLive: feed.refresh.timeToLiveMinutes = Int(string)
    case .skipHour: takeSkipHour()
    case .skipDay: takeSkipDay()
    case .updatePeriod: feed.refresh.updatePeriod = string.lowercased()
    case .updateFrequency: feed.refresh.updateFrequency = Int(string)
    case .updateBase: feed.refresh.updateBase = FeedDate.parse(text[...])
    case .mediaContent: takeMediaContent(capture.attributes)
    case .identity, .content, .embargoed, .expires, .category, .keywords, .enclosure: break
    }
  }

  // MARK: Texts

  /// The field's text without white space around it.
  private var string: String { String(decoding: text[...].trimmed, as: UTF8.self) }

  private func plainText(_ capture: Capture) -> String? {
    decodeBase64(capture)
    let plain = PlainText.text(of: text[...], markup: markup(capture))
    return plain.isEmpty ? nil : plain
  }

  private func content(_ capture: Capture) -> FeedContent? {
    // What is not text even then, a picture perhaps, is no body.
    guard decodeBase64(capture) else { return nil }
    guard !text[...].trimmed.isEmpty else { return nil }
    return FeedContent(Array(text), markup: markup(capture), base: base)
  }

  /// What RSS holds is HTML by custom; what Atom holds it declares, XHTML among it.
  private func markup(_ capture: Capture) -> PlainText.Markup {
    if capture.isXHTML || !isAtom { return .html }
    guard let type = capture.attributes[.type]?.lowercased() else {
      return capture.attributes[.mode] == "escaped" ? .html : .text
    }
    return type == "text" || type == "text/plain" ? .text : .html
  }

  /// Atom 0.3 says so in `mode`; Atom 1.0 has Base64 wherever the type is neither text nor XML (RFC 4287, 4.1.3.3).
  /// False if it holds no text, decoded or not: the text is then left as it is.
  @discardableResult
  private func decodeBase64(_ capture: Capture) -> Bool {
    let isEncoded = format == .atom03 ? capture.attributes[.mode] == "base64" : isBinary(capture.attributes[.type])
    guard isEncoded else { return true }
    let compact = String(decoding: text.filter { !$0.isASCIISpace }, as: UTF8.self)
    guard let decoded = Base64.standard.decode(compact), UTF8Check.accepts(decoded.span) else { return false }
    text = decoded
    return true
  }

  private func isBinary(_ type: String?) -> Bool {
    guard format == .atom10, let type = type?.lowercased(), type.contains("/") else { return false }
    return !type.hasPrefix("text/") && !type.hasSuffix("+xml") && !type.hasSuffix("/xml")
  }

  // MARK: Links

  private func linkText(_ attribute: String?) -> LinkDraft? {
    let reference = attribute ?? string
    return reference.isBlank ? nil : LinkDraft(reference: reference, base: base)
  }

  /// RSS's link, which is text; but where it has Atom's attributes, it is Atom's.
  private func takeLink(_ attributes: FieldAttributes, _ rank: Rank) {
    if attributes[.href] != nil { takeRelation(attributes) } else { item.link.offer(linkText(nil), rank) }
  }

  private func takeRelation(_ attributes: FieldAttributes) {
    guard let link = linkText(attributes[.href]) else { return }
    let relation = attributes[.rel]?.lowercased().trimmedASCII ?? "alternate"
    // RFC 4287, section 4.2.7.2: the registered name stands for its IANA address.
    switch relation.split(separator: "/").last ?? "alternate" {
    case "alternate":
      let isPage = attributes[.type]?.mentions("html") ?? true
      let speaksOther = isOtherLanguage(attributes[.hreflang])
      let rank: Rank = isPage && !speaksOther ? (isAtom ? .own : .module) : .minor
      if isInItem { item.link.offer(link, rank) } else { feed.link.offer(link, rank) }
    case "enclosure" where isInItem: takeEnclosure(url: attributes[.href], attributes)
    case "self" where !isInItem: feed.selfLink = feed.selfLink ?? link
    case "hub" where !isInItem: if feed.hubLinks.count < Self.hubsMax { feed.hubLinks.append(link) }
    default: break
    }
  }

  /// Whether a link's language is not the one that the item is in.
  private func isOtherLanguage(_ hreflang: String?) -> Bool {
    guard let hreflang, let own = language ?? feed.language else { return false }
    func primary(_ tag: String) -> String { tag.prefix { $0 != "-" && $0 != "_" }.lowercased() }
    return primary(hreflang) != primary(own)
  }

  /// WebSub asks for one or a few; each costs a request.
  private static let hubsMax = 8

  private func takeIdentity(_ attributes: FieldAttributes, _ rank: Rank) {
    guard item.guid.wants(rank), !string.isEmpty else { return }
    // Only RSS's guid is an address unless it says otherwise.
    let isPermaLink = !isAtom && rank == .own && attributes[.ispermalink]?.lowercased() != "false"
    item.guid.offer(GuidDraft(text: string, isPermaLink: isPermaLink, base: base), rank)
  }

  private func takeEnclosure(url: String?, _ attributes: FieldAttributes) {
    guard item.enclosures.count < Self.enclosuresMax, let url, let link = linkText(url) else { return }
    let length = (attributes[.length] ?? attributes[.filesize]).flatMap { Int($0.trimmedASCII) }
    let type = attributes[.type].flatMap { $0.isEmpty ? nil : $0 }
    item.enclosures.append((link, type, length.flatMap { $0 > 0 ? $0 : nil }))
    if type?.hasPrefix("image/") == true { item.image.offer(link, .minor) }
  }

  private func takeMediaContent(_ attributes: FieldAttributes) {
    guard let link = attributes[.url].flatMap(linkText) else { return }
    if attributes[.medium] == "image" || attributes[.type]?.hasPrefix("image/") == true {
      if isInItem { item.image.offer(link, .module) } else { feed.image.offer(link, .module) }
    } else if isInItem {
      takeEnclosure(url: attributes[.url], attributes)
    }
  }

  /// A gallery's worth.
  private static let enclosuresMax = 100

  // MARK: Subjects

  private func takeCategory(_ attributes: FieldAttributes) {
    let scheme = attributes[.scheme] ?? attributes[.domain]
    let label = attributes[.label]
    let term = attributes[.term] ?? attributes[.text] ?? string
    guard let plain = plainTerm(term) ?? label.flatMap(plainTerm) else { return }
    add(.init(term: plain, scheme: scheme.flatMap { $0.isEmpty ? nil : $0 }, label: label.flatMap(plainTerm)))
  }

  private func plainTerm(_ term: String) -> String? {
    let plain = PlainText.text(of: Array(term.utf8)[...], markup: .html)
    return plain.isEmpty ? nil : plain
  }

  private func add(_ category: FeedItem.CategoryTerm) {
    guard !category.term.isEmpty, item.categories.count < Self.categoriesMax, !item.categories.contains(category) else {
      return
    }
    item.categories.append(category)
  }

  /// Beyond it stands a list of search words, not of subjects.
  private static let categoriesMax = 100

  // MARK: People

  private func takePerson(_ person: FeedItem.Person, _ rank: Rank) {
    // `dc:creator` and `author` of one person are two names for him; the format's own counts.
    item.authors.offer(person, rank)
  }

  private func takePersonDetail(_ field: FeedField) {
    let value = string.isEmpty ? nil : string
    switch field {
    case .personName: person.name = person.name ?? value.flatMap(plainTerm)
    case .personEmail: person.email = person.email ?? value
    default: person.uri = person.uri ?? value.flatMap { URLReference.resolve($0, against: base ?? documentBase) }
    }
  }

  /// A person told in elements is complete.
  func takePerson(in scope: FeedScope) {
    guard isInItem else { return feed.authors.offer(person, .own) }
    // The author of the feed that an entry was taken from wrote it, unless the entry says otherwise.
    item.authors.offer(person, scope == .source ? .last : .own)
  }

  // MARK: Scopes

  func enterChannel(_ attributes: FieldAttributes) {
    guard format == .cdf else { return }
    feed.link.offer(attributes[.href].flatMap(linkText), .own)
    feed.updated.offer(attributes[.lastmod].flatMap(FeedDate.parse), .own)
  }

  func enterItem(_ attributes: FieldAttributes) {
    item.about = attributes[.about] ?? attributes[.resource]
    guard format == .cdf else { return }
    item.link.offer(attributes[.href].flatMap(linkText), .own)
    item.updated.offer(attributes[.lastmod].flatMap(FeedDate.parse), .own)
  }

  // MARK: When to come back

  private func takeSkipHour() {
    // RSS 0.91 counts to 24, RSS 2.0 from 0.
    guard let hour = Int(string), (0...24).contains(hour) else { return }
    feed.refresh.skipHours.insert(hour % 24)
  }

  private func takeSkipDay() {
    let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    if let day = days.firstIndex(of: string.lowercased()) { feed.refresh.skipDays.insert(day) }
  }
}

extension FieldAttributes {
  /// Whether what is inside is XHTML: text is text there, and markup is elements.
  var declareXHTML: Bool {
    guard let type = self[.type]?.lowercased() else { return false }
    if let mode = self[.mode] { return mode == "xml" && type.mentions("html") }
    return type == "xhtml" || type == "application/xhtml+xml"
  }

  /// Where a picture is.
  var address: String? { self[.url] ?? self[.href] }
}

extension FeedDate {
  /// The end of what may be a period in DCMI's notation: `start=…; end=2026-12-31; scheme=W3C-DTF`.
  static func expiry(_ text: String) -> Timestamp? {
    guard text.utf8.contains(UInt8(ascii: "=")) else { return parse(text) }
    for part in text.split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1).map { Array($0.utf8)[...].trimmed }
      if pair.count == 2, pair[0].elementsEqual("end".utf8) { return parse(pair[1]) }
    }
    return nil
  }
}

extension FeedItem.Person {
  /// `ann@example.org (Ann Lee)`, `Ann Lee <ann@example.org>`, `Ann Lee`, `ann@example.org`.
  init(text: String) {
    guard text.utf8.contains(UInt8(ascii: "@")) else {
      let plain = PlainText.text(of: Array(text.utf8)[...], markup: .text)
      name = plain.isEmpty ? nil : plain
      return
    }
    var rest = text[...]
    func cut(_ open: Character, _ close: Character) -> String? {
      guard let start = rest.firstIndex(of: open), let end = rest[start...].firstIndex(of: close) else { return nil }
      let inner = String(rest[rest.index(after: start)..<end])
      rest = rest[..<start] + rest[rest.index(after: end)...]
      return inner
    }
    let parts = [cut("<", ">") ?? cut("(", ")"), rest.trimmedASCII]
    for part in parts.compactMap(\.self) where !part.isEmpty {
      if part.contains("@"), !part.contains(" ") {
        email = email ?? part
      } else {
        name = name ?? PlainText.text(of: Array(part.utf8)[...], markup: .text)
      }
    }
  }
}
