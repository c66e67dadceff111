import SQLite

/// What a built-in hub keeps, in the machine's one file. Its protocols are extensions in files of their own.
public struct SQLiteHubStore: Sendable {
  let database: Database
  /// The hub's row.
  let hub: Int64
}

extension SQLiteStore {
  /// The part of the store that belongs to the hub of this name; made where there is none.
  public func hub(named name: String) async throws -> SQLiteHubStore {
    let known = try await database.read { db in try db.hub(named: name) }
    if let known { return SQLiteHubStore(database: database, hub: known) }
    let hub = try await database.write { db in
      try db.execute("INSERT INTO hub (name, sequence) VALUES (?1, 0) ON CONFLICT DO NOTHING", name)
      return try db.hub(named: name)
    }
    guard let hub else { throw ColumnError(description: "no hub: \(name)") }
    return SQLiteHubStore(database: database, hub: hub)
  }
}

extension Connection {
  fileprivate func hub(named name: String) throws -> Int64? {
    try first("SELECT id FROM hub WHERE name = ?1", name) { row in try row[0] }
  }
}
