import Files

@testable import SQLite

/// A folder for one test's databases, removed with it.
final class Scratch: Sendable {
  let folder: String

  init() throws { folder = try FileSystem.makeTemporaryDirectory() }

  deinit { try? FileSystem.remove(folder) }

  var path: String { folder + "/test.db" }

  /// A database with a table of notes, `note(id, text)`.
  func database(_ change: (inout Database.Options) -> Void = { _ in }) async throws -> Database {
    var options = Database.Options()
    change(&options)
    let database = try await Database.open(path, options: options)
    try await database.write { db in
      try db.execute("CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT")
    }
    return database
  }

  /// A connection as another process would have.
  func connection(busyTimeout: Duration = .seconds(10)) throws -> Connection {
    var options = Database.Options()
    options.busyTimeout = busyTimeout
    return try Connection(path, .writer, options)
  }
}

extension Connection {
  func note(_ text: String) throws { try execute("INSERT INTO note (text) VALUES (?1)", text) }

  func notes() throws -> [String] {
    try rows("SELECT text FROM note ORDER BY id") { row in try row[0] }
  }
}

/// What a test's body throws on purpose.
struct Refusal: Error, Equatable {}
