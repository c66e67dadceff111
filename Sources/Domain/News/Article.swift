public import Time

/// One normalised item of news, from a feed or from an editor. Immutable: a correction is a new version.
public struct Article: Sendable, Hashable {
  /// Whether it may be told.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// It may.
    case usable
    /// Not now: it waits for a later version.
    case withheld
    /// Not any more: it is retracted.
    case canceled
  }

  /// Headline and summary in one language.
  public struct Text: Sendable, Hashable {
    /// Plain text, never empty.
    public let headline: String
    /// Plain text, nil where there is none.
    public let summary: String?

    /// A headline with its summary.
    public init(headline: String, summary: String? = nil) {
      self.headline = headline
      self.summary = summary
    }
  }

  /// Its identity, derived once: an editor's own id, or the hash of a feed and the item's identity there.
  public var id: String
  /// Orders corrections: the higher one is the later.
  public var version: Int64
  /// Whether it may be told.
  public var status: Status
  /// The language of `text`, a BCP 47 tag; nil where nobody said.
  public var language: String?
  /// Headline and summary as written.
  public var text: Text
  /// The same in other languages, by BCP 47 tag.
  public var translations: [String: Text]
  /// What an editor says it is about; outranks everything else. Empty where no editor spoke.
  public var categories: [Category]
  /// How its publisher files it.
  public var terms: [CategoryTerm]
  /// 1 (flash) to 9, as in IPTC; 1 and 2 are breaking.
  public var urgency: Int?
  /// Where it is read, an absolute http or https URL.
  public var url: String?
  /// A picture, an absolute http or https URL.
  public var image: String?
  /// Where it came from: a subscription's name or an editor's `source`.
  public var source: String?
  /// Names of its authors.
  public var authors: [String]
  /// When it was published; nil where unknown, which is never "now".
  public var published: Timestamp?
  /// When it was last changed.
  public var updated: Timestamp?
  /// Not to be told before.
  public var embargoed: Timestamp?
  /// Not to be told from then on.
  public var expires: Timestamp?

  /// An article with what it must have; the rest is set afterwards.
  public init(id: String, version: Int64 = 1, text: Text, language: String? = nil) {
    self.id = id
    self.version = version
    self.status = .usable
    self.language = language
    self.text = text
    translations = [:]
    categories = []
    terms = []
    authors = []
  }

  /// Whether an editor marked it as breaking news (IPTC urgency 1 or 2).
  public var isBreaking: Bool { urgency.map { $0 <= 2 } ?? false }

  /// Headline and summary in a language, by its primary subtag (`fr` is found under `fr-CA`); nil where the article
  /// has none of its own in that language.
  public func text(in language: String) -> Text? {
    let wanted = LanguageTag.primary(language)
    if let own = self.language, LanguageTag.primary(own) == wanted { return text }
    if let exact = translations[language] { return exact }
    let close = translations.keys.filter { LanguageTag.primary($0) == wanted }.min()
    return close.flatMap { translations[$0] }
  }
}

/// BCP 47 language tags, as far as news needs them.
public enum LanguageTag {
  /// The primary subtag, lower-cased: `zh` of `zh-Hans-CN` and of `ZH_cn`.
  public static func primary(_ tag: String) -> String {
    tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
  }
}
