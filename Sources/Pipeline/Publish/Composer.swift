public import News
internal import OpenSSL
public import Push
internal import Time

/// Writes a push once in every reader's language. Pure.
public struct Composer: Sendable {
  /// The languages, the default one first.
  public let locales: [Locale]
  private let routing: Routing
  private let lifetime: Duration
  private let readers: Readers

  /// Whom a composer writes to.
  public enum Readers: Sendable, Hashable {
    /// Whomever the routing means, in all languages at once: each device's template picks its own.
    case everyone
    /// Only those who bear the tag of one of the languages: a hub without templates is written to in one at a time.
    case ofItsLocales
  }

  /// A text is cut to so many bytes of UTF-8: what a lock screen shows is shorter, and the payload of every platform
  /// (4096 bytes) has room for the rest.
  public static let textBytesMax = 1024
  /// APNs takes no longer collapse id, in bytes.
  public static let collapseIDBytesMax = 64

  /// A composer for these languages, the default one first. A notification whose article does not say when it expires
  /// is worth delivering for `lifetime`.
  public init(locales: [Locale], routing: Routing, lifetime: Duration, readers: Readers = .everyone) {
    precondition(!locales.isEmpty, "there is at least one language to write in")
    self.locales = locales
    self.routing = routing
    self.lifetime = lifetime
    self.readers = readers
  }

  /// The notification that tells an article; nil where it has no text for any of the languages and all are to be
  /// skipped then. Fails where the audience is beyond the limits of an expression.
  public func compose(
    _ article: Article, categories: [News.Category], as publication: Publication
  ) throws(TagExpressionError) -> Push.Notification? {
    let skipped = locales.filter { $0.untranslated == .skip && article.text(in: $0.language) == nil }
    guard skipped.count < locales.count else { return nil }
    let category = categories[0]
    var properties = Properties(minimumCapacity: locales.count + 12)
    for (place, locale) in locales.enumerated() {
      let text = text(of: article, in: locale, about: category)
      if place == 0 { properties["messageParam"] = text }
      properties[locale.property] = text
    }
    let expires = article.expires ?? publication.time + lifetime
    properties["category"] = category.rawValue
    properties["title"] = clipped(article.text.headline)
    properties["articleId"] = article.id
    properties["storyId"] = publication.storyID
    properties["version"] = String(article.version)
    properties["kind"] = publication.kind.name
    properties["collapseId"] = Self.collapseID(of: publication.storyID)
    properties["expires"] = expires.rfc3339
    properties["url"] = article.url
    properties["image"] = article.image
    properties["breaking"] = article.isBreaking ? "true" : "false"
    return Push.Notification(
      id: publication.notificationID, properties: properties,
      audience: try routing.audience(
        of: categories, among: readers == .ofItsLocales ? locales : [], skipping: skipped),
      expires: expires)
  }

  private func text(of article: Article, in locale: Locale, about category: News.Category) -> String {
    if let own = article.text(in: locale.language) { return clipped(own.headline) }
    return clipped(locale.phrase.filled(category: locale.name(of: category), headline: article.text.headline))
  }

  /// The story's id where it is short enough and may stand in a header, else a digest of it: a prefix would let two
  /// stories replace each other.
  static func collapseID(of storyID: String) -> String {
    let isPlain = storyID.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard storyID.utf8.count > collapseIDBytesMax || !isPlain else { return storyID }
    return "story-" + hexadecimal(SHA256.digest(of: storyID).prefix(16))
  }

  /// One line, cut between graphemes.
  private func clipped(_ text: String) -> String {
    if text.utf8.count <= Self.textBytesMax - 3 && text.isOneLine { return text }
    var line = ""
    for character in text {
      let shown: Character = character.isWhitespace || character.isNewline ? " " : character
      if shown == " " && (line.isEmpty || line.last == " ") { continue }
      guard line.utf8.count + shown.utf8.count + 3 <= Self.textBytesMax else { return line + "…" }
      line.append(shown)
    }
    return line.last == " " ? String(line.dropLast()) : line
  }
}

extension String {
  /// Whether its only white space is single spaces between words: the usual headline, told without Unicode's tables.
  fileprivate var isOneLine: Bool {
    var before: (UInt8, UInt8) = (0, UInt8(ascii: " "))
    for byte in utf8 {
      switch byte {
      case 0x21...0x7F: break
      case UInt8(ascii: " "): if before.1 == byte { return false }
      case ..<UInt8(ascii: " "): return false
      // The white space beyond ASCII: U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000.
      case 0x80 where before == (0xE1, 0x9A) || before == (0xE3, 0x80): return false
      case 0x80...0x8A where before == (0xE2, 0x80): return false
      case 0xA8, 0xA9, 0xAF: if before == (0xE2, 0x80) { return false }
      case 0x9F: if before == (0xE2, 0x81) { return false }
      case 0x85, 0xA0: if before.1 == 0xC2 { return false }
      default: break
      }
      before = (before.1, byte)
    }
    return before.1 != UInt8(ascii: " ")
  }
}
