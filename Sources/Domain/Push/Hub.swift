/// Takes notifications and brings them to the devices of their audience.
public protocol Hub: Sendable {
  /// Whether sending a notification again under its id has no second effect. A hub that cannot promise this may ring
  /// twice, and the caller has to choose between twice and perhaps never.
  var repeatsSafely: Bool { get }

  /// Hands over `notification`. Returns when the hub has it for good, which is before the devices have it.
  func send(_ notification: Notification) async throws(HubError) -> Receipt
}

/// What a hub says when it has taken a notification.
public struct Receipt: Hashable, Sendable {
  /// The hub's own name for what it took: by it the hub answers questions later.
  public let notificationID: String
  /// How many registrations the audience held; nil when the hub does not tell.
  public let matched: Int?

  /// A receipt for what the hub calls `notificationID`.
  public init(notificationID: String, matched: Int? = nil) {
    self.notificationID = notificationID
    self.matched = matched
  }
}

/// Why a hub did not take a notification, as what to do about it.
public enum HubError: Error, Hashable, Sendable {
  /// It was not taken and may be sent again, not before the duration has passed.
  case retry(after: Duration, why: String)
  /// It was not taken and never will be as it is.
  case refused(why: String)
  /// Nobody knows whether it was taken: it may have left, and no answer came.
  case unknown(why: String)
}
