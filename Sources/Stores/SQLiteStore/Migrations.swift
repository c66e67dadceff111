import SQLite

/// A step from one schema to the next. Once released it never changes: what it made is in the files of others.
struct Migration: Sendable, CustomStringConvertible {
  /// Its place; the schema's version after it.
  let number: Int
  /// The statements.
  let script: SQL

  var description: String { "migration \(number)" }

  /// The schema from the first version on. New ones are appended, nothing else.
  static let all: [Migration] = [
    Migration(number: 1, script: feedTables),
    Migration(number: 2, script: ledgerTables),
    Migration(number: 3, script: hubTables),
    Migration(number: 4, script: partTables),
    Migration(number: 5, script: articleVersions),
    Migration(number: 6, script: feedStanding),
    Migration(number: 7, script: hubSubscriptions),
    Migration(number: 8, script: storyCategories),
    Migration(number: 9, script: storySketches),
    Migration(number: 10, script: itemRecords),
  ]
}

/// A store that a newer program has written.
public struct SchemaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The store's file.
  public let path: String
  /// The version of its schema.
  public let found: Int
  /// The newest version that this program knows.
  public let known: Int

  /// One sentence without its full stop.
  public var description: String {
    "\(path): its schema is version \(found), this program knows versions up to \(known); "
      + "run the newer program, or restore the copy made before the upgrade"
  }
}

/// Brings a database to the last version in one transaction, so that several processes may start at once; the versions
/// before and after.
func migrate(_ database: Database, through migrations: [Migration]) async throws -> (before: Int, after: Int) {
  let known = migrations.last?.number ?? 0
  let path = database.path
  let found = try await database.read { db in try version(of: db) }
  guard found <= known else { throw SchemaError(path: path, found: found, known: known) }
  // The usual case must not wait for a process that writes.
  if found == known { return (found, found) }
  return try await database.write { db in
    let before = try version(of: db)
    guard before <= known else { throw SchemaError(path: path, found: before, known: known) }
    for migration in migrations where migration.number > before {
      try db.execute(script: migration.script)
      try db.execute(SQL(assembled: "PRAGMA user_version = \(migration.number)"))
    }
    return (before, max(before, known))
  }
}

private func version(of db: Connection) throws -> Int {
  try db.first("PRAGMA user_version") { row in try row[0] } ?? 0
}
