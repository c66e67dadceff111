import Testing

@testable import SQLite

@Suite struct ConnectionTests {
  let scratch = try! Scratch()

  @Test(
    "A value comes back as it was bound",
    arguments: [
      .null, .integer(0), .integer(.min), .integer(.max), .real(-0.5), .text(""), .text("a'b\"c; DROP TABLE note"),
      .text("nul \0 in the middle"), .text("地震 🇫🇷 é"), .blob([]), .blob([0, 255, 0]),
    ] as [SQLiteValue])
  func roundTrip(_ value: SQLiteValue) async throws {
    let database = try await scratch.database()
    let back = try await database.write { db in
      try db.execute("CREATE TABLE any_value (value ANY) STRICT")
      switch value {
      case .null: try db.execute("INSERT INTO any_value VALUES (?1)", nil as String?)
      case .integer(let value): try db.execute("INSERT INTO any_value VALUES (?1)", value)
      case .real(let value): try db.execute("INSERT INTO any_value VALUES (?1)", value)
      case .text(let value): try db.execute("INSERT INTO any_value VALUES (?1)", value)
      case .blob(let value): try db.execute("INSERT INTO any_value VALUES (?1)", value)
      }
      return try db.first("SELECT value, typeof(value) FROM any_value") { row -> SQLiteValue in
        switch try row[1] as String {
        case "integer": .integer(try row[0])
        case "real": .real(try row[0])
        case "text": .text(try row[0])
        case "blob": .blob(try row[0])
        default: .null
        }
      }
    }
    #expect(back == value)
  }

  @Test("A null is nil where it may be, and an error that names its column where not")
  func nulls() async throws {
    let database = try await scratch.database()
    try await database.read { db in
      let nothing = try db.first("SELECT NULL, NULL, NULL, NULL, NULL") { row in
        try (row[0] as String?, row[1] as Int64?, row[2] as Int?, row[3] as Double?, row[4] as [UInt8]?)
      }
      let (text, integer, int, real, blob) = try #require(nothing)
      #expect(text == nil && integer == nil && int == nil && real == nil && blob == nil)
      let error = #expect(throws: SQLiteError.self) {
        try db.first("SELECT NULL AS headline") { row in try row[0] as String }
      }
      #expect(error?.message == "column headline holds no text")
    }
  }

  @Test("A statement gets as many values as it has parameters")
  func valueCount() async throws {
    let database = try await scratch.database()
    let error = await #expect(throws: SQLiteError.self) {
      try await database.write { db in try db.execute("INSERT INTO note (id, text) VALUES (?1, ?2)", 7) }
    }
    #expect(error?.message == "1 values for 2 parameters")
  }

  @Test("A statement can run inside its own rows")
  func nestedStatement() async throws {
    let database = try await scratch.database()
    let pairs = try await database.write { db in
      for text in ["a", "b", "c"] { try db.note(text) }
      return try db.rows("SELECT text FROM note ORDER BY id") { row in
        let outer: String = try row[0]
        return try db.notes().map { outer + $0 }
      }
    }
    #expect(pairs.flatMap { $0 } == ["aa", "ab", "ac", "ba", "bb", "bc", "ca", "cb", "cc"])
  }

  @Test("More statements than are kept work all the same")
  func statementBound() async throws {
    let database = try await scratch.database { $0.statementsMax = 4 }
    let sum = try await database.read { db in
      try (0..<3).reduce(0) { sum, _ in
        try (0..<20).reduce(sum) { sum, number in
          sum + (try db.first(SQL(assembled: "SELECT \(number)")) { row in try row[0] as Int } ?? 0)
        }
      }
    }
    #expect(sum == 3 * 190)
  }

  @Test("A scan of rows ends where its reader has enough")
  func scanEnds() async throws {
    let database = try await scratch.database()
    try await database.read { db in
      var seen: [Int] = []
      try db.scan("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n") { row in
        seen.append(try row[0])
        return seen.count < 3
      }
      #expect(seen == [1, 2, 3])
    }
  }

  @Test("A change says how many rows it met")
  func changes() async throws {
    let database = try await scratch.database()
    try await database.write { db in
      for text in ["a", "b", "c"] { try db.note(text) }
      #expect(db.lastInsertedRow == 3)
      #expect(try db.execute("DELETE FROM note WHERE text > ?1", "a") == 2)
      #expect(try db.execute("DELETE FROM note WHERE text > ?1", "a") == 0)
    }
  }

  @Test("Foreign keys hold, and a misspelt column in double quotes is no text")
  func strictness() async throws {
    let database = try await scratch.database()
    try await database.write { db in
      try db.execute("CREATE TABLE reply (note INTEGER NOT NULL REFERENCES note (id)) STRICT")
      let dangling = #expect(throws: SQLiteError.self) { try db.execute("INSERT INTO reply VALUES (99)") }
      #expect(dangling?.kind == .constraint)
      #expect(throws: SQLiteError.self) { try db.execute("DELETE FROM note WHERE text = \"texxt\"") }
    }
  }

  @Test("A text that is there already is a unique violation, and the values are not in the message")
  func uniqueViolation() async throws {
    let database = try await scratch.database()
    try await database.write { db in
      try db.note("secret handle")
      let error = #expect(throws: SQLiteError.self) { try db.note("secret handle") }
      #expect(error?.isUniqueViolation == true)
      #expect(error.map { "\($0)" }?.contains("secret") == false)
      #expect(error?.sql == "INSERT INTO note (text) VALUES (?1)")
    }
  }

  @Test("A statement that passes through a table without an index is reported")
  func scanReport() async throws {
    let (reports, continuation) = AsyncStream.makeStream(of: Scan.self)
    let database = try await scratch.database {
      $0.scanStepsMax = 10
      $0.onScan = { continuation.yield($0) }
    }
    try await database.write { db in
      for number in 0..<50 { try db.note("\(number)") }
      _ = try db.first("SELECT id FROM note WHERE text = ?1", "7") { row in try row[0] as Int }
      _ = try db.first("SELECT id FROM note WHERE text LIKE ?1", "%49") { row in try row[0] as Int }
    }
    await database.close()
    continuation.finish()
    let scans = await reports.reduce(into: []) { $0.append($1) }
    #expect(scans.map(\.sql) == ["SELECT id FROM note WHERE text LIKE ?1"])
    #expect(scans.allSatisfy { $0.steps >= 49 })
  }
}
