public import JSON
public import Push
public import Time

/// Devices and notifications for tests of the hub.
public enum HubFixtures {
  /// When the tests take place.
  public static let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!

  /// The body that shows a property as it is.
  public static func body(_ property: String) -> String { #"{"alert":"$(\#(property))"}"# }

  /// A handle that a listening device could have drawn.
  public static func handle(_ number: Int) -> String {
    let digits = String(number)
    return "handle-" + String(repeating: "0", count: max(0, 20 - digits.count)) + digits
  }

  /// A device with one template, `news`, unless others are given as name and body.
  public static func installation(
    _ id: String, handle: String? = nil, platform: Platform = .sse, tags: [String] = [],
    templates: [(String, String)] = [("news", body("News_English"))], user: String? = nil, expires: Timestamp? = nil,
    pushVariables: [(String, JSONValue)] = []
  ) -> Installation {
    var json: JSONObject = [
      "installationId": .string(id), "platform": .string(platform.rawValue),
      "pushChannel": .string(handle ?? "the-handle-of-the-device-\(id)"), "tags": .array(tags.map { .string($0) }),
      "templates": .object(JSONObject(templates.map { ($0.0, ["body": .string($0.1)]) })),
      "pushVariables": .object(JSONObject(pushVariables.map { ($0.0, $0.1) })),
    ]
    if let user { json["userId"] = .string(user) }
    if let expires { json["expirationTime"] = .string(expires.rfc3339) }
    return try! Installation(json: .object(json))
  }

  /// A notification by its number, for an audience spelled as an expression or for everyone.
  public static func notification(
    _ number: Int, to audience: String? = nil, _ properties: Properties = ["News_English": "News"],
    expires: Timestamp? = nil
  ) -> Notification {
    let digits = String(number)
    let id = "NH-20261130120000000-" + String(repeating: "0", count: 32 - digits.count) + digits + "-07"
    return Notification(
      id: NotificationID(id)!, properties: properties,
      audience: audience.map { .matching(try! TagExpression(parsing: $0)) } ?? .everyone, expires: expires)
  }
}
