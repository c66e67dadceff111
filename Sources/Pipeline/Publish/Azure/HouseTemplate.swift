public import Push
internal import JSON
public import Time

/// What the devices of one platform get from a hub to which they brought no templates: a body and headers with holes,
/// in the same language as a device's own template. A house template is written to in one language at a time:
/// `$(messageParam)` is the text in it.
public struct HouseTemplate: Sendable {
  /// A platform's payload, ready to send.
  public struct Payload: Sendable {
    /// What the platform's service wants to know besides.
    public let headers: [(name: String, value: String)]
    /// The document.
    public let body: String
  }

  /// Whose payload it makes.
  public let format: AzureFormat
  private let headers: [(name: String, value: TemplateExpression)]
  private let body: Template

  /// Where a text has to be cut to this many characters, what it links to goes first.
  private static let textLengthMin = 60
  /// What may be left out of a payload that is too large, in this order.
  private static let dispensable = ["image", "url", "title"]

  /// The payload that tells `notification` in a language. What is too large for the platform is made to fit: its text
  /// is cut between graphemes, and links that leave no room for a text are left out.
  public func payload(
    of notification: Notification, in locale: Locale, at now: Timestamp
  ) throws(HouseTemplateError) -> Payload {
    var properties = Self.properties(of: notification, in: locale, at: now)
    var body = fitted(properties, in: locale, lengthMin: Self.textLengthMin)
    for name in Self.dispensable where body == nil && properties[name] != nil {
      properties[name] = nil
      body = fitted(properties, in: locale, lengthMin: Self.textLengthMin)
    }
    if let body = body ?? fitted(properties, in: locale, lengthMin: 1) {
      return Payload(headers: rendered(headers: properties), body: body)
    }
    throw HouseTemplateError(
      "the template of \(format.rawValue) alone is larger than the \(format.payloadBytesMax) bytes that a payload may "
        + "have")
  }

  /// The body with as much of the text as fits, at least `lengthMin` characters of it; nil where those do not fit.
  private func fitted(_ properties: Properties, in locale: Locale, lengthMin: Int) -> String? {
    if let whole = body.render(properties, bytesMax: format.payloadBytesMax) { return whole }
    let text = properties["messageParam"] ?? ""
    func rendered(_ length: Int) -> String? {
      var cut = properties
      cut["messageParam"] = text.prefix(length) + "…"
      cut[locale.property] = cut["messageParam"]
      return body.render(cut, bytesMax: format.payloadBytesMax)
    }
    // It gets longer with every character: halve to the longest that fits.
    var (fitting, tooLong) = (0, text.count)
    var best: String?
    while tooLong - fitting > 1 {
      let length = (fitting + tooLong) / 2
      if let body = rendered(length) { (fitting, best) = (length, body) } else { tooLong = length }
    }
    return fitting >= lengthMin ? best : nil
  }

  private func rendered(headers properties: Properties) -> [(name: String, value: String)] {
    headers.compactMap { name, expression in
      let value = Self.headerValue(expression.value(properties).text)
      // A collapse id that is not there, say, is no header and not an empty one.
      return value.isEmpty ? nil : (name, value)
    }
  }

  /// A header may hold no line break, and beyond ASCII services do not agree on what it means.
  private static func headerValue(_ text: String) -> String {
    var value = ""
    for byte in text.utf8 {
      if (0x20...0x7E).contains(byte) {
        value.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        value += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return value
  }
}

// MARK: - Properties

extension HouseTemplate {
  /// What a house template may use, in lower case, besides a text in each language.
  static let propertyNames: Set<String> = [
    "messageparam", "category", "title", "articleid", "storyid", "version", "kind", "collapseid", "expires", "url",
    "image", "breaking", "locale", "language", "expiresseconds", "lifetimeseconds",
  ]

  /// The notification's properties, and what platforms count in: seconds since 1970 when it expires, and seconds until
  /// then.
  private static func properties(of notification: Notification, in locale: Locale, at now: Timestamp) -> Properties {
    var properties = notification.properties
    properties["locale"] = locale.name
    properties["language"] = locale.language
    if let expires = notification.expires {
      properties["expiresSeconds"] = String(expires.millisecondsSince1970 / 1000)
      properties["lifetimeSeconds"] = String(max(0, now.distance(to: expires).components.seconds))
    }
    return properties
  }
}

// MARK: - Reading

extension HouseTemplate {
  /// A template from its source. Fails where it is no template, or none of its platform: what would make every push of
  /// the platform fail is known at the start.
  public init(format: AzureFormat, headers: [(String, String)], body: String) throws(HouseTemplateError) {
    self.format = format
    let document = try Self.document(body, of: format)
    do throws(TemplateError) {
      self.body = try Template(body: document, format: format.isXML ? .xml : .json)
    } catch {
      throw HouseTemplateError("the body is no template: \(error)")
    }
    var expressions: [(String, TemplateExpression)] = []
    for (name, text) in headers {
      if let problem = format.problem(ofHeader: name) { throw HouseTemplateError("the header \(name) \(problem)") }
      do throws(TemplateError) { expressions.append((name, try TemplateExpression(parsing: text))) } catch {
        throw HouseTemplateError("the header \(name) is no template: \(error)")
      }
    }
    self.headers = expressions
    for required in format.headersRequired
    where !headers.contains(where: { $0.0.lowercased() == required.lowercased() }) {
      throw HouseTemplateError("the header \(required) is missing: without it no \(format.rawValue) push is delivered")
    }
    try Self.check(self.body.propertyNames.union(expressions.flatMap { $0.1.propertyNames }))
  }

  /// Blanks between the parts of JSON are left out: they count.
  private static func document(_ body: String, of format: AzureFormat) throws(HouseTemplateError) -> String {
    guard !format.isXML else {
      return String(body.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue(parsing: body) } catch {
      throw HouseTemplateError("the body is no JSON: \(error)")
    }
    if let member = format.memberRequired, json[member]?.object == nil {
      throw HouseTemplateError("the body has no object \"\(member)\": \(format.rawValue) payloads have one")
    }
    return json.text()
  }

  private static func check(_ names: Set<String>) throws(HouseTemplateError) {
    let unknown = names.filter { !propertyNames.contains($0) && !$0.hasPrefix("news_") }.sorted()
    guard let first = unknown.first else { return }
    throw HouseTemplateError(
      "there is no property \"\(first)\": known are \(propertyNames.sorted().joined(separator: ", ")), and News_ with "
        + "a locale's name")
  }
}

/// Why a text is no house template, or makes no payload.
public struct HouseTemplateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, and what would be right.
  public let description: String

  init(_ description: String) { self.description = description }
}
