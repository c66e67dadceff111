import Files
import Ingest
import JSON
import News
import Testing

@testable import App

/// A configuration with a feeds file in a directory of its own.
private final class Workplace {
  let directory: String
  var config: String { "\(directory)/tidings.yaml" }
  var feeds: String { "\(directory)/feeds.opml" }

  init(_ text: String = "feeds: {file: feeds.opml}") throws {
    directory = try FileSystem.makeTemporaryDirectory()
    try write(text, to: config)
  }

  deinit { try? FileSystem.remove(directory) }

  func write(_ text: String, to path: String) throws { try FileSystem.write(Array(text.utf8), to: path) }

  func run(_ words: [String], input: String = "") async -> (ExitCode, [JSONValue], String) {
    let memory = MemoryConsole(input: input)
    let status = await CommandTable.standard.run(words + ["--config", config], memory.console)
    let lines = memory.output.lines.compactMap { try? JSONValue(parsing: $0) }
    return (status, lines, memory.errors.text)
  }

  func load() throws -> LoadedConfiguration {
    try LoadedConfiguration(
      file: config, environment: [:], share: Share(environment: [:], executablePath: MemoryConsole.executablePath))
  }
}

private func opml(_ outlines: String) -> String { "<opml version=\"2.0\"><body>\n\(outlines)\n</body></opml>" }

@Suite struct FeedsCommandTests {
  private let list = opml(
    """
    <outline text="World"><outline text="A" xmlUrl="https://a.example/f?x=1&amp;y=2" language="en"/></outline>
    <outline text="Nachrichten"><outline text="Wirtschaft"><outline text="B" xmlUrl="https://b.example/"/></outline></outline>
    <outline text="Blogs"><outline text="C" xmlUrl="https://c.example/" language="unknown"/></outline>
    """)

