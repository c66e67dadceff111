public import JSON
internal import Time

/// Why a JSON text is no article.
public struct ArticleError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where in the article, such as `translations.fr.headline`; empty for the whole.
  public let path: String
  /// What is there, and what would be right.
  public let reason: String

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
    let text: Text
    if let headline = try fields.text("headline") {
      text = Text(headline: headline, summary: try fields.text("summary"))
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

/// Reads the fields of an article's object, naming the path of what is wrong. A JSON null counts as absent.
private struct ArticleFields {
  let object: JSONObject
  let prefix: String

  func value(_ name: String) -> JSONValue? {
    object[name].flatMap { $0.isNull ? nil : $0 }
  }

  func wrong(_ name: String, _ reason: String) -> ArticleError { ArticleError(path: prefix + name, reason: reason) }

  func text(_ name: String) throws(ArticleError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw wrong(name, "is \(value.kind), it has to be a string") }
    guard text.contains(where: { !$0.isWhitespace }) else { throw wrong(name, "empty") }
    return text
  }

  func texts(_ name: String) throws(ArticleError) -> [String] {
    guard let value = value(name) else { return [] }
    guard let array = value.array else { throw wrong(name, "is \(value.kind), it has to be an array of strings") }
    var texts: [String] = []
    for (index, element) in array.enumerated() {
      guard let text = element.string else {
        throw wrong("\(name)[\(index)]", "is \(element.kind), it has to be a string")
      }
      texts.append(text)
    }
    return texts
  }

  func integer(_ name: String, _ range: ClosedRange<Int>) throws(ArticleError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let integer = value.int, range.contains(integer) else {
      let bounds =
        range.upperBound == .max ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
      throw wrong(name, "is \(value.text()), it has to be a whole number \(bounds)")
    }
    return integer
  }

  func moment(_ name: String) throws(ArticleError) -> Timestamp? {
    guard let text = try text(name) else { return nil }
    guard let moment = Timestamp(rfc3339: text) else {
      throw wrong(name, "\"\(text)\" is no date-time of RFC 3339 such as 2026-11-30T19:22:00Z")
    }
    return moment
  }

  func webAddress(_ name: String) throws(ArticleError) -> String? {
    guard let text = try text(name) else { return nil }
    let lowered = text.prefix(8).lowercased()
    guard lowered.hasPrefix("http://") || lowered.hasPrefix("https://"),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) || !text.contains(where: \.isWhitespace)
    else {
      throw wrong(name, "has to be an absolute http or https address")
    }
    return text
  }

  func choice(_ name: String) throws(ArticleError) -> Article.Status? {
    guard let text = try text(name) else { return nil }
    guard let status = Article.Status(rawValue: text) else {
      let names = Article.Status.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(name, "\"\(text)\" is none of \(names)")
    }
    return status
  }

  func categories() throws(ArticleError) -> [Category] {
    var categories: [Category] = []
    for (index, name) in try texts("categories").enumerated() {
      guard let category = Category(named: name) else {
        let names = Category.allCases.map(\.rawValue).joined(separator: ", ")
        throw wrong("categories[\(index)]", "\"\(name)\" is none of \(names)")
      }
      if !categories.contains(category) { categories.append(category) }
    }
    return categories
  }

  /// `terms`: strings, or objects of `term`, `scheme` and `label`.
  func terms() throws(ArticleError) -> [CategoryTerm] {
    guard let value = value("terms") else { return [] }
    guard let array = value.array else { throw wrong("terms", "is \(value.kind), it has to be an array") }
    var terms: [CategoryTerm] = []
    for (index, element) in array.enumerated() {
      if let term = element.string {
        terms.append(CategoryTerm(term))
        continue
      }
      let path = "terms[\(index)]"
      guard let object = element.object else { throw wrong(path, "is \(element.kind), it has to be a string") }
      let fields = ArticleFields(object: object, prefix: prefix + path + ".")
      guard let term = try fields.text("term") else { throw fields.wrong("term", "is missing") }
      terms.append(CategoryTerm(term, scheme: try fields.text("scheme"), label: try fields.text("label")))
    }
    return terms
  }

  func translations() throws(ArticleError) -> [(language: String, text: Article.Text)] {
    guard let value = value("translations") else { return [] }
    guard let languages = value.object else { throw wrong("translations", "is \(value.kind), it has to be an object") }
    var translations: [(language: String, text: Article.Text)] = []
    for (language, value) in languages {
      let path = "translations.\(language)"
      guard let object = value.object else { throw wrong(path, "is \(value.kind), it has to be an object") }
      let fields = ArticleFields(object: object, prefix: prefix + path + ".")
      guard let headline = try fields.text("headline") else { throw fields.wrong("headline", "is missing") }
      translations.append((language, Article.Text(headline: headline, summary: try fields.text("summary"))))
    }
    return translations
  }
}
