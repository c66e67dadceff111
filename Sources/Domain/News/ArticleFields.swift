internal import JSON
internal import Time

/// Reads the fields of an article's object, naming the path of what is wrong. A JSON null counts as absent.
struct ArticleFields {
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
    guard Self.isWebAddress(text) else { throw wrong(name, "has to be an absolute http or https address") }
    return text
  }

  /// A scheme, a host, and no white space: what a device can open.
  static func isWebAddress(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = text[..<colon].lowercased()
    let rest = text[text.utf8.index(after: colon)...]
    guard scheme == "http" || scheme == "https", rest.hasPrefix("//"),
      let first = rest.dropFirst(2).unicodeScalars.first
    else { return false }
    return !"/?#".unicodeScalars.contains(first) && !text.unicodeScalars.contains { $0.properties.isWhitespace }
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
