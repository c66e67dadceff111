public import BuiltInHub
public import Push
import Synchronization
public import Time

/// A hub's store as a process sees it that is killed at its n-th call: that call and all later ones fail. What the call
/// had to do may be done already or not.
public final class DyingHubStore: RegistrationStore, Outbox, Mailbox {
  /// The failure.
  public struct Killed: Error {}

  /// On which side of the deadly call the process dies.
  public enum Moment: Sendable, CaseIterable {
    case beforeEffect, afterEffect
  }

  private let store: any HubStore
  private let callsLeft: Mutex<Int>
  private let moment: Moment

  /// A view of `store` in which the call number `call`, from 1, is the last.
  public init(_ store: any HubStore, killedAt call: Int, _ moment: Moment) {
    self.store = store
    self.moment = moment
    callsLeft = Mutex(call)
  }

  /// Whether the deadly call was made.
  public var isDead: Bool { callsLeft.withLock { $0 <= 0 } }

  private func live<Value>(_ body: () async throws -> Value) async throws -> Value {
    let left = callsLeft.withLock { left in
      left -= 1
      return left
    }
    if left < 0 || left == 0 && moment == .beforeEffect { throw Killed() }
    let value = try await body()
    if left == 0 { throw Killed() }
    return value
  }
}

extension DyingHubStore {
  /// As the store does.
  public func put(_ installation: Installation, at now: Timestamp) async throws {
    try await live { try await store.put(installation, at: now) }
  }

  /// As the store does.
  public func installation(_ id: String, at now: Timestamp) async throws -> Installation? {
    try await live { try await store.installation(id, at: now) }
  }

  /// As the store does.
  public func deleteInstallation(_ id: String) async throws -> Bool {
    try await live { try await store.deleteInstallation(id) }
  }

  /// As the store does.
  public func matches(
    _ audience: Audience, after last: RegistrationID?, limit: Int, at now: Timestamp
  ) async throws -> MatchPage {
    try await live { try await store.matches(audience, after: last, limit: limit, at: now) }
  }

  /// As the store does.
  public func registrationCount() async throws -> Int { try await live { try await store.registrationCount() } }

  /// As the store does.
  public func purgeInstallations(expiredAt now: Timestamp, limit: Int) async throws -> Int {
    try await live { try await store.purgeInstallations(expiredAt: now, limit: limit) }
  }

  /// As the store does.
  public func enqueue(_ notification: Notification, at now: Timestamp) async throws -> Enqueueing {
    try await live { try await store.enqueue(notification, at: now) }
  }

  /// As the store does.
  public func lease(until end: Timestamp, at now: Timestamp) async throws -> OutboxLease? {
    try await live { try await store.lease(until: end, at: now) }
  }

  /// As the store does.
  public func release(_ lease: OutboxLease) async throws { try await live { try await store.release(lease) } }

  /// As the store does.
  public func record(
    _ step: FanOutStep, under lease: OutboxLease, until end: Timestamp, at now: Timestamp
  ) async throws -> RecordedStep? {
    try await live { try await store.record(step, under: lease, until: end, at: now) }
  }

  /// As the store does.
  public func progress(of id: NotificationID) async throws -> NotificationProgress? {
    try await live { try await store.progress(of: id) }
  }

  /// As the store does.
  public func purgeNotifications(takenBefore moment: Timestamp, limit: Int) async throws -> Int {
    try await live { try await store.purgeNotifications(takenBefore: moment, limit: limit) }
  }

  /// As the store does.
  public func device(_ handle: HandleDigest) async throws -> DeviceID? {
    try await live { try await store.device(handle) }
  }

  /// As the store does.
  public func events(
    of device: DeviceID, after position: MailboxPosition?, limit: Int, at now: Timestamp
  ) async throws -> [MailboxEvent]? {
    try await live { try await store.events(of: device, after: position, limit: limit, at: now) }
  }

  /// As the store does.
  public func position(of event: MailboxEventID, in device: DeviceID) async throws -> MailboxPosition? {
    try await live { try await store.position(of: event, in: device) }
  }

  /// As the store does.
  public func latestSequence() async throws -> Int64 { try await live { try await store.latestSequence() } }

  /// As the store does.
  public func mailboxCount() async throws -> Int { try await live { try await store.mailboxCount() } }

  /// As the store does.
  public func purgeMailbox(expiredAt now: Timestamp, limit: Int) async throws -> Int {
    try await live { try await store.purgeMailbox(expiredAt: now, limit: limit) }
  }
}
