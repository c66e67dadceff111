import Ingest
import News
import SQLite
import Testing
import Time

@testable import SQLiteStore

@Suite struct SQLiteStoreTests {
  let scratch = try! Scratch()

  private func article(_ id: String) -> Article { Article(id: id, text: Article.Text(headline: "Headline of \(id)")) }

  private func poll(_ articles: [Article]) -> Poll {
    let now = Timestamp(secondsSince1970: 1_796_000_000)
    return Poll(
      state: FeedState(url: "https://news.example/", nextCheck: now, nextCheckReason: "now"), articles: articles,
      subscribed: nil, time: now, isBaseline: false)
  }

  @Test("A new store has the newest schema; one that is up to date is left alone")
  func migration() async throws {
    await (try await scratch.open()).close()
    await (try await scratch.open()).close()
    #expect(scratch.logged("store.migrated", "to") == ["integer(\(Migration.all.count))"])
  }

  @Test("Processes that start at the same moment make one schema")
  func startingTogether() async throws {
    try await withThrowingTaskGroup(of: Void.self) { [scratch] group in
      for _ in 0..<4 { group.addTask { await (try await scratch.open()).close() } }
      try await group.waitForAll()
    }
    #expect(scratch.logged("store.migrated", "from") == ["integer(0)"])
  }

  @Test("Migrations are numbered without a gap")
  func numbers() {
    #expect(Migration.all.map(\.number) == Array(1...Migration.all.count))
  }

  /// Digests of the scripts that are in the files of others. A line is added with a release and never changed.
  private static let released: [Int: UInt64] = [1: 17_424_687_940_612_093_732, 2: 5_125_169_559_957_659_637]

  @Test("A migration that was released never changes", arguments: Migration.all.filter { released[$0.number] != nil })
  func frozen(_ migration: Migration) {
    // FNV-1a.
    let digest = migration.script.text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { digest, byte in
      (digest ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    #expect(digest == Self.released[migration.number])
  }

  @Test("Each migration is applied once, on top of what is there")
  func steps() async throws {
    let database = try await Database.open(scratch.path)
    let first = Migration(number: 1, script: "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);")
    let second = Migration(number: 2, script: "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = x + 1;")
    #expect(try await migrate(database, through: [first]) == (0, 1))
    #expect(try await migrate(database, through: [first, second]) == (1, 2))
    let pairs = try await database.read { db in
      try db.rows("SELECT x, y FROM a") { row in try [row[0] as Int, row[1] as Int] }
    }
    #expect(pairs == [[1, 2]])
  }

  @Test("A story keeps its articles and the order of its categories when these move into its row")
  func storyCategories() async throws {
    let database = try await Database.open(scratch.path)
    _ = try await migrate(database, through: Array(Migration.all.prefix { $0.number < 8 }))
    try await database.write { db in
      try db.execute(
        script: """
          INSERT INTO story (id, name, last_claim) VALUES (1, 'a', 10), (2, 'z', 10);
          INSERT INTO story_article VALUES ('a', 1), ('b', 1), ('z', 2);
          INSERT INTO story_category VALUES (1, 'Sports', 0), (1, 'Business', 1);
          """)
    }
    _ = try await migrate(database, through: Migration.all)
    let stories = try await database.read { db in
      try ["a", "b", "z"].map { article in try db.story(of: article).map { ($0.id, $0.categories.list) } }
    }
    #expect(stories.map { $0?.0 } == [1, 1, 2])
    #expect(stories.map { $0?.1 } == [[.sports, .business], [.sports, .business], []])
  }

  @Test("A migration that fails leaves the schema as it was")
  func failingStep() async throws {
    let database = try await Database.open(scratch.path)
    let broken = Migration(number: 1, script: "CREATE TABLE a (x INTEGER) STRICT; CREATE TABLE a (x INTEGER) STRICT;")
    await #expect(throws: SQLiteError.self) { _ = try await migrate(database, through: [broken]) }
    let working = Migration(number: 1, script: "CREATE TABLE a (x INTEGER) STRICT;")
    #expect(try await migrate(database, through: [working]) == (0, 1))
  }

  @Test("A schema that a newer program made is refused with advice")
  func newer() async throws {
    let store = try await scratch.open()
    let newer = Migration.all + [Migration(number: Migration.all.count + 1, script: "CREATE TABLE later (x) ;")]
    _ = try await migrate(store.database, through: newer)
    await store.close()
    let error = await #expect(throws: SchemaError.self) { _ = try await scratch.open() }
    #expect(error?.found == newer.count)
    #expect(error.map { "\($0)" }?.contains("run the newer program") == true)
  }

  @Test("Another program's database is refused")
  func foreign() async throws {
    let database = try await Database.open(scratch.path)
    try await database.write { db in try db.execute("CREATE TABLE contacts (name TEXT)") }
    await database.close()
    let error = await #expect(throws: SQLiteError.self) { _ = try await scratch.open() }
    #expect(error?.kind == .notADatabase)
  }

  @Test("An article that this version cannot read stays in the inbox, and the others flow")
  func unreadable() async throws {
    let store = try await scratch.open()
    _ = try await store.commit(poll(["a", "b", "c", "d"].map(article)))
    try await store.database.write { db in
      try db.execute("UPDATE inbox SET article = '{\"id\": 7}' WHERE id <= 2")
      try db.execute("UPDATE inbox SET subscribed = 'Gardening' WHERE id = 3")
    }
    #expect(try await store.inbox(after: 0, limit: 1).map(\.article.id) == ["d"])
    let rows = try await store.database.read { db in
      try db.first("SELECT count(*) FROM inbox") { row in try row[0] as Int }
    }
    #expect(rows == 4)
    #expect(scratch.logged("inbox.unreadable", "row") == ["integer(1)", "integer(2)", "integer(3)"])
  }
}
