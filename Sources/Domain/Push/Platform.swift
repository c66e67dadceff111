/// A family of devices, told apart by the service that reaches them. The raw value is the name on the wire.
public enum Platform: String, Hashable, Sendable, CaseIterable {
  /// Apple Push Notification service.
  case apns
  /// Windows Push Notification Services.
  case wns
  /// Microsoft Push Notification Service, for Windows Phone.
  case mpns
  /// Google's messaging as it was called before 2019; its registrations live on through Firebase.
  case gcm
  /// Firebase Cloud Messaging, HTTP version 1.
  case fcmV1
  /// Amazon Device Messaging.
  case adm
  case baidu
  /// Web Push (RFC 8030).
  case browser
  case xiaomi
  /// A device that listens to this hub itself, by Server-Sent Events. Azure has no such platform.
  case sse

  /// The platform named `name`, in whatever case.
  public init?(_ name: some StringProtocol) {
    let folded = name.lowercased()
    guard let platform = Self.allCases.first(where: { $0.rawValue.lowercased() == folded }) else { return nil }
    self = platform
  }
}
