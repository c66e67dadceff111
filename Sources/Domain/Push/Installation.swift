public import Time

/// A device as it describes itself in one piece: its address, what it wants to hear of, and how it wants to see it.
public struct Installation: Hashable, Sendable {
  /// Azure's limit on the tags of one registration, those that the hub adds not counted.
  public static let tagsMax = 60

  /// The name that the device chose for itself.
  public let id: String
  /// The service that reaches it.
  public let platform: Platform
  /// Its address there.
  public let pushChannel: PushChannel
  /// Whether the platform has said that the address is no more.
  public var isPushChannelExpired = false
  /// When the device is to be forgotten; nil for never.
  public let expirationTime: Timestamp?
  /// What every registration of the device bears.
  public let tags: [Tag]
  /// Whose device it is.
  public let userID: String?
  /// How the device wants to see notifications: it gets each once for every template.
  public let templates: [NamedTemplate]
  /// Texts of the device's own for its templates.
  public let pushVariables: Properties
  /// Further addresses of the device, on WNS.
  public let secondaryTiles: [SecondaryTile]
}

/// A template by its name, with what belongs to it alone.
public struct NamedTemplate: Hashable, Sendable {
  /// Azure's limit on the length of a name, in characters.
  public static let nameLengthMax = 200

  /// A header for the push service, whose value may be an expression.
  public struct Header: Hashable, Sendable {
    /// The header's name.
    public let name: String
    /// Its value.
    public let value: TemplateExpression
  }

  /// The name, unique within its installation.
  public let name: String
  /// What is shown.
  public let template: Template
  /// The tags that the template adds to the installation's.
  public let tags: [Tag]
  /// The headers for the push service, in order.
  public let headers: [Header]
  /// When a notification is no longer worth delivering: a date, a number of seconds since 1970, or an expression.
  public let expiry: TemplateExpression?
}

/// A second place on a Windows device's start screen, with an address of its own.
public struct SecondaryTile: Hashable, Sendable {
  /// The tile's name.
  public let name: String
  /// Its address.
  public let pushChannel: PushChannel
  /// What every registration of the tile bears.
  public let tags: [Tag]
  /// How the tile wants to see notifications.
  public let templates: [NamedTemplate]
}

/// What a hub matches and sends to: one address in one form.
public struct Registration: Hashable, Sendable {
  /// The installation that it belongs to.
  public let installationID: String
  /// The service that reaches it.
  public let platform: Platform
  /// Its address there.
  public let pushChannel: PushChannel
  /// All its tags: the hub's own, the installation's, the template's and the template's name.
  public let tags: [Tag]
  /// How it wants to see notifications; nil for a native registration, which gets only what was written for its
  /// platform.
  public let template: NamedTemplate?
  /// Texts of the device's own for its templates.
  public let pushVariables: Properties
  /// When it is to be forgotten; nil for never.
  public let expirationTime: Timestamp?
}

extension Installation {
  /// What the installation amounts to: for each of its addresses one native registration and one for each template.
  public var registrations: [Registration] {
    var registrations = registrations(pushChannel, tags, templates)
    for tile in secondaryTiles {
      registrations += self.registrations(tile.pushChannel, tile.tags, tile.templates)
    }
    return registrations
  }

  private func registrations(
    _ pushChannel: PushChannel, _ tags: [Tag], _ templates: [NamedTemplate]
  ) -> [Registration] {
    let identifiers = [try? Tag(installationID: id), userID.flatMap { try? Tag(userID: $0) }].compactMap(\.self)
    return ([nil] + templates).map { (template: NamedTemplate?) in
      let own = template.map { $0.tags + [Tag(templateName: $0.name)] } ?? []
      return Registration(
        installationID: id, platform: platform, pushChannel: pushChannel, tags: unique(identifiers + tags + own),
        template: template, pushVariables: pushVariables, expirationTime: expirationTime)
    }
  }
}

/// `tags`, each once, in the order of their first occurrence.
func unique(_ tags: [Tag]) -> [Tag] {
  var seen: Set<Tag> = []
  return tags.filter { seen.insert($0).inserted }
}
