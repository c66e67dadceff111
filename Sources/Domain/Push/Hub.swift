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
  /// It was not taken, nor would any other be: the hub is closed to us for now.
  case closed(HubClosure)
  /// It was not taken and never will be as it is.
  case refused(why: String)
  /// It was not taken, through no fault of its own: the hub reaches no device in that way.
  case unserved(why: String)
  /// Nobody knows whether it was taken: it may have left, and no answer came.
  case unknown(why: String)
}

/// Why a hub takes nothing from us for now.
public struct HubClosure: Hashable, Sendable {
  /// What has to change before it takes something again.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// The key, its rights or the hub's name: a person has to act.
    case access
    /// The hub asks for a rest: its quota is used up, or it is overloaded.
    case quota
    /// No connection can be made.
    case unreachable
  }

  /// What has to change.
  public let cause: Cause
  /// How long to leave the hub alone; nil where it does not say.
  public let wait: Duration?
  /// What happened, and what would be right.
  public let why: String

  /// A hub that is closed for `cause`.
  public init(_ cause: Cause, wait: Duration? = nil, why: String) {
    self.cause = cause
    self.wait = wait
    self.why = why
  }
}
