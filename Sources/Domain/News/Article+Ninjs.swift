public import JSON
internal import Time

extension Article {
  /// Whether a JSON text is an item of IPTC's ninjs rather than an article of our own format: it has a `uri` and no `id`.
  public static func isNinjs(_ json: JSONValue) -> Bool {
    guard case .object(let object) = json else { return false }
    return object["id"] == nil && object["uri"] != nil
  }

  /// Reads what editors write: an article in our own format (see `init(json:defaultVersion:)`), or an item of ninjs.
  public init(editors json: JSONValue, defaultVersion: Int64 = 1) throws(ArticleError) {
    if Self.isNinjs(json) {
      try self.init(ninjs: json, defaultVersion: defaultVersion)
    } else {
      try self.init(json: json, defaultVersion: defaultVersion)
    }
  }

  /// Reads an item of IPTC's ninjs, versions 1.x to 3.x (https://iptc.org/std/ninjs): its `uri`, its headline, status,
  /// dates, language, urgency, subjects, first picture, byline and source. Version 3 writes in camel case what the others
  /// write in lower case. `defaultVersion` is the version of an item whose own is no number.
  ///
  /// Throws the `ArticleError` that names the path in ninjs's own words.
  public init(ninjs json: JSONValue, defaultVersion: Int64 = 1) throws(ArticleError) {
    guard case .object(let object) = json else {
      throw ArticleError(path: "", reason: "is \(json.kind), an item of ninjs is an object")
    }
    let fields = NinjsFields(ArticleFields(object: object, prefix: ""))
    guard let uri = try fields.text("uri") else {
      throw ArticleError(path: "uri", reason: "is missing, every item of ninjs has one")
    }
    guard uri.utf8.count <= Self.idBytesMax else {
      throw ArticleError(path: "uri", reason: "is \(uri.utf8.count) bytes long, at most \(Self.idBytesMax) are allowed")
    }
    if let type = try fields.text("type"), !["text", "composite"].contains(type) {
      throw ArticleError(path: "type", reason: "is \"\(type)\": only text and composite are told")
    }
    guard let headline = try fields.headline() else {
      throw ArticleError(path: "headline", reason: "is missing, and so is a headline in headlines")
    }
    self.init(
      id: uri, version: try fields.text("version").flatMap { Int64($0) }.map { max($0, 0) } ?? defaultVersion,
      text: Text(headline: headline, summary: try fields.description()))
    language = try fields.text("language")
    if let name = try fields.text("pubstatus", "pubStatus") {
      guard let known = Status(rawValue: name) else {
        throw fields.wrong("pubstatus", "\"\(name)\" is none of usable, withheld, canceled")
      }
      status = known
    }
    urgency = try fields.urgency()
    terms = try fields.subjects()
    image = fields.picture()
    source = fields.name(in: ["infosource", "infosources", "infoSources"])
    authors = try fields.text("byline", "by").map { [$0] } ?? []
    updated = try fields.moment("versioncreated", "versionCreated")
    let first = try fields.moment("firstcreated", "firstCreated")
    published = first ?? updated
    embargoed = try fields.moment("embargoed")
    expires = try fields.moment("expires")
  }
}

/// Reads the fields of ninjs, each under any of its names.
private struct NinjsFields {
  private let fields: ArticleFields

  init(_ fields: ArticleFields) { self.fields = fields }

  func wrong(_ name: String, _ reason: String) -> ArticleError { fields.wrong(name, reason) }

  private func present(_ names: [String]) -> String { names.first { fields.value($0) != nil } ?? names[0] }

  func text(_ names: String...) throws(ArticleError) -> String? { try fields.text(present(names)) }

  func moment(_ names: String...) throws(ArticleError) -> Timestamp? { try fields.moment(present(names)) }

  /// A number from 1 to 9 in all versions; some systems write it as a text.
  func urgency() throws(ArticleError) -> Int? {
    guard let value = fields.value("urgency") else { return nil }
    if let number = value.string.flatMap({ Int($0) }) ?? value.double.map({ Int($0.rounded()) }),
      (1...9).contains(number)
    {
      return number
    }
    throw wrong("urgency", "is \(value.text()), it has to be a number from 1 to 9")
  }

  /// `headline`, else the main one of `headlines`.
  func headline() throws(ArticleError) -> String? {
    if let headline = try fields.text("headline") { return headline }
    return try value(of: "headlines", preferring: "main")
  }

  /// `description_text`, else the summary of `descriptions`.
  func description() throws(ArticleError) -> String? {
    if let text = try fields.text(present(["description_text", "description"])) { return text }
    return try value(of: "descriptions", preferring: "summary")
  }

  /// The value of that role, else the first; plain text before marked-up text, which no alert can show.
  private func value(of name: String, preferring role: String) throws(ArticleError) -> String? {
    var found: (rank: Int, text: String)?
    for element in try elements(of: name) {
      guard let text = try element.text("value") else { continue }
      let type = (element.value("contenttype") ?? element.value("contentType"))?.string ?? "text/plain"
      guard type.hasPrefix("text/plain") else { continue }
      let rank = element.value("role")?.string?.lowercased().contains(role) == true ? 0 : 1
      if found == nil || rank < found!.rank { found = (rank, text) }
    }
    return found?.text
  }

  private func elements(of name: String) throws(ArticleError) -> [ArticleFields] {
    guard let value = fields.value(name) else { return [] }
    guard let array = value.array else { throw fields.wrong(name, "is \(value.kind), it has to be an array") }
    var elements: [ArticleFields] = []
    for (index, element) in array.enumerated() {
      let path = "\(name)[\(index)]"
      guard let object = element.object else { throw fields.wrong(path, "is \(element.kind), it has to be an object") }
      elements.append(ArticleFields(object: object, prefix: fields.prefix + path + "."))
    }
    return elements
  }

  /// Codes with their vocabulary, and names: `subject` of version 1, `subjects` of the later ones.
  func subjects() throws(ArticleError) -> [CategoryTerm] {
    var terms: [CategoryTerm] = []
    for subject in try elements(of: present(["subject", "subjects"])) {
      let (code, uri) = (try subject.text("code"), try subject.text("uri"))
      let (name, literal) = (try subject.text("name"), try subject.text("literal"))
      let (scheme, label) = (try subject.text("scheme"), name ?? literal)
      guard let term = code ?? uri ?? label else { continue }
      terms.append(CategoryTerm(term, scheme: scheme, label: label == term ? nil : label))
    }
    return terms
  }

  /// The address of the first picture among the associations: an object of named ones in version 1, an array later; its
  /// renditions likewise. What cannot be read is no picture, and no reason to put the story aside.
  func picture() -> String? {
    let associations = Self.members(of: fields.value("associations"))
    let pictures = associations.filter { $0["type"]?.string == "picture" }
    for picture in [fields.object] + pictures {
      for rendition in Self.members(of: picture["renditions"]) {
        let type = (rendition["mimetype"] ?? rendition["mimeType"] ?? rendition["contentType"])?.string ?? "image/jpeg"
        if type.hasPrefix("image/"), let address = rendition["href"]?.string, ArticleFields.isWebAddress(address) {
          return address
        }
      }
    }
    return nil
  }

  /// The first name among objects.
  func name(in names: [String]) -> String? {
    names.lazy.flatMap { Self.members(of: fields.value($0)) }.compactMap { $0["name"]?.string }.first
  }

  private static func members(of value: JSONValue?) -> [JSONObject] {
    switch value {
    case .array(let elements): elements.compactMap(\.object)
    case .object(let object): object.compactMap(\.value.object)
    default: []
    }
  }
}
