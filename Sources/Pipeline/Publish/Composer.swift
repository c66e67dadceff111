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

  /// A text is cut to so many bytes of UTF-8: what a lock screen shows is shorter, and the payload of every platform
  /// (4096 bytes) has room for the rest.
  public static let textBytesMax = 1024
  /// APNs takes no longer collapse id, in bytes.
  public static let collapseIDBytesMax = 64

  /// A composer for these languages, the default one first. A notification whose article does not say when it expires
  /// is worth delivering for `lifetime`.
  public init(locales: [Locale], routing: Routing, lifetime: Duration) {
    precondition(!locales.isEmpty, "there is at least one language to write in")
    self.locales = locales
    self.routing = routing
    self.lifetime = lifetime
  }

  /// The notification that tells an article. Fails where the audience is beyond the limits of an expression.
  public func compose(
    _ article: Article, categories: [News.Category], as publication: Publication
  ) throws(TagExpressionError) -> Push.Notification {
    let category = categories[0]
    var properties = Properties()
    var skipped: [Locale] = []
    properties["messageParam"] = text(of: article, in: locales[0], about: category)
    for locale in locales {
      if locale.untranslated == .skip && article.text(in: locale.language) == nil { skipped.append(locale) }
      properties[locale.property] = text(of: article, in: locale, about: category)
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
      audience: try routing.audience(of: categories, skipping: skipped), expires: expires)
  }

  private func text(of article: Article, in locale: Locale, about category: News.Category) -> String {
    if let own = article.text(in: locale.language) { return clipped(own.headline) }
    return clipped(locale.phrase.filled(category: locale.name(of: category), headline: article.text.headline))
  }

  /// The story's id where it is short enough, else a digest of it: a prefix would let two stories replace each other.
  static func collapseID(of storyID: String) -> String {
    guard storyID.utf8.count > collapseIDBytesMax else { return storyID }
    return "story-" + hexadecimal(SHA256.digest(of: storyID).prefix(16))
  }

  /// One line, cut between graphemes.
  private func clipped(_ text: String) -> String {
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
