public import Push
public import Time

/// What waits for the devices that listen to this hub themselves. Rows are added by `Outbox.record`; reading takes
/// nothing away.
public protocol Mailbox: Sendable {
  /// The listening device that registered with this handle; nil when none is registered.
  func device(_ handle: HandleDigest) async throws -> DeviceID?

  /// What a device has not read yet: the first `limit` events of those retained after `position`, in order. Nil when the
  /// device is no longer registered.
  func events(
    of device: DeviceID, after position: MailboxPosition?, limit: Int, at now: Timestamp
  ) async throws -> [MailboxEvent]?

  /// Where an event stands in a device's mailbox; nil when it is not there, or no longer.
  func position(of event: MailboxEventID, in device: DeviceID) async throws -> MailboxPosition?

  /// The greatest sequence number that was given, by whichever process.
  func latestSequence() async throws -> Int64

  /// How many rows there are.
  func mailboxCount() async throws -> Int

  /// Forgets at most `limit` rows whose time has passed; returns how many.
  func purgeMailbox(expiredAt now: Timestamp, limit: Int) async throws -> Int
}

/// A place in a device's mailbox.
public struct MailboxPosition: Hashable, Comparable, Sendable {
  /// Grows with each step that was recorded.
  public let sequence: Int64
  /// Tells the rows of one step and device apart.
  public let ordinal: Int

  /// A place.
  public init(sequence: Int64, ordinal: Int) {
    self.sequence = sequence
    self.ordinal = ordinal
  }

  /// Orders as the device reads.
  public static func < (left: MailboxPosition, right: MailboxPosition) -> Bool {
    (left.sequence, left.ordinal) < (right.sequence, right.ordinal)
  }
}

/// Names an event within its device's mailbox, for `Last-Event-ID`.
///
/// It is the notification's id as it is; where the device has several templates and so gets a notification several
/// times, `#1`, `#2` … follow from the second on, so that a reader who was cut off in between misses nothing.
public struct MailboxEventID: Hashable, Sendable, CustomStringConvertible {
  /// The notification.
  public let notification: NotificationID
  /// The template's place among those of the device, from 0.
  public let ordinal: Int

  /// The event that brought `notification` by the template at `ordinal`.
  public init(notification: NotificationID, ordinal: Int = 0) {
    self.notification = notification
    self.ordinal = ordinal
  }

  /// The event that `text` names; nil when it names none.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    guard let notification = NotificationID(String(parts[0])) else { return nil }
    guard parts.count == 2 else {
      self.init(notification: notification)
      return
    }
    guard let ordinal = Int(parts[1]), ordinal > 0 else { return nil }
    self.init(notification: notification, ordinal: ordinal)
  }

  /// As `id:` of an event spells it.
  public var description: String { ordinal == 0 ? notification.description : "\(notification)#\(ordinal)" }
}

/// A push as a listening device reads it.
public struct MailboxEvent: Hashable, Sendable {
  /// Names it in the device's mailbox.
  public let id: MailboxEventID
  /// Its place there.
  public let position: MailboxPosition
  /// What the device's template gave.
  public let body: String

  /// An event.
  public init(id: MailboxEventID, position: MailboxPosition, body: String) {
    self.id = id
    self.position = position
    self.body = body
  }
}
