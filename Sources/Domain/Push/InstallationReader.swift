import JSON
import Time

/// Reads an installation and notes whatever is wrong on the way. Nothing that is noted leaves a half-read value behind:
/// the installation counts only when nothing was.
struct InstallationReader {
  private(set) var errors: [String] = []

  mutating func installation(_ json: JSONValue, id: String?) -> Installation? {
    guard json.object != nil else {
      note("An installation is an object, found \(json.kind).")
      return nil
    }
    let id = identifier(json, address: id)
    let userID = userID(json)
    guard let platform = platform(json) else { return nil }
    let channel = pushChannel(json, "pushChannel", platform)
    let tags = tags(json, "tags")
    let installation = Installation(
      id: id, platform: platform, pushChannel: channel, expirationTime: expirationTime(json), tags: tags,
      userID: userID, templates: templates(json, "templates", platform, beside: tags),
      pushVariables: pushVariables(json), secondaryTiles: secondaryTiles(json, platform))
    checkIdentifiers(installation)
    return installation
  }

  private mutating func note(_ error: String) { errors.append(error) }

  /// A member that is there and not null: SDKs write null for what is not set.
  private func member(_ json: JSONValue, _ key: String) -> JSONValue? {
    json[key].flatMap { $0.isNull ? nil : $0 }
  }

  private mutating func text(_ json: JSONValue, _ key: String, of place: String) -> String? {
    guard let value = member(json, key) else { return nil }
    if value.string == nil { note("'\(place)' has to be a string, found \(value.kind).") }
    return value.string
  }
}

// MARK: - The installation's own members

extension InstallationReader {
  private mutating func identifier(_ json: JSONValue, address: String?) -> String {
    let own = text(json, "installationId", of: "installationId")
    guard let id = own ?? address, !id.isEmpty else {
      note("'installationId' is missing.")
      return ""
    }
    if let address, address != id { note("'installationId' is '\(id)', yet the address says '\(address)'.") }
    do throws(TagError) { _ = try Tag(installationID: id) } catch {
      note("'installationId' holds a character that is not allowed, or is too long. \(error)")
    }
    return id
  }

  private mutating func userID(_ json: JSONValue) -> String? {
    guard let id = text(json, "userId", of: "userId"), !id.isEmpty else { return nil }
    do throws(TagError) { _ = try Tag(userID: id) } catch {
      note("'userId' holds a character that is not allowed, or is too long. \(error)")
    }
    return id
  }

  private mutating func platform(_ json: JSONValue) -> Platform? {
    guard let name = text(json, "platform", of: "platform") else {
      if member(json, "platform") == nil { note("'platform' is missing; \(Self.knownPlatforms)") }
      return nil
    }
    guard let platform = Platform(name) else {
      note("'platform' is '\(name)'; \(Self.knownPlatforms)")
      return nil
    }
    return platform
  }

  private static var knownPlatforms: String {
    "it has to be one of \(Platform.allCases.map(\.rawValue).joined(separator: ", "))."
  }

  private mutating func pushChannel(_ json: JSONValue, _ place: String, _ platform: Platform) -> PushChannel {
    guard let channel = member(json, "pushChannel") else {
      note("'\(place)' is missing.")
      return .handle("")
    }
    do throws(PushChannelError) {
      return try PushChannel(json: channel, platform: platform)
    } catch {
      note(error.message)
      return .handle("")
    }
  }

  private mutating func expirationTime(_ json: JSONValue) -> Timestamp? {
    guard let text = text(json, "expirationTime", of: "expirationTime"), !text.isEmpty else { return nil }
    guard let time = ServiceTime.timestamp(text) else {
      note("'expirationTime' is '\(text)'; it has to be a date such as 2026-11-30T19:22:00Z.")
      return nil
    }
    return ServiceTime.isNever(time) ? nil : time
  }

  private mutating func pushVariables(_ json: JSONValue) -> Properties {
    guard let variables = member(json, "pushVariables") else { return [:] }
    do throws(PropertiesError) {
      return try Properties(json: variables)
    } catch {
      note("'pushVariables': \(error).")
      return [:]
    }
  }

  private mutating func secondaryTiles(_ json: JSONValue, _ platform: Platform) -> [SecondaryTile] {
    members(json, "secondaryTiles", of: "secondaryTiles").map { name, tile in
      let place = "secondaryTiles/\(name)"
      let tags = tags(tile, "\(place)/tags")
      return SecondaryTile(
        name: name, pushChannel: pushChannel(tile, "\(place)/pushChannel", platform), tags: tags,
        templates: templates(tile, "\(place)/templates", platform, beside: tags))
    }
  }
}

// MARK: - Tags and templates

extension InstallationReader {
  private mutating func members(_ json: JSONValue, _ key: String, of place: String) -> [JSONObject.Member] {
    guard let value = member(json, key) else { return [] }
    guard let object = value.object else {
      note("'\(place)' has to be an object, found \(value.kind).")
      return []
    }
    return object.filter { !$0.value.isNull }
  }

  /// The tags among `json`'s members; `name` is taken for a tag whatever it is spelled like.
  private mutating func tags(_ json: JSONValue, _ place: String, ownName name: String? = nil) -> [Tag] {
    guard let value = member(json, "tags") else { return [] }
    guard let elements = value.array else {
      note("'\(place)' has to be an array of strings, found \(value.kind).")
      return []
    }
    var tags: [Tag] = []
    for element in elements {
      guard let text = element.string else {
        note("'\(place)' has to be an array of strings, found \(element.kind) in it.")
        continue
      }
      // The service answers each template with its name among its tags, and devices send back what they got.
      if text == name { continue }
      do throws(TagError) { tags.append(try Tag(text)) } catch { note(error.description) }
    }
    return unique(tags)
  }

