public import Telemetry

/// What a key may be used for.
public enum AccessRight: String, Hashable, Sendable, CaseIterable {
  /// Registering one's own device.
  case listen = "Listen"
  /// Sending notifications.
  case send = "Send"
  /// Everything about the hub and its registrations.
  case manage = "Manage"

  /// The right named `name`, in whatever case.
  public init?(_ name: some StringProtocol) {
    let folded = name.lowercased()
    guard let right = Self.allCases.first(where: { $0.rawValue.lowercased() == folded }) else { return nil }
    self = right
  }
}

/// A key by its name, and what it opens: who signs with it may do what the rule says.
public struct AccessRule: Sendable {
  /// Azure's limit on the length of a name and of a key, in characters.
  public static let lengthMax = 256

  /// The name that tokens are signed under, as `skn`.
  public let name: String
  /// The keys, any of which signs: a second one lets the first be changed without an outage.
  public let keys: [Secret]
  /// What a token may be used for. Managing includes listening and sending.
  public let rights: Set<AccessRight>

  /// The rule `name`.
  public init(name: String, keys: [Secret], rights: Set<AccessRight>) {
    self.name = name
    self.keys = keys
    self.rights = rights.contains(.manage) ? Set(AccessRight.allCases) : rights
  }
}
