import OpenSSL
public import Push
public import Time

/// What a hub remembers of its devices.
public protocol RegistrationStore: Sendable {
  /// Keeps an installation in place of what was known under its id.
  ///
  /// It amounts to its registrations (`Installation.registrations`); those that were there before keep their ids. Of
  /// several installations with one handle the newest speaks for the device: it takes the registrations of the others
  /// away, so that a device that comes back under a new id rings once, and by what it wants now.
  func put(_ installation: Installation, at now: Timestamp) async throws

  /// The installation as it was put; nil when there is none or its time has passed.
  func installation(_ id: String, at now: Timestamp) async throws -> Installation?

  /// Forgets an installation, its registrations, and the mailbox of a device that none is left of. Returns whether
  /// there was one.
  func deleteInstallation(_ id: String) async throws -> Bool

  /// The template registrations of an audience, in the order of their ids, at most `limit` of those after `last`.
  /// Installations whose time has passed are not among them.
  func matches(
    _ audience: Audience, after last: RegistrationID?, limit: Int, at now: Timestamp
  ) async throws -> MatchPage

  /// How many registrations there are, native ones included.
  func registrationCount() async throws -> Int

  /// Forgets at most `limit` installations whose time has passed; returns how many.
  func purgeInstallations(expiredAt now: Timestamp, limit: Int) async throws -> Int
}

/// Names a registration in its store. Later ones are greater.
public struct RegistrationID: Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: Int64

  /// The registration of that number.
  public init(_ rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Less than every other.
  public static let first = RegistrationID(0)

  /// The next number.
  public var next: RegistrationID { RegistrationID(rawValue + 1) }

  /// Orders by age.
  public static func < (left: RegistrationID, right: RegistrationID) -> Bool { left.rawValue < right.rawValue }
}

/// Names a device, which is a handle on a platform, in its store.
public struct DeviceID: Hashable, Sendable {
  /// The number.
  public let rawValue: Int64

  /// The device of that number.
  public init(_ rawValue: Int64) {
    self.rawValue = rawValue
  }
}

/// Names a template in its store. Equal templates share one, and the same number never means another.
public struct TemplateID: Hashable, Sendable {
  /// The number.
  public let rawValue: Int64

  /// The template of that number.
  public init(_ rawValue: Int64) {
    self.rawValue = rawValue
  }
}

/// A template registration that belongs to an audience.
public struct Match: Hashable, Sendable {
  /// The registration.
  public let registration: RegistrationID
  /// Its device.
  public let device: DeviceID
  /// Its template.
  public let template: TemplateID

  /// A match.
  public init(registration: RegistrationID, device: DeviceID, template: TemplateID) {
    self.registration = registration
    self.device = device
    self.template = template
  }
}

/// Some matches of an audience, with what it takes to render for them.
public struct MatchPage: Sendable {
  /// The matches, in the order of their registrations.
  public var matches: [Match]
  /// The templates that they name.
  public var templates: [TemplateID: RegisteredTemplate]
  /// The own texts of the devices whose templates are personal.
  public var pushVariables: [RegistrationID: Properties]

  /// A page.
  public init(
    matches: [Match], templates: [TemplateID: RegisteredTemplate], pushVariables: [RegistrationID: Properties] = [:]
  ) {
    self.matches = matches
    self.templates = templates
    self.pushVariables = pushVariables
  }
}

/// A template as a store keeps it, once for all devices that have the same: it says what is rendered and for whom.
public struct RegisteredTemplate: Hashable, Sendable {
  /// The platform of its devices.
  public let platform: Platform
  /// Its name in their installations.
  public let name: String
  /// What the body is.
  public let format: Template.Format
  /// The body as its author wrote it.
  public let body: String
  /// Whether its devices have texts of their own for it, so that it gives each of them something else.
  public let isPersonal: Bool

  /// A template read back from a store.
  public init(platform: Platform, name: String, format: Template.Format, body: String, isPersonal: Bool = false) {
    self.platform = platform
    self.name = name
    self.format = format
    self.body = body
    self.isPersonal = isPersonal
  }

  /// The template of a registration; nil for a native one.
  public init?(of registration: Registration) {
    guard let template = registration.template else { return nil }
    self.init(
      platform: registration.platform, name: template.name, format: template.template.format,
      body: template.template.body, isPersonal: !registration.pushVariables.isEmpty)
  }

  /// What equal templates share, and a store can index: SHA-256, 32 bytes.
  public var digest: [UInt8] {
    // Lengths in front keep the parts apart: "ab" + "c" is not "a" + "bc".
    let parts = [platform.rawValue, name, String(describing: format), body, isPersonal ? "personal" : ""]
    return SHA256.digest(of: parts.map { "\($0.utf8.count):\($0)" }.joined())
  }
}

/// The SHA-256 of a device's handle. The handle of a listening device is its secret: only this is compared, and only
/// this may be seen.
public struct HandleDigest: Hashable, Sendable, CustomStringConvertible {
  /// The digest: 32 bytes.
  public let bytes: [UInt8]

  /// The digest of a handle.
  public init(of handle: String) {
    bytes = SHA256.digest(of: handle)
  }

  /// A digest read back from a store.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Its first twelve hexadecimal digits: enough to tell devices apart in a log.
  public var description: String { hexadecimal(bytes.prefix(6)) }
}
