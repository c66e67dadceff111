import Files
import Glibc
import Testing

@testable import SQLite

@Suite struct DatabaseTests {
  let scratch = try! Scratch()

  @Test("What is written is there after closing and opening again")
  func persistence() async throws {
    let database = try await scratch.database()
    try await database.write { db in try db.note("kept") }
    await database.close()
    #expect(FileSystem.kind(of: scratch.path + "-wal") == nil)
    let again = try await scratch.database()
    #expect(try await again.read { db in try db.notes() } == ["kept"])
  }

  @Test("A write that throws leaves nothing")
  func rollback() async throws {
    let database = try await scratch.database()
    await #expect(throws: Refusal.self) {
      try await database.write { db in
        try db.note("gone")
        throw Refusal()
      }
    }
    #expect(try await database.read { db in try db.notes() } == [])
  }

  @Test("A read sees one snapshot, whatever is committed meanwhile")
  func snapshot() async throws {
    let database = try await scratch.database()
    let counts = try await database.read { [scratch] db in
      let before = try db.notes().count
      try scratch.connection().note("meanwhile")
      return (before, try db.notes().count)
    }
    #expect(counts == (0, 0))
    #expect(try await database.read { db in try db.notes() } == ["meanwhile"])
  }

  @Test("A file that is deleted or replaced under the process is noticed", arguments: [false, true])
  func moved(isReplaced: Bool) async throws {
    let database = try await scratch.database()
    try await database.check()
    try FileSystem.remove(scratch.path)
    if isReplaced { try FileSystem.write([], to: scratch.path) }
    let error = await #expect(throws: SQLiteError.self) { try await database.check() }
    #expect(error?.message.contains("deleted, moved or replaced") == true)
  }

  @Test("A read cannot write")
  func readOnly() async throws {
    let database = try await scratch.database()
    let error = await #expect(throws: SQLiteError.self) { try await database.read { db in try db.note("no") } }
    #expect(error?.kind == .readOnly)
  }

  @Test("A cancelled task's write is done: what it tells has happened")
  func cancellation() async throws {
    let database = try await scratch.database()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await database.write { db in try db.note("sent") }
    }
    try await task.value
    #expect(try await database.read { db in try db.notes() } == ["sent"])
  }

  @Test("Writes of many tasks all arrive, and each that fails fails alone")
  func manyWrites() async throws {
    let database = try await scratch.database()
    let failures = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<400 {
        group.addTask {
          do {
            try await database.write { db in
              try db.note("\(number)")
              if number.isMultiple(of: 4) { throw Refusal() }
            }
            return false
          } catch {
            return true
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(failures == 100)
    let notes = try await database.read { db in try db.notes() }
    #expect(Set(notes) == Set((0..<400).filter { !$0.isMultiple(of: 4) }.map(String.init)))
  }

  @Test("Two databases on one file, as two processes would be, lose no write")
  func sharedFile() async throws {
    let databases = [try await scratch.database(), try await scratch.database()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask { try await databases[number % 2].write { db in try db.note("\(number)") } }
      }
      try await group.waitForAll()
    }
    #expect(try await databases[0].read { db in try db.notes() }.count == 200)
  }

  @Test("Databases that are made at the same moment on one file all open")
  func openingTogether() async throws {
    try await withThrowingTaskGroup(of: Void.self) { [scratch] group in
      for _ in 0..<6 { group.addTask { await (try await scratch.database { $0.applicationID = 7 }).close() } }
      try await group.waitForAll()
    }
  }

  @Test("A write waits for another process no longer than it may, and says so")
  func busy() async throws {
    let database = try await scratch.database { $0.busyTimeout = .milliseconds(20) }
    let other = try scratch.connection()
    try other.execute("BEGIN IMMEDIATE")
    let error = await #expect(throws: SQLiteError.self) { try await database.write { db in try db.note("late") } }
    #expect(error?.kind == .busy)
    try other.execute("COMMIT")
    try await database.write { db in try db.note("in time") }
    #expect(try await database.read { db in try db.notes() } == ["in time"])
  }

  @Test("A killed process leaves what it had committed, and nothing else")
  func killed() async throws {
    let database = try await scratch.database()
    try await database.write { db in try db.note("committed") }
    let copy = scratch.folder + "/copy.db"
    try await database.write { [path = scratch.path] db in
      try db.note("not yet committed")
      // The files as a kill would leave them; the index in shared memory (-shm) is made anew.
      for suffix in ["", "-wal"] {
        try FileSystem.write(try FileSystem.read(path + suffix, bytesMax: 1 << 20), to: copy + suffix)
      }
    }
    let restarted = try await Database.open(copy)
    #expect(try await restarted.read { db in try db.notes() } == ["committed"])
  }

  @Test("A database that is closed finishes what waits and refuses what comes")
  func closing() async throws {
    let database = try await scratch.database()
    let writes = (0..<50).map { number in Task { try await database.write { db in try db.note("\(number)") } } }
    for write in writes { try await write.value }
    await database.close()
    await database.close()
    let error = await #expect(throws: SQLiteError.self) { try await database.read { db in try db.notes() } }
    #expect(error?.message == "the database is closed")
  }

  @Test("Only the owner may read a new database, also behind a symbolic link", arguments: [false, true])
  func permissions(isLinked: Bool) async throws {
    if isLinked { #expect(symlink("behind.db", scratch.path) == 0) }
    let database = try await scratch.database()
    try await database.write { db in try db.note("handle") }
    let path = isLinked ? scratch.folder + "/behind.db" : scratch.path
    for suffix in ["", "-wal", "-shm"] {
      var status = stat()
      #expect(stat(path + suffix, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }

  @Test("A limit on the size of files is an error of the write that meets it, and does not end the process")
  func sizeLimit() async throws {
    _ = try await scratch.database()
    #expect(raise(SIGXFSZ) == 0)
  }
}
