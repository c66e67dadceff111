public import BuiltInHub
import JSON
public import Push
import SQLite
public import Time

extension SQLiteHubStore: RegistrationStore {
  /// Keeps an installation in place of what was known under its id.
  public func put(_ installation: Installation, at now: Timestamp) async throws {
    let hub = hub
    let document = installation.json.text()
    let placed = installation.placedRegistrations
    try await database.write { db in
      var standing = try db.registrations(ofInstallation: installation.id, hub: hub)
      // Devices put themselves again at every start, and mostly nothing has changed.
      if standing.count == placed.count, try db.document(of: installation.id, hub: hub) == document { return }
      let owner = try db.putInstallation(installation, document, hub: hub)
      var devices: Set<Int64> = []
      for placed in placed {
        let device = try db.device(of: placed, hub: hub)
        let place = standing.firstIndex { $0.key == placed.key && $0.device == device }
        try db.put(placed, on: device, of: owner, inPlaceOf: place.map { standing.remove(at: $0) }, hub: hub)
        devices.insert(device)
      }
      for device in devices { standing += try db.registrations(ofDevice: device, notOf: owner) }
      try db.remove(standing, hub: hub)
    }
  }

  /// The installation as it was put.
  public func installation(_ id: String, at now: Timestamp) async throws -> Installation? {
    try await database.read { [hub] db in
      try db.first(
        """
        SELECT document FROM hub_installation
        WHERE hub = ?1 AND name = ?2 AND (expires IS NULL OR expires > ?3)
        """, hub, id, now
      ) { row in try Installation(json: row[0]) }
    }
  }

  /// Forgets an installation and its registrations.
  public func deleteInstallation(_ id: String) async throws -> Bool {
    try await database.write { [hub] db in try db.deleteInstallation(id, hub: hub) }
  }

  /// How many registrations there are, of all hubs in the file.
  public func registrationCount() async throws -> Int {
    try await database.read { db in
      try db.first("SELECT count(*) FROM hub_registration") { row in try row[0] } ?? 0
    }
  }

  /// Forgets installations whose time has passed.
  public func purgeInstallations(expiredAt now: Timestamp, limit: Int) async throws -> Int {
    try await database.write { [hub] db in
      let names: [String] = try db.rows(
        "SELECT name FROM hub_installation WHERE hub = ?1 AND expires <= ?2 ORDER BY expires LIMIT ?3", hub, now, limit
      ) { row in try row[0] }
      for name in names { _ = try db.deleteInstallation(name, hub: hub) }
      return names.count
    }
  }
}

/// A registration's row.
private struct RegistrationRow {
  let id: Int64
  let key: PlacedRegistration.Key
  let device: Int64
  let template: Int64?
  let tags: String
}

// MARK: - Reading rows

extension Connection {
  fileprivate func document(of installation: String, hub: Int64) throws -> String? {
    try first("SELECT document FROM hub_installation WHERE hub = ?1 AND name = ?2", hub, installation) { row in
      try row[0]
    }
  }

  fileprivate func registrations(ofInstallation name: String, hub: Int64) throws -> [RegistrationRow] {
    try rows(
      """
      SELECT r.id, r.device, r.template, r.tags, d.handle_digest, t.name
      FROM hub_installation i
      JOIN hub_registration r ON r.installation = i.id
      JOIN hub_device d ON d.id = r.device LEFT JOIN hub_template t ON t.id = r.template
      WHERE i.hub = ?1 AND i.name = ?2
      """, hub, name, as: registrationRow)
  }

  fileprivate func registrations(ofDevice device: Int64, notOf installation: Int64) throws -> [RegistrationRow] {
    try rows(
      """
      SELECT r.id, r.device, r.template, r.tags, d.handle_digest, t.name
      FROM hub_registration r
      JOIN hub_device d ON d.id = r.device LEFT JOIN hub_template t ON t.id = r.template
      WHERE r.device = ?1 AND r.installation != ?2
      """, device, installation, as: registrationRow)
  }

  private func registrationRow(_ row: borrowing Row) throws -> RegistrationRow {
    RegistrationRow(
      id: try row[0],
      key: PlacedRegistration.Key(handle: try HandleDigest(bytes: row[4] as [UInt8]), templateName: try row[5]),
      device: try row[1], template: try row[2], tags: try row[3])
  }
}

// MARK: - Writing rows

