public import BuiltInHub
import Push
import SQLite
public import Time

extension SQLiteHubStore: Mailbox {
  /// The listening device with this handle.
  public func device(_ handle: HandleDigest) async throws -> DeviceID? {
    try await database.read { [hub] db in
      try db.first(
        "SELECT id FROM hub_device WHERE hub = ?1 AND platform = ?2 AND handle_digest = ?3", hub,
        Platform.sse.rawValue, handle.bytes
      ) { row in DeviceID(try row[0]) }
    }
  }

  /// What a device has not read yet.
  public func events(
    of device: DeviceID, after position: MailboxPosition?, limit: Int, at now: Timestamp
  ) async throws -> [MailboxEvent]? {
    try await database.read { db in
      let isKnown = try db.first("SELECT 1 FROM hub_device WHERE id = ?1", device.rawValue) { _ in true }
      guard isKnown != nil else { return nil }
      return try db.rows(
        """
        SELECT n.id, m.ordinal, m.sequence, t.body
        FROM hub_mailbox m JOIN hub_text t ON t.id = m.text JOIN hub_notification n ON n.key = m.notification
        WHERE m.device = ?1 AND (m.sequence, m.ordinal) > (?2, ?3) AND t.expires > ?4
        ORDER BY m.sequence, m.ordinal LIMIT ?5
        """, device.rawValue, position?.sequence ?? -1, position?.ordinal ?? -1, now, limit, as: event)
    }
  }

  /// Where an event stands.
  public func position(of event: MailboxEventID, in device: DeviceID) async throws -> MailboxPosition? {
    try await database.read { [hub] db in
      try db.first(
        """
        SELECT m.sequence, m.ordinal
        FROM hub_notification n JOIN hub_mailbox m ON m.device = ?3 AND m.notification = n.key
        WHERE n.hub = ?1 AND n.id = ?2 AND m.ordinal = ?4 ORDER BY m.sequence DESC LIMIT 1
        """, hub, event.notification.description, device.rawValue, event.ordinal
      ) { row in MailboxPosition(sequence: try row[0], ordinal: try row[1]) }
    }
  }

  /// The greatest sequence number that was given.
  public func latestSequence() async throws -> Int64 {
    try await database.read { [hub] db in
      try db.first("SELECT sequence FROM hub WHERE id = ?1", hub) { row in try row[0] } ?? 0
    }
  }

  /// How many rows there are, of all hubs in the file.
  public func mailboxCount() async throws -> Int {
    try await database.read { db in
      try db.first("SELECT count(*) FROM hub_mailbox") { row in try row[0] } ?? 0
    }
  }

  /// Forgets rows whose time has passed, and the texts that nothing is left of.
  public func purgeMailbox(expiredAt now: Timestamp, limit: Int) async throws -> Int {
    try await database.write { db in
      let texts: [Int64] = try db.rows(
        "SELECT id FROM hub_text WHERE expires <= ?1 ORDER BY expires LIMIT ?2", now, limit
      ) { row in try row[0] }
      var count = 0
      for text in texts {
        count += try db.execute(
          """
          DELETE FROM hub_mailbox WHERE (device, notification, template_name) IN (
            SELECT device, notification, template_name FROM hub_mailbox WHERE text = ?1 LIMIT ?2)
          """, text, limit - count)
        guard count < limit else { break }
        try db.execute("DELETE FROM hub_text WHERE id = ?1", text)
      }
      return count
    }
  }
}

private func event(in row: borrowing Row) throws -> MailboxEvent {
  let name: String = try row[0]
  guard let notification = NotificationID(name) else {
    throw ColumnError(description: "no notification's id: \(name)")
  }
  let ordinal: Int = try row[1]
  return MailboxEvent(
    id: MailboxEventID(notification: notification, ordinal: ordinal),
    position: MailboxPosition(sequence: try row[2], ordinal: ordinal), body: try row[3])
}

// MARK: - Delivery

extension Connection {
  /// Adds a step's rows to the mailboxes.
  func deliver(_ step: FanOutStep, of notification: Int64, hub: Int64) throws -> RecordedStep {
    var recorded = RecordedStep(delivered: [], sequence: nil, tally: step.tally)
    guard !step.entries.isEmpty else { return recorded }
    let sequence: Int64 =
      try first("UPDATE hub SET sequence = sequence + 1 WHERE id = ?1 RETURNING sequence", hub) { row in try row[0] }
      ?? 0
    let texts = try step.texts.map { try add($0, to: notification, until: step.expires) }
    var skipped = 0
    recorded.delivered.reserveCapacity(step.entries.count)
    for entry in step.entries {
      let count = try execute(
        """
        INSERT INTO hub_mailbox (device, notification, template_name, ordinal, sequence, text)
        SELECT device, ?3, ?4, ordinal, ?5, ?6 FROM hub_registration WHERE id = ?1 AND device = ?2
        ON CONFLICT DO NOTHING
        """, entry.registration.rawValue, entry.device.rawValue, notification, step.texts[entry.text].templateName,
        sequence, texts[entry.text])
      if count == 1 {
        recorded.delivered.append(entry.device)
        if isTrimmed(entry.device.rawValue, sequence, step.mailboxMax) {
          try trimMailbox(of: entry.device.rawValue, to: step.mailboxMax)
        }
      } else if try isRegistered(entry) {
        skipped += 1
      }
    }
    let gone = step.entries.count - recorded.delivered.count - skipped
    recorded.sequence = sequence
    recorded.tally.add(.success, on: .sse, count: recorded.delivered.count)
    recorded.tally.add(.skipped, on: .sse, count: skipped)
    recorded.tally.add(.expiredChannel, on: .sse, count: gone)
    return recorded
  }

  private func add(_ text: RenderedText, to notification: Int64, until expires: Timestamp) throws -> Int64 {
    try execute(
      "INSERT INTO hub_text (notification, digest, body, expires) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
      notification, text.digest, text.body, expires)
    return try first(
      "SELECT id FROM hub_text WHERE notification = ?1 AND digest = ?2", notification, text.digest
    ) { row in try row[0] } ?? 0
  }

  private func isRegistered(_ entry: FanOutStep.Entry) throws -> Bool {
    try first(
      "SELECT 1 FROM hub_registration WHERE id = ?1 AND device = ?2", entry.registration.rawValue,
      entry.device.rawValue
    ) { _ in true } ?? false
  }

  /// Removes what is more than a mailbox keeps.
  private func trimMailbox(of device: Int64, to mailboxMax: Int) throws {
    try execute(
      """
      DELETE FROM hub_mailbox WHERE device = ?1 AND (notification, template_name) IN (
        SELECT notification, template_name FROM hub_mailbox WHERE device = ?1
        ORDER BY sequence DESC, ordinal DESC LIMIT -1 OFFSET ?2)
      """, device, mailboxMax)
  }
}

/// Whether it is a device's turn to have its mailbox trimmed: after a sixteenth of what it keeps on average, since to
/// count a full mailbox costs more than to add to it. Mixed (SplitMix64), so that no rhythm of pushes passes a device by
/// for ever.
private func isTrimmed(_ device: Int64, _ sequence: Int64, _ mailboxMax: Int) -> Bool {
  var mixed = UInt64(bitPattern: device) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: sequence)
  mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
  mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
  return (mixed ^ (mixed >> 31)) % UInt64(max(mailboxMax / 16, 1)) == 0
}
