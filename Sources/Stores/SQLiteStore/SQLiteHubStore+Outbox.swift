public import BuiltInHub
import JSON
public import Push
import SQLite
public import Time

extension SQLiteHubStore: Outbox {
  /// Takes a notification, once.
  public func enqueue(_ notification: Notification, at now: Timestamp) async throws -> Enqueueing {
    let audience: String? =
      switch notification.audience {
      case .everyone: nil
      case .matching(let expression): expression.description
      }
    return try await database.write { [hub] db in
      let count = try db.execute(
        """
        INSERT INTO hub_notification (hub, id, audience, properties, expires, taken, state, tally, fence, lease_end)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, 0) ON CONFLICT DO NOTHING
        """, hub, notification.id.description, audience, notification.properties.json, notification.expires, now,
        NotificationState.enqueued.rawValue, Tally().json)
      return count == 1 ? .taken : .known
    }
  }

  /// Leases the oldest notification that is free.
  public func lease(until end: Timestamp, at now: Timestamp) async throws -> OutboxLease? {
    // Asked every second, and mostly in vain: that must not wait for somebody who writes.
    guard try await database.read({ [hub] db in try db.freeNotification(until: end, at: now, hub: hub) }) != nil else {
      return nil
    }
    return try await database.write { [hub] db in
      guard let key = try db.freeNotification(until: end, at: now, hub: hub) else { return nil }
      try db.execute(
        "UPDATE hub_notification SET fence = fence + 1, lease_end = ?2 WHERE key = ?1", key, end)
      return try db.first(
        """
        SELECT id, audience, properties, expires, taken, registration, tally, fence
        FROM hub_notification WHERE key = ?1
        """, key
      ) { row in
        OutboxLease(
          key: key, fence: try row[7], notification: try notification(in: row), taken: try row[4],
          cursor: try (row[5] as Int64?).map { RegistrationID($0) }, tally: try Tally(json: row[6]))
      }
    }
  }

  /// Gives a lease back.
  public func release(_ lease: OutboxLease) async throws {
    try await database.write { db in
      try db.execute(
        "UPDATE hub_notification SET lease_end = 0 WHERE key = ?1 AND fence = ?2", lease.key, lease.fence)
      return
    }
  }

  /// Records a step, whole or not at all.
  public func record(
    _ step: FanOutStep, under lease: OutboxLease, until end: Timestamp, at now: Timestamp
  ) async throws -> RecordedStep? {
    try await database.write { [hub] db in
      let tally: Tally? = try db.first(
        "SELECT tally FROM hub_notification WHERE key = ?1 AND fence = ?2 AND finished IS NULL", lease.key, lease.fence
      ) { row in try Tally(json: row[0]) }
      guard var tally else { return nil }
      let recorded = try db.deliver(step, of: lease.key, hub: hub)
      tally.add(recorded.tally)
      try db.execute(
        """
        UPDATE hub_notification
        SET registration = ?2, tally = ?3, state = ?4, started = coalesce(started, ?5), finished = ?6, lease_end = ?7
        WHERE key = ?1
        """, lease.key, step.cursor?.rawValue, tally.json, step.state.rawValue, now,
        step.state.isFinal ? now : nil, end)
      return recorded
    }
  }

  /// How far a notification has got.
  public func progress(of id: NotificationID) async throws -> NotificationProgress? {
    try await database.read { [hub] db in
      try db.first(
        """
        SELECT id, audience, properties, expires, taken, started, finished, tally, state
        FROM hub_notification WHERE hub = ?1 AND id = ?2
        """, hub, id.description
      ) { row in
        NotificationProgress(
          notification: try notification(in: row), state: try row[8], tally: try Tally(json: row[7]),
          taken: try row[4], started: try row[5], finished: try row[6])
      }
    }
  }

  /// Forgets notifications that are done and wait in no mailbox.
  public func purgeNotifications(takenBefore moment: Timestamp, limit: Int) async throws -> Int {
    try await database.write { [hub] db in
      try db.execute(
        """
        DELETE FROM hub_notification WHERE key IN (
          SELECT key FROM hub_notification n
          WHERE hub = ?1 AND taken < ?2 AND finished IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM hub_text WHERE notification = n.key)
          ORDER BY taken LIMIT ?3)
        """, hub, moment, limit)
    }
  }
}

extension Connection {
  /// The oldest that is free. Those before it that are not done are leased or wait for one that is: they are few.
  fileprivate func freeNotification(until end: Timestamp, at now: Timestamp, hub: Int64) throws -> Int64? {
    try first(
      """
      SELECT key FROM hub_notification n
      WHERE hub = ?1 AND finished IS NULL AND (lease_end <= ?2 OR lease_end > ?3)
        AND NOT EXISTS (
          SELECT 1 FROM hub_notification older
          WHERE older.hub = ?1 AND older.finished IS NULL AND older.key < n.key
            AND older.properties ->> '$.collapseId' = n.properties ->> '$.collapseId')
      ORDER BY key LIMIT 1
      """, hub, now, end + OutboxLease.skewMax
    ) { row in try row[0] }
  }
}

/// The notification whose id, audience, properties and expiry are the row's first columns.
private func notification(in row: borrowing Row) throws -> Notification {
  let name: String = try row[0]
  guard let id = NotificationID(name) else { throw ColumnError(description: "no notification's id: \(name)") }
  let audience = try (row[1] as String?).map { Audience.matching(try TagExpression(parsing: $0)) }
  return Notification(
    id: id, properties: try Properties(json: row[2]), audience: audience ?? .everyone, expires: try row[3])
}

extension Row {
  fileprivate subscript(_ column: Int) -> NotificationState {
    get throws {
      let name: String = try self[column]
      guard let state = NotificationState(rawValue: name) else { throw ColumnError(description: "no state: \(name)") }
      return state
    }
  }
}
