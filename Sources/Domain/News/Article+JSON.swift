public import JSON
internal import Time

/// Why a JSON text is no article.
public struct ArticleError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where in the article, such as `translations.fr.headline`; empty for the whole.
  public let path: String
  /// What is there, and what would be right.
  public let reason: String

  /// What is wrong at that place.
  public init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// `path: reason`.
  public var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension Article {
  /// Reads the article format: `id` and a headline in at least one language are required, unknown fields are ignored.
  /// Without a `headline` of its own, an article takes the text of its first translation. `defaultVersion` is the
  /// version of an article that names none.
  public init(json: JSONValue, defaultVersion: Int64 = 1) throws(ArticleError) {
    guard case .object(let object) = json else {
      throw ArticleError(path: "", reason: "is \(json.kind), an article is an object")
    }
    let fields = ArticleFields(object: object, prefix: "")
    guard let id = try fields.text("id") else {
      throw ArticleError(path: "id", reason: "is missing, every article has one")
    }
    guard id.utf8.count <= Self.idBytesMax else {
      throw ArticleError(path: "id", reason: "is \(id.utf8.count) bytes long, at most \(Self.idBytesMax) are allowed")
    }
    let translations = try fields.translations()
    var language = try fields.text("language")
    let summary = try fields.text("summary")
    let text: Text
    if let headline = try fields.text("headline") {
      text = Text(headline: headline, summary: summary)
    } else if let first = translations.first {
      text = first.text
      language = first.language
    } else {
      throw ArticleError(path: "headline", reason: "is missing, an article has one in at least one language")
    }
    self.init(id: id, version: try fields.integer("version", 0...Int.max).map(Int64.init) ?? defaultVersion, text: text)
    self.language = language
    self.translations = Dictionary(translations.map { ($0.language, $0.text) }, uniquingKeysWith: { $1 })
    status = try fields.choice("status") ?? .usable
    categories = try fields.categories()
    terms =
      try fields.texts("topics").map { CategoryTerm($0) } + fields.terms()
    urgency = try fields.integer("urgency", 1...9)
    url = try fields.webAddress("url")
    image = try fields.webAddress("image")
    source = try fields.text("source")
    authors = try fields.texts("authors")
    published = try fields.moment("published")
    updated = try fields.moment("updated")
    embargoed = try fields.moment("embargoed")
    expires = try fields.moment("expires")
  }

  /// An id is a key in logs, stores and topics.
  public static let idBytesMax = 512

  /// The article in its format; `Article(json:)` reads it back unchanged.
  public var json: JSONValue {
    var object = JSONObject()
    object["id"] = .string(id)
    object["version"] = .number(JSONNumber(Int(version)))
    object["status"] = .string(status.rawValue)
    object["headline"] = .string(text.headline)
    object["summary"] = text.summary.map { .string($0) }
    object["language"] = language.map { .string($0) }
    if !translations.isEmpty {
      var languages = JSONObject()
      for (language, text) in translations.sorted(by: { $0.key < $1.key }) {
        var translation: JSONObject = ["headline": .string(text.headline)]
        translation["summary"] = text.summary.map { .string($0) }
        languages[language] = .object(translation)
      }
      object["translations"] = .object(languages)
    }
    if !categories.isEmpty { object["categories"] = .array(categories.map { .string($0.rawValue) }) }
    if !terms.isEmpty { object["terms"] = .array(terms.map(\.json)) }
    object["urgency"] = urgency.map { .number(JSONNumber($0)) }
    object["url"] = url.map { .string($0) }
    object["image"] = image.map { .string($0) }
    object["source"] = source.map { .string($0) }
    if !authors.isEmpty { object["authors"] = .array(authors.map { .string($0) }) }
    object["published"] = published.map { .string($0.rfc3339) }
    object["updated"] = updated.map { .string($0.rfc3339) }
    object["embargoed"] = embargoed.map { .string($0.rfc3339) }
    object["expires"] = expires.map { .string($0.rfc3339) }
    return .object(object)
  }
}

extension CategoryTerm {
  fileprivate var json: JSONValue {
    guard scheme != nil || label != nil else { return .string(term) }
    var object: JSONObject = ["term": .string(term)]
    object["scheme"] = scheme.map { .string($0) }
    object["label"] = label.map { .string($0) }
    return .object(object)
  }
}
