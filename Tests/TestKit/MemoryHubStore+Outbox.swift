public import BuiltInHub
public import Push
import Synchronization
public import Time

// MARK: - Outbox

extension MemoryHubStore {
  /// Takes a notification, once.
  public func enqueue(_ notification: Notification, at now: Timestamp) async throws -> Enqueueing {
    state.withLock { state in
      guard !state.outbox.contains(where: { $0?.notification.id == notification.id }) else { return .known }
      state.outbox.append(Work(notification: notification, taken: now))
      return .taken
    }
  }

  /// Leases the oldest notification that is free.
  public func lease(until end: Timestamp, at now: Timestamp) async throws -> OutboxLease? {
    state.withLock { state in
      var open: Set<String> = []
      let place = state.outbox.firstIndex { work in
        if let work, !work.state.isFinal, let story = work.notification.properties["collapseId"] {
          guard open.insert(story).inserted else { return false }
        }
        guard let work, !work.state.isFinal else { return false }
        return work.leaseEnd.map { $0 <= now || $0 > end + OutboxLease.skewMax } ?? true
      }
      guard let place, var work = state.outbox[place] else { return nil }
      work.fence += 1
      work.leaseEnd = end
      state.outbox[place] = work
      return OutboxLease(
        key: Int64(place + 1), fence: work.fence, notification: work.notification, taken: work.taken,
        cursor: work.cursor, tally: work.tally)
    }
  }

  /// Gives a lease back.
  public func release(_ lease: OutboxLease) async throws {
    state.withLock { state in
      let place = Int(lease.key - 1)
      if state.outbox[place]?.fence == lease.fence { state.outbox[place]?.leaseEnd = nil }
    }
  }

  /// Records a step.
  public func record(
    _ step: FanOutStep, under lease: OutboxLease, until end: Timestamp, at now: Timestamp
  ) async throws -> RecordedStep? {
    state.withLock { state -> RecordedStep? in
      let place = Int(lease.key - 1)
      guard var work = state.outbox[place], work.fence == lease.fence, !work.state.isFinal else { return nil }
      var recorded = RecordedStep(delivered: [], sequence: nil, tally: step.tally)
      if !step.entries.isEmpty {
        state.sequence += 1
        recorded.sequence = state.sequence
        for entry in step.entries { state.deliver(entry, of: step, work.notification.id, &recorded) }
      }
      work.cursor = step.cursor
      work.tally.add(recorded.tally)
      work.state = step.state
      work.started = work.started ?? now
      work.finished = step.state.isFinal ? now : nil
      work.leaseEnd = end
      state.outbox[place] = work
      return recorded
    }
  }

  /// How far a notification has got.
  public func progress(of id: NotificationID) async throws -> NotificationProgress? {
    state.withLock { state in
      guard let work = state.outbox.lazy.compactMap(\.self).first(where: { $0.notification.id == id }) else {
        return nil
      }
      return NotificationProgress(
        notification: work.notification, state: work.state, tally: work.tally, taken: work.taken,
        started: work.started, finished: work.finished)
    }
  }

  /// Forgets notifications that are done.
  public func purgeNotifications(takenBefore moment: Timestamp, limit: Int) async throws -> Int {
    state.withLock { state in
      let waiting = Set(state.mailboxes.values.flatMap { $0.map(\.notification) })
      let old = state.outbox.indices.filter { place in
        guard let work = state.outbox[place] else { return false }
        return work.state.isFinal && work.taken < moment && !waiting.contains(work.notification.id)
      }
      for place in old.prefix(limit) { state.outbox[place] = nil }
      return min(old.count, limit)
    }
  }
}

extension MemoryHubStore.State {
  mutating func deliver(
    _ entry: FanOutStep.Entry, of step: FanOutStep, _ notification: NotificationID, _ recorded: inout RecordedStep
  ) {
    guard let row = registrations[entry.registration], row.device == entry.device else {
      return recorded.tally.add(.expiredChannel, on: .sse)
    }
    let text = step.texts[entry.text]
    var mailbox = mailboxes[entry.device] ?? []
    guard !mailbox.contains(where: { $0.notification == notification && $0.templateName == text.templateName }) else {
      return recorded.tally.add(.skipped, on: .sse)
    }
    let event = MailboxEvent(
      id: MailboxEventID(notification: notification, ordinal: row.placed.ordinal),
      position: MailboxPosition(sequence: sequence, ordinal: row.placed.ordinal), body: text.body)
    mailbox.append(
      MemoryHubStore.Entry(
        notification: notification, templateName: text.templateName, event: event, expires: step.expires))
    mailbox.sort { $0.event.position < $1.event.position }
    mailboxes[entry.device] = mailbox.suffix(step.mailboxMax)
    recorded.delivered.append(entry.device)
    recorded.tally.add(.success, on: .sse)
  }
}

// MARK: - Mailboxes

extension MemoryHubStore {
  /// The listening device with this handle.
  public func device(_ handle: HandleDigest) async throws -> DeviceID? {
    state.withLock { $0.devices[Device(platform: .sse, handle: handle)] }
  }

  /// What a device has not read yet.
  public func events(
    of device: DeviceID, after position: MailboxPosition?, limit: Int, at now: Timestamp
  ) async throws -> [MailboxEvent]? {
    state.withLock { state in
      guard state.devices.values.contains(device) else { return nil }
      return (state.mailboxes[device] ?? []).filter { entry in
        entry.expires > now && position.map { $0 < entry.event.position } ?? true
      }.prefix(limit).map(\.event)
    }
  }

  /// Where an event stands.
  public func position(of event: MailboxEventID, in device: DeviceID) async throws -> MailboxPosition? {
    state.withLock { $0.mailboxes[device]?.last { $0.event.id == event }?.event.position }
  }

  /// The greatest sequence number that was given.
  public func latestSequence() async throws -> Int64 { state.withLock { $0.sequence } }

  /// How many rows there are.
  public func mailboxCount() async throws -> Int {
    state.withLock { $0.mailboxes.values.reduce(0) { $0 + $1.count } }
  }

  /// Forgets rows whose time has passed.
  public func purgeMailbox(expiredAt now: Timestamp, limit: Int) async throws -> Int {
    state.withLock { state in
      var count = 0
      for (device, mailbox) in state.mailboxes {
        state.mailboxes[device] = mailbox.filter { entry in
          guard entry.expires <= now, count < limit else { return true }
          count += 1
          return false
        }
      }
      return count
    }
  }
}
