// Notifications, tags, templates and registrations: values and their laws. Never knows the news.

public import Time

/// What is sent once to everyone in its audience, the same for every platform and language: each device's own template
/// picks from the properties what it shows.
public struct Notification: Hashable, Sendable {
  /// Names the notification for ever. Sending it again under the same id is the same notification.
  public let id: NotificationID
  /// What templates may use: `News_French`, `title`, `url` …
  public let properties: Properties
  /// Who gets it.
  public let audience: Audience
  /// When it is no longer worth delivering; nil when it always is.
  public let expires: Timestamp?

  /// A notification with these properties for this audience.
  public init(id: NotificationID, properties: Properties, audience: Audience, expires: Timestamp? = nil) {
    self.id = id
    self.properties = properties
    self.audience = audience
    self.expires = expires
  }
}

/// Who gets a notification. Everyone is said in words, so that no forgotten tag ever becomes a broadcast.
public enum Audience: Hashable, Sendable {
  /// Every device of the hub.
  case everyone
  /// The devices whose tags match.
  case matching(TagExpression)

  /// Whether a device with these tags belongs to it.
  public func includes(_ tags: Set<Tag>) -> Bool {
    switch self {
    case .everyone: true
    case .matching(let expression): expression.matches(tags)
    }
  }
}

extension Audience: CustomStringConvertible {
  /// The expression, or `everyone`.
  public var description: String {
    switch self {
    case .everyone: "everyone"
    case .matching(let expression): expression.description
    }
  }
}
