import OpenSSL
public import Push
public import Time

/// The notifications that a hub has taken, and how far each has got.
///
/// Several processes may work on one outbox: a lease says whose a notification is, until when, and by its fence that a
/// process which was presumed dead can no longer record anything.
public protocol Outbox: Sendable {
  /// Takes a notification. A second one under the same id has no effect.
  func enqueue(_ notification: Notification, at now: Timestamp) async throws -> Enqueueing

  /// Leases the oldest notification that is not done and nobody's, and that no older one with the same `collapseId`
  /// precedes, which is not done: an alert arrives before its correction. Nil when there is none.
  ///
  /// A lease whose end is farther away than `OutboxLease.skewMax` beyond `end` was given by a clock that is set back
  /// since: it is nobody's.
  func lease(until end: Timestamp, at now: Timestamp) async throws -> OutboxLease?

  /// Gives a lease back before its end.
  func release(_ lease: OutboxLease) async throws

  /// Records a step in one transaction: mailbox rows, cursor, tally, state and the lease's new end. Returns nil, and
  /// records nothing, when the lease has become somebody else's.
  ///
  /// A row is added only while its registration still stands, and once for each notification, device and template
  /// name.
  func record(
    _ step: FanOutStep, under lease: OutboxLease, until end: Timestamp, at now: Timestamp
  ) async throws -> RecordedStep?

  /// How far a notification has got; nil when it is not known, or no longer.
  func progress(of id: NotificationID) async throws -> NotificationProgress?

  /// Forgets at most `limit` notifications that were taken before `moment` and are done; returns how many.
  func purgeNotifications(takenBefore moment: Timestamp, limit: Int) async throws -> Int
}

/// What an outbox says to a notification.
public enum Enqueueing: Hashable, Sendable {
  /// It is taken.
  case taken
  /// It was taken before.
  case known
}

/// How far a notification has got, in Azure's words.
public enum NotificationState: String, Hashable, Sendable, CaseIterable {
  /// Nothing of it is done.
  case enqueued = "Enqueued"
  /// Some of its devices have it.
  case processing = "Processing"
  /// All that could be done is done.
  case completed = "Completed"
  /// Nobody belongs to its audience.
  case noTargetFound = "NoTargetFound"
  /// Its time passed before all of its devices had it.
  case abandoned = "Abandoned"

  /// Whether nothing more will happen.
  public var isFinal: Bool { self != .enqueued && self != .processing }
}

/// A notification that is somebody's to fan out.
public struct OutboxLease: Sendable {
  /// The clocks of one machine's processes, and what is left of a lease, differ by less.
  public static let skewMax = Duration.seconds(60)

  /// Names the notification in its store.
  public let key: Int64
  /// Grows with each lease of the notification.
  public let fence: Int64
  /// The notification.
  public let notification: Notification
  /// When it was taken.
  public let taken: Timestamp
  /// The last registration that is done.
  public var cursor: RegistrationID?
  /// What is counted so far.
  public var tally: Tally

  /// A lease.
  public init(
    key: Int64, fence: Int64, notification: Notification, taken: Timestamp, cursor: RegistrationID?, tally: Tally
  ) {
    self.key = key
    self.fence = fence
    self.notification = notification
    self.taken = taken
    self.cursor = cursor
    self.tally = tally
  }
}

/// A step of a fan-out, to be recorded whole or not at all.
public struct FanOutStep: Sendable {
  /// A row for a device's mailbox.
  public struct Entry: Hashable, Sendable {
    /// The registration by which the device gets it.
    public let registration: RegistrationID
    /// The device.
    public let device: DeviceID
    /// The text's place in `texts`.
    public let text: Int

    /// A row.
    public init(registration: RegistrationID, device: DeviceID, text: Int) {
      self.registration = registration
      self.device = device
      self.text = text
    }
  }

  /// What templates gave, each once.
  public var texts: [RenderedText] = []
  /// The new rows.
  public var entries: [Entry] = []
  /// What became of the matches that got no row.
  public var tally = Tally()
  /// The last registration of the step.
  public var cursor: RegistrationID?
  /// The state after it.
  public var state = NotificationState.processing
  /// Until when the rows may be read.
  public var expires: Timestamp
  /// About how many rows a device's mailbox keeps, the newest. A store may keep some more for a while where that is
  /// cheaper than to count at every row.
  public var mailboxMax: Int

  /// A step in which nothing happens yet.
  public init(after cursor: RegistrationID?, expires: Timestamp, mailboxMax: Int) {
    self.cursor = cursor
    self.expires = expires
    self.mailboxMax = mailboxMax
  }
}

/// What a template gave for a notification.
public struct RenderedText: Hashable, Sendable {
  /// The template's name.
  public let templateName: String
  /// The text.
  public let body: String
  /// What equal bodies share: SHA-256, 32 bytes.
  public let digest: [UInt8]

  /// A text.
  public init(templateName: String, body: String) {
    self.templateName = templateName
    self.body = body
    digest = SHA256.digest(of: body)
  }
}

/// What came of recording a step.
public struct RecordedStep: Hashable, Sendable {
  /// The devices that have something new to read.
  public var delivered: [DeviceID]
  /// The number that the new rows have in common; nil when there were none to add.
  public var sequence: Int64?
  /// What became of the step's matches.
  public var tally: Tally

  /// What came of a step.
  public init(delivered: [DeviceID], sequence: Int64?, tally: Tally) {
    self.delivered = delivered
    self.sequence = sequence
    self.tally = tally
  }
}

/// How far a notification has got.
public struct NotificationProgress: Hashable, Sendable {
  /// The notification.
  public let notification: Notification
  /// Its state.
  public let state: NotificationState
  /// What is counted so far.
  public let tally: Tally
  /// When it was taken.
  public let taken: Timestamp
  /// When its first step was recorded.
  public let started: Timestamp?
  /// When its last step was recorded.
  public let finished: Timestamp?

  /// The progress of a notification.
  public init(
    notification: Notification, state: NotificationState, tally: Tally, taken: Timestamp, started: Timestamp?,
    finished: Timestamp?
  ) {
    self.notification = notification
    self.state = state
    self.tally = tally
    self.taken = taken
    self.started = started
    self.finished = finished
  }
}
