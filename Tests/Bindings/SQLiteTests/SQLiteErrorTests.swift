import Files
import Testing

@testable import SQLite

@Suite struct SQLiteErrorTests {
  let scratch = try! Scratch()

  private func errorOnOpening(_ path: String) async -> SQLiteError? {
    await #expect(throws: SQLiteError.self) { _ = try await Database.open(path) }
  }

  @Test("A file that is no database is named, and the advice is to leave it alone")
  func notADatabase() async throws {
    let text = Array(String(repeating: "feeds: [https://news.example/rss]\n", count: 100).utf8)
    try FileSystem.write(text, to: scratch.path)
    let error = await errorOnOpening(scratch.path)
    #expect(error?.kind == .notADatabase)
    #expect(
      error.map { "\($0)" }
        == "\(scratch.path): file is not a database (SQLite code 26), in: PRAGMA journal_mode = WAL; "
        + "move that file away, or name another one")
    #expect(try FileSystem.read(scratch.path, bytesMax: 1 << 20) == text)
  }

  @Test("A directory that is missing, and one in the file's place, cannot be opened", arguments: ["none/a.db", ""])
  func cannotOpen(_ name: String) async throws {
    let error = await errorOnOpening(scratch.folder + "/" + name)
    #expect(error?.kind == .cannotOpen)
    #expect(error?.advice?.contains("directory") == true)
  }

  @Test("A database in memory is refused", arguments: ["", ":memory:"])
  func memory(_ path: String) async throws {
    #expect(await errorOnOpening(path)?.kind == .cannotOpen)
  }

  @Test("A damaged file is an error when its pages are read, not a crash")
  func corrupt() async throws {
    let database = try await scratch.database()
    try await database.write { db in
      for number in 0..<2_000 { try db.note("a note of some length, number \(number)") }
    }
    await database.close()
    var bytes = try FileSystem.read(scratch.path, bytesMax: 1 << 24)
    for index in stride(from: 4096 * 2, to: bytes.count, by: 7) { bytes[index] ^= 0xA5 }
    try FileSystem.write(bytes, to: scratch.path)
    let damaged = try await Database.open(scratch.path)
    let error = await #expect(throws: SQLiteError.self) { try await damaged.read { db in try db.notes().count } }
    #expect(error?.kind == .corrupt)
    #expect(error?.advice?.contains("backup") == true)
  }

  @Test("Another program's database is refused and left as it is")
  func foreign() async throws {
    var options = Database.Options()
    options.applicationID = 0x5449_4447
    await (try await Database.open(scratch.path, options: options)).close()
    await (try await scratch.database { $0.applicationID = 0x5449_4447 }).close()
    let bytes = try FileSystem.read(scratch.path, bytesMax: 1 << 20)
    let error = await #expect(throws: SQLiteError.self) { _ = try await scratch.database { $0.applicationID = 7 } }
    #expect(error?.message == "it is another program's database")
    #expect(try FileSystem.read(scratch.path, bytesMax: 1 << 20) == bytes)
  }

  @Test("A database with tables and no mark is another program's")
  func unmarked() async throws {
    await (try await scratch.database()).close()
    let error = await #expect(throws: SQLiteError.self) { _ = try await scratch.database { $0.applicationID = 7 } }
    #expect(error?.kind == .notADatabase)
  }

  @Test("An empty file becomes a database")
  func empty() async throws {
    try FileSystem.write([], to: scratch.path)
    let database = try await scratch.database()
    #expect(try await database.read { db in try db.notes() } == [])
  }

  @Test("A file whose name looks like a URI is a file all the same")
  func uri() {
    #expect(Connection.fileName("file:news.db?mode=memory") == "./file:news.db?mode=memory")
    #expect(Connection.fileName("data/news.db") == "data/news.db")
  }
}
