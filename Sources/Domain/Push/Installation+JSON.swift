public import JSON
import Time

extension Installation {
  /// Reads an installation as devices write it (`PUT /{hub}/installations/{id}`). What is not known is ignored.
  ///
  /// With an `id`, that of the address, the object may leave out its own, and may not have another.
  public init(json: JSONValue, id: String? = nil) throws(InstallationError) {
    var reader = InstallationReader()
    let installation = reader.installation(json, id: id)
    guard let installation, reader.errors.isEmpty else { throw InstallationError(errors: reader.errors) }
    self = installation
  }

  /// The installation as Azure's service answers it: same order, and each template with its name among its tags.
  public var json: JSONValue {
    var json: JSONObject = [
      "installationId": .string(id), "pushChannel": pushChannel.json,
      "pushChannelExpired": .bool(isPushChannelExpired), "platform": .string(platform.rawValue),
      "expirationTime": .string(ServiceTime.text(expirationTime)),
    ]
    if !tags.isEmpty { json["tags"] = tags.json }
    if !pushVariables.isEmpty { json["pushVariables"] = pushVariables.json }
    if !templates.isEmpty { json["templates"] = templates.json }
    if !secondaryTiles.isEmpty {
      json["secondaryTiles"] = .object(JSONObject(secondaryTiles.map { ($0.name, $0.json) }))
    }
    if let userID { json["userId"] = .string(userID) }
    return .object(json)
  }
}

extension [Tag] {
  fileprivate var json: JSONValue { .array(map { .string($0.name) }) }
}

extension [NamedTemplate] {
  fileprivate var json: JSONValue { .object(JSONObject(map { ($0.name, $0.json) })) }
}

extension NamedTemplate {
  fileprivate var json: JSONValue {
    var json: JSONObject = ["body": .string(template.body)]
    if !headers.isEmpty { json["headers"] = .object(JSONObject(headers.map { ($0.name, .string($0.value.text)) })) }
    if let expiry { json["expiry"] = .string(expiry.text) }
    json["tags"] = unique(tags + [Tag(templateName: name)]).json
    return .object(json)
  }
}

extension SecondaryTile {
  fileprivate var json: JSONValue {
    var json: JSONObject = ["pushChannel": pushChannel.json, "pushChannelExpired": false]
    if !tags.isEmpty { json["tags"] = tags.json }
    if !templates.isEmpty { json["templates"] = templates.json }
    return .object(json)
  }
}

/// Why a JSON value is no installation: everything that is wrong, not only the first.
public struct InstallationError: Error, Hashable, Sendable {
  /// What is wrong, each with its place and what would be right.
  public let errors: [String]
}

extension InstallationError: CustomStringConvertible {
  /// All errors, introduced in Azure's words.
  public var description: String {
    "Installation validation failed with following error(s): " + errors.joined(separator: " ")
  }
}
