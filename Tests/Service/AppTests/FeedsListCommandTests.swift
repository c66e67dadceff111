import Files
import Ingest
import JSON
import SQLiteStore
import Telemetry
import TestKit
import Testing
import Time

@testable import App

@Suite struct FeedsListCommandTests {
  private static let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!
  private static let yaml = """
    store: {sqlite: feeds.db}
    feeds:
      list:
        - {url: "https://a.example/feed", name: Alpha, category: World, language: en}
        - {url: "https://b.example/feed"}
        - {url: "https://c.example/feed", name: Gamma}
    """

  /// Runs `feeds list` in a directory with that configuration and, where given, states in its store.
  private func list(_ words: [String], states: [FeedState]) async throws -> (ExitCode, MemorySink) {
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    try FileSystem.write(Array(Self.yaml.utf8), to: directory + "/tidings.yaml")
    if !states.isEmpty {
      let store = try await SQLiteStore.open(path: directory + "/feeds.db", logger: .silent)
      for state in states {
        _ = try await store.commit(
          Poll(state: state, articles: [], subscribed: nil, time: Self.noon, isBaseline: true))
      }
      await store.close()
    }
    let memory = MemoryConsole(clock: ManualClock(Self.noon))
    let status = await CommandTable.standard.run(
      ["feeds", "list", "--config", directory + "/tidings.yaml"] + words, memory.console)
    #expect(memory.errors.text == "")
    #expect(states.isEmpty == (FileSystem.kind(of: directory + "/feeds.db") == nil))
    return (status, memory.output)
  }

  private var states: [FeedState] {
    var good = FeedState(
      url: "https://a.example/feed", nextCheck: Self.noon + .seconds(600), nextCheckReason: "every 15 min")
    good.lastAttempt = Self.noon - .seconds(300)
    good.lastSuccess = good.lastAttempt
    good.title = "The A"
    var bad = FeedState(
      url: "https://b.example/feed", nextCheck: Self.noon - .seconds(1), nextCheckReason: "after 3 failures")
    bad.lastAttempt = Self.noon - .seconds(60)
    bad.failures = 3
    bad.lastError = "404: there is nothing"
    return [good, bad]
  }

  @Test("Each feed is a line with its health, the last read, and the next check with its reason")
  func lines() async throws {
    let (status, output) = try await list([], states: states)
    #expect(status == .done)
    let rows = try output.lines.map { try JSONValue(parsing: $0) }
    try #require(rows.count == 3)
    #expect(rows.map { $0["health"] } == ["ok", "failing", "new"])
    #expect(rows[0]["name"] == "Alpha" && rows[0]["category"] == "World" && rows[0]["title"] == "The A")
    #expect(rows[0]["lastSuccess"] == "2026-11-30T11:55:00Z" && rows[0]["failures"] == 0)
    #expect(rows[0]["nextCheck"] == ["time": "2026-11-30T12:10:00Z", "reason": "every 15 min"])
    #expect(rows[1]["name"] == "b.example" && rows[1]["error"] == "404: there is nothing" && rows[1]["failures"] == 3)
    #expect(rows[2]["url"] == "https://c.example/feed" && rows[2]["nextCheck"] == nil)
  }

  @Test("A table aligns what a person looks for")
  func table() async throws {
    let (_, output) = try await list(["--table"], states: states)
    #expect(
      output.text == """
        FEED       CATEGORY  HEALTH   LAST READ  HUB   NEXT CHECK  WHY, OR WHAT IS WRONG
        Alpha      World     ok       5 min ago  none  in 10 min   every 15 min
        b.example            failing  never      none  due         404: there is nothing
        Gamma                new      never      none  due         not polled yet

        """)
  }

  @Test("A feed that was moved or given up says so, and can be taken up again")
  func standing() async throws {
    var states = states
    states[0].address = "https://new.example/feed"
    states[1].disabledReason = "the publisher has said twice that the feed is gone (410)"
    let (_, table) = try await list(["--table"], states: states)
    #expect(table.text.contains("every 15 min (moved to https://new.example/feed)"))
    #expect(table.text.contains("disabled  never      none  never       the publisher has said twice"))
    let (_, lines) = try await list([], states: states)
    let rows = try lines.lines.map { try JSONValue(parsing: $0) }
    #expect(rows[0]["address"] == "https://new.example/feed")
    #expect(rows[1]["health"] == "disabled" && rows[1]["nextCheck"] == nil)
    #expect(rows[1]["disabled"]?.string?.contains("410") == true)

    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    try FileSystem.write(Array(Self.yaml.utf8), to: directory + "/tidings.yaml")
    let store = try await SQLiteStore.open(path: directory + "/feeds.db", logger: .silent)
    for state in states {
      _ = try await store.commit(Poll(state: state, articles: [], subscribed: nil, time: Self.noon, isBaseline: true))
    }
    for (url, status) in [("b", "enabled"), ("b", "unchanged"), ("a", "unchanged"), ("c", "unchanged")] {
      let memory = MemoryConsole(clock: ManualClock(Self.noon))
      let exit = await CommandTable.standard.run(
        ["feeds", "enable", "https://\(url).example/feed", "--config", directory + "/tidings.yaml"], memory.console)
      #expect(exit == .done && memory.output.text.contains("\"\(status)\""))
    }
    let state = try #require(try await store.feedState("https://b.example/feed"))
    #expect(state.disabledReason == nil && state.goneCount == 0 && state.nextCheck == Self.noon)
    let memory = MemoryConsole()
    _ = await CommandTable.standard.run(
      ["feeds", "export", "--config", directory + "/tidings.yaml"], memory.console)
    #expect(memory.output.text.contains("https://new.example/feed") && !memory.output.text.contains("a.example"))
    await store.close()
    let unknown = MemoryConsole()
    let exit = await CommandTable.standard.run(
      ["feeds", "enable", "https://x.example/", "--config", directory + "/tidings.yaml"], unknown.console)
    #expect(exit == .failed && unknown.errors.text.contains("not followed"))
  }

  @Test("Characters that take two columns of a terminal are counted as two")
  func wideCharacters() {
    let table = TextTable(columns: ["FEED", "X"], rows: [["海港日报", "1"], ["Le Phare", "2"], ["한국어 é", "3"]])
    #expect(table.text == "FEED      X\n海港日报  1\nLe Phare  2\n한국어 é  3\n")
  }

  @Test("Before the worker's first run every feed is new, and no store is made")
  func noStore() async throws {
    let (status, output) = try await list([], states: [])
    #expect(status == .done)
    #expect(try output.lines.map { try JSONValue(parsing: $0)["health"] } == ["new", "new", "new"])
  }
}