  private mutating func checkCount(_ tags: [Tag], _ place: String) {
    if tags.count > Installation.tagsMax {
      note("'\(place)' amount to \(tags.count) tags; at most \(Installation.tagsMax) are allowed in a registration.")
    }
  }

  /// Of each kind of identifier a registration bears one, the hub's own included, and a template's name, which is a tag
  /// as well. Otherwise a device could bear the tag by which another's is reached, and get what is meant for that one.
  private mutating func checkIdentifiers(_ installation: Installation) {
    for prefix in ["$installationid:", "$userid:"] {
      let isTwice = installation.registrations.contains { registration in
        registration.tags.count { $0.folded.hasPrefix(prefix) } > 1
      }
      if isTwice { note("The tags of a registration hold more than one tag that begins with \(prefix).") }
    }
  }

  private mutating func templates(
    _ json: JSONValue, _ place: String, _ platform: Platform, beside tags: [Tag]
  ) -> [NamedTemplate] {
    checkCount(tags, "tags")
    return members(json, "templates", of: place).compactMap { name, json in
      let template = template(json, name, "\(place)/\(name)", platform)
      if let template { checkCount(unique(tags + template.tags), "\(place)/\(name)/tags") }
      return template
    }
  }

  private mutating func template(
    _ json: JSONValue, _ name: String, _ place: String, _ platform: Platform
  ) -> NamedTemplate? {
    if name.isEmpty { note("'\(place)' has an empty name.") }
    if name.count > NamedTemplate.nameLengthMax {
      note("The template name exceeds the '\(NamedTemplate.nameLengthMax)' character limit.")
    }
    let tags = tags(json, "\(place)/tags", ownName: name)
    let headers = headers(json, place, platform)
    let expiry = expiry(json, place)
    if member(json, "body") == nil { note("'\(place)/body' is missing.") }
    guard let body = text(json, "body", of: "\(place)/body") else { return nil }
    do throws(TemplateError) {
      let template = try Template(body: body, platform: platform)
      if platform == .wns { checkWindowsType(template, headers) }
      return NamedTemplate(name: name, template: template, tags: tags, headers: headers, expiry: expiry)
    } catch {
      note("'\(place)/body': \(error)")
      return nil
    }
  }

  private mutating func expiry(_ json: JSONValue, _ place: String) -> TemplateExpression? {
    guard let text = text(json, "expiry", of: "\(place)/expiry") else { return nil }
    guard !text.isEmpty else {
      note("Expiry value is empty. When specified, a valid expiry value is required.")
      return nil
    }
    guard let expiry = expression(text, "\(place)/expiry") else { return nil }
    if expiry.kind == .literal, Int(text) == nil, ServiceTime.timestamp(text) == nil {
      note("Expiry value could not be deserialized to a date time.")
    }
    return expiry
  }

  private mutating func headers(
    _ json: JSONValue, _ place: String, _ platform: Platform
  ) -> [NamedTemplate.Header] {
    members(json, "headers", of: "\(place)/headers").compactMap { name, value in
      guard let text = value.string else {
        note("'\(place)/headers/\(name)' has to be a string, found \(value.kind).")
        return nil
      }
      guard let expression = expression(text, "\(place)/headers/\(name)") else { return nil }
      if platform == .apns { checkAppleHeader(name.lowercased(), expression) }
      return .init(name: name, value: expression)
    }
  }

  private mutating func checkAppleHeader(_ name: String, _ value: TemplateExpression) {
    if !name.hasPrefix("apns-") {
      note(
        "APNS Header '\(name)' does not conform to Apple's guidelines that headers must begin with \"apns-\".")
    }
    guard value.kind == .literal else { return }
    if name == "apns-priority" {
      if value.text.isEmpty { note("Priority value is empty. When specified, a valid priority value is required.") }
      if UInt8(value.text) == nil { note("Priority value could not be deserialized to a byte.") }
    }
    if name == "apns-expiration", Int(value.text) == nil {
      note("APNS Header 'apns-expiration' is a unix epoch date expressed in ticks. It must be an integer.")
    }
  }

  /// Windows has to be told what a body is, unless the body says it itself.
  private mutating func checkWindowsType(_ template: Template, _ headers: [NamedTemplate.Header]) {
    let isTold = headers.contains { $0.name.lowercased() == "x-wns-type" }
    let saysItself = template.rootElement.map { ["toast", "tile", "badge"].contains($0.lowercased()) } ?? false
    if !isTold && !saysItself { note("Must contain WNS Header : 'X-WNS-Type'.") }
  }

  private mutating func expression(_ text: String, _ place: String) -> TemplateExpression? {
    do throws(TemplateError) {
      return try TemplateExpression(parsing: text)
    } catch {
      note("'\(place)': \(error)")
      return nil
    }
  }
}

extension Template {
  /// The template with this body for `platform`. Windows may get a raw text that is one expression, `{$(message)}`;
  /// every other body is XML or JSON.
  init(body: String, platform: Platform) throws(TemplateError) {
    let template: Template
    do throws(TemplateError) {
      template = try Template(body: body)
    } catch {
      guard platform == .wns || platform == .mpns, error.kind == .bodyNotDeserialized, body.hasPrefix("{") else {
        throw error
      }
      template = try Template(body: body, format: .text)
    }
    self = template
  }
}