  @Test("Imported feeds are followed with the categories of their folders, and imported once")
  func importing() async throws {
    let place = try Workplace()
    try place.write(list, to: "\(place.directory)/list.opml")
    let (status, results, errors) = await place.run(["feeds", "import", "\(place.directory)/list.opml"])
    #expect(status == .done && errors == "")
    #expect(
      results == [
        ["url": "https://a.example/f?x=1&y=2", "name": "A", "category": "World", "status": "imported"],
        ["url": "https://b.example/", "name": "B", "category": "Business", "status": "imported"],
        ["url": "https://c.example/", "name": "C", "status": "imported"],
      ])
    let loaded = try place.load()
    #expect(
      loaded.feeds.map(\.subscription) == [
        Subscription(url: "https://a.example/f?x=1&y=2", name: "A", category: .world, language: "en"),
        Subscription(url: "https://b.example/", name: "B", category: .business),
        Subscription(url: "https://c.example/", name: "C"),
      ])

    let before = try FileSystem.read(place.feeds, bytesMax: 1 << 20)
    let again = await place.run(["feeds", "import", "-"], input: opml("<outline xmlUrl=\"HTTPS://B.example\"/>"))
    #expect(again.0 == .done)
    #expect(again.1.map { $0["status"] } == ["known"])
    #expect(try FileSystem.read(place.feeds, bytesMax: 1 << 20) == before)
  }

  @Test("Folders are categories in the languages of the locales, too")
  func localeFolders() async throws {
    let names = ["Monde", "politique", "Économie", "科技", "Sciences", "体育", "SPORTS", "国际"]
    let outlines = names.enumerated().map { number, name in
      "<outline text=\"\(name)\"><outline xmlUrl=\"https://\(number).example/\"/></outline>"
    }
    let place = try Workplace()
    let (status, results, _) = await place.run(["feeds", "import", "-"], input: opml(outlines.joined()))
    #expect(status == .done)
    #expect(
      results.map { $0["category"]?.string } == [
        "World", "Politics", "Business", "Technology", "Science", "Sports", "Sports", "World",
      ])
  }

  @Test("What cannot be followed is told by its place; the rest is imported")
  func partial() async throws {
    let place = try Workplace()
    let (status, results, errors) = await place.run(
      ["feeds", "import", "-"],
      input: opml(
        "<outline text=\"Ay\" xmlUrl=\"feed\"/>\n<outline xmlUrl=\"http://a.example\"/>\n<outline xmlUrl=\"ftp://b\"/>")
    )
    #expect(status == .failed)
    #expect(results.map { $0["url"] } == ["http://a.example/"])
    #expect(
      errors.split(separator: "\n").map { $0.prefix(65) } == [
        "standard input:2:1: the address of the feed \"Ay\" cannot be used; ",
        "standard input:4:1: the address of a feed cannot be used; the sch",
      ])
    #expect(try place.load().feeds.count == 1)
  }

  @Test("Without a feeds file in the configuration there is nothing to import into")
  func noFeedsFile() async throws {
    let place = try Workplace("{}")
    let (status, _, errors) = await place.run(["feeds", "import", "-"], input: list)
    #expect(status == .failed && errors.contains("feeds: {file: feeds.opml}"))
    let noList = await place.run(["feeds", "import", "-"], input: "<rss/>")
    #expect(noList.0 == .failed)
  }

  @Test("What is no list is no list, with its place where there is one")
  func noList() async throws {
    let place = try Workplace()
    let rss = await place.run(["feeds", "import", "-"], input: "<rss/>")
    #expect(rss.0 == .failed)
    #expect(
      rss.2 == "tidings feeds import: standard input: this is XML with the root <rss>; a list of feeds has <opml>\n")
  }

  @Test("What is followed is exported as a list that imports again, without logins")
  func exporting() async throws {
    let place = try Workplace(
      """
      feeds:
        file: feeds.opml
        list:
        - {url: "https://me:secret@d.example/", name: D, category: Sports, language: fr}
      """)
    try place.write(list, to: place.feeds)
    let memory = MemoryConsole()
    let status = await CommandTable.standard.run(["feeds", "export", "--config", place.config], memory.console)
    #expect(status == .done)
    #expect(!memory.output.text.contains("secret"))
    let exported = try FeedList(opml: Array(memory.output.text.utf8))
    #expect(exported.entries.map(\.title) == ["D", "A", "B", "C"])
    #expect(
      exported.entries.map(\.folders) == [[["Sports"]], [["World"]], [["Nachrichten", "Wirtschaft"]], [["Blogs"]]])

    let other = try Workplace()
    let imported = await other.run(["feeds", "import", "-"], input: memory.output.text)
    #expect(imported.0 == .done)
    #expect(try other.load().feeds.map(\.subscription) == place.load().feeds.map(\.subscription))
  }

  @Test("A feeds file that is missing, broken or repeats the configuration is a problem of the configuration")
  func problems() throws {
    let place = try Workplace("feeds: {file: feeds.opml, list: [{url: https://a.example/}]}")
    func problems() -> [String] {
      do {
        _ = try place.load()
        return []
      } catch {
        return (error as? Problems)?.all.map { "\($0)".split(separator: place.directory + "/").joined() } ?? [
          "\(error)"
        ]
      }
    }
    #expect(
      problems() == [
        "tidings.yaml:1:15: cannot read feeds.opml: No such file or directory; feeds.file names an OPML file; `tidings feeds import` "
          + "makes one"
      ])
    try place.write(opml("<outline xmlUrl=\"https://A.example\"/>\n<outline xmlUrl=\"nowhere\"/>"), to: place.feeds)
    #expect(
      problems() == [
        "feeds.opml:2:1: the feed \"https://a.example/\" stands in feeds.list already; remove it from one of them",
        "feeds.opml:3:1: the address of a feed cannot be used; an absolute URL is needed, such as "
          + "https://example.org/feed.xml",
      ])
    try place.write("<rss/>", to: place.feeds)
    #expect(problems() == ["feeds.opml: this is XML with the root <rss>; a list of feeds has <opml>"])
  }
}