extension Connection {
  fileprivate func putInstallation(_ installation: Installation, _ document: String, hub: Int64) throws -> Int64 {
    try given(
      first(
        """
        INSERT INTO hub_installation (hub, name, document, expires) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (hub, name) DO UPDATE SET document = excluded.document, expires = excluded.expires
        RETURNING id
        """, hub, installation.id, document, installation.expirationTime
      ) { row in try row[0] })
  }

  /// The device of a registration; made where there is none.
  fileprivate func device(of placed: PlacedRegistration, hub: Int64) throws -> Int64 {
    let platform = placed.registration.platform.rawValue
    try execute(
      "INSERT INTO hub_device (hub, platform, handle_digest) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING", hub,
      platform, placed.handle.bytes)
    return try given(
      first(
        "SELECT id FROM hub_device WHERE hub = ?1 AND platform = ?2 AND handle_digest = ?3", hub, platform,
        placed.handle.bytes
      ) { row in try row[0] })
  }

  /// Writes a registration, over the row that it had before if there was one.
  fileprivate func put(
    _ placed: PlacedRegistration, on device: Int64, of installation: Int64, inPlaceOf old: RegistrationRow?, hub: Int64
  ) throws {
    let tags = JSONValue.array(placed.registration.tags.map { .string($0.folded) }).text()
    let template = try placed.template.map { try use($0) }
    let id: Int64
    if let old {
      id = old.id
      try removeTags(of: old, hub: hub)
      try execute(
        "UPDATE hub_registration SET template = ?2, ordinal = ?3, tags = ?4 WHERE id = ?1", id, template,
        placed.ordinal, tags)
      if let template = old.template { try release(template) }
    } else {
      try execute(
        "INSERT INTO hub_registration (installation, device, template, ordinal, tags) VALUES (?1, ?2, ?3, ?4, ?5)",
        installation, device, template, placed.ordinal, tags)
      id = lastInsertedRow
    }
    guard let template else { return }
    try execute(
      """
      INSERT INTO hub_tag (hub, tag, registration, device, template, expires)
      SELECT ?1, value, ?3, ?4, ?5, ?6 FROM json_each(?2) UNION ALL SELECT ?1, '', ?3, ?4, ?5, ?6
      """, hub, tags, id, device, template, placed.registration.expirationTime)
  }

  private func removeTags(of row: RegistrationRow, hub: Int64) throws {
    guard row.template != nil else { return }
    try execute(
      """
      DELETE FROM hub_tag
      WHERE hub = ?1 AND tag IN (SELECT value FROM json_each(?2) UNION ALL SELECT '') AND registration = ?3
      """, hub, row.tags, row.id)
  }

  /// The template's row, counted once more.
  private func use(_ template: RegisteredTemplate) throws -> Int64 {
    try given(
      first(
        """
        INSERT INTO hub_template (digest, platform, name, format, body, is_personal, uses)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1) ON CONFLICT (digest) DO UPDATE SET uses = uses + 1 RETURNING id
        """, template.digest, template.platform.rawValue, template.name, template.format.name, template.body,
        template.isPersonal
      ) { row in try row[0] })
  }

  /// Counts a template once less, and removes it when nobody has it any more.
  private func release(_ template: Int64) throws {
    try execute("UPDATE hub_template SET uses = uses - 1 WHERE id = ?1", template)
    try execute("DELETE FROM hub_template WHERE id = ?1 AND uses = 0", template)
  }

  /// Removes registrations, and the devices that none is left of.
  fileprivate func remove(_ rows: [RegistrationRow], hub: Int64) throws {
    for row in rows {
      try removeTags(of: row, hub: hub)
      try execute("DELETE FROM hub_registration WHERE id = ?1", row.id)
      if let template = row.template { try release(template) }
    }
    for device in Set(rows.map(\.device)) {
      let isLeft = try first("SELECT 1 FROM hub_registration WHERE device = ?1", device) { _ in true } ?? false
      guard !isLeft else { continue }
      try execute("DELETE FROM hub_mailbox WHERE device = ?1", device)
      try execute("DELETE FROM hub_device WHERE id = ?1", device)
    }
  }

  fileprivate func deleteInstallation(_ name: String, hub: Int64) throws -> Bool {
    try remove(try registrations(ofInstallation: name, hub: hub), hub: hub)
    return try execute("DELETE FROM hub_installation WHERE hub = ?1 AND name = ?2", hub, name) == 1
  }
}

/// The number of a row that is sure to be there.
private func given(_ id: Int64?) throws -> Int64 {
  guard let id else { throw ColumnError(description: "a row that was just written is not there") }
  return id
}
