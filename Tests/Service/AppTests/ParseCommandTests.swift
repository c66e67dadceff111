import Files
import JSON
import Testing

@testable import App

@Suite struct ParseCommandTests {
  private let rss = """
    <rss version="2.0"><channel><title>The Post</title><link>https://post.example/</link><language>en-GB</language>
    <item><title>Fish &amp; chips</title><link>/1</link><guid>g1</guid><category>World</category>
    <pubDate>Mon, 30 Nov 2026 20:22:00 +0100</pubDate><description>&lt;p&gt;Hot&lt;script&gt;x()&lt;/script&gt;&lt;/p&gt;</description>
    <enclosure url="/a.mp3" type="audio/mpeg" length="7"/></item>
    <item><title>Undated</title></item>
    </channel></rss>
    """

  private func parse(_ words: [String], input: String = "") async -> (ExitCode, [String], String) {
    let memory = MemoryConsole(input: input)
    let status = await CommandTable.standard.run(["parse"] + words, memory.console)
    return (status, memory.output.lines, memory.errors.text)
  }

  @Test("In words: the feed, how it was mended, and a row an article")
  func words() async throws {
    let broken = rss.replacing("Fish &amp; chips", with: "Fish & chips")
    let (status, lines, errors) = await parse(["--table"], input: broken)
    #expect(status == .done && errors == "")
    #expect(lines.first == "The Post (RSS 2.0)")
    #expect(lines.contains { $0.hasPrefix("mended: ") })
    #expect(lines.contains("2 articles"))
    #expect(lines.contains { $0.hasPrefix("PUBLISHED") })
    #expect(lines.contains { $0.contains("Fish & chips") && $0.contains("World") })
    #expect(lines.last?.hasPrefix("no date") == true)
  }

  @Test("A feed on standard input becomes one article a line, in document order", arguments: [[], ["-"]])
  func articles(operands: [String]) async throws {
    let (status, lines, errors) = await parse(
      operands + ["--base-url", "https://post.example/feed.xml"], input: rss)
    #expect(status == .done && errors == "")
    try #require(lines.count == 2)
    let first = try JSONValue(parsing: lines[0])
    #expect(first["title"] == "Fish & chips")
    #expect(first["guid"] == "g1")
    #expect(first["link"] == "https://post.example/1")
    #expect(first["published"] == "2026-11-30T19:22:00Z")
    #expect(first["summary"] == "Hot")
    #expect(first["content"] == "<p>Hot</p>")
    #expect(first["categories"] == ["World"])
    #expect(first["language"] == "en-GB")
    #expect(first["enclosures"] == [["url": "https://post.example/a.mp3", "type": "audio/mpeg", "length": 7]])
    #expect(
      first["feed"] == [
        "title": "The Post", "link": "https://post.example/", "format": "RSS 2.0", "language": "en-GB",
      ])
    #expect(first["repairs"] == [] && first["authors"] == [])
    #expect(first["id"]?.string?.hasPrefix("feed:") == true)
    let second = try JSONValue(parsing: lines[1])
    #expect(second["title"] == "Undated" && second["published"] == nil && second["updated"] == nil)
    #expect(second["id"] != first["id"])
  }

  @Test("What is no feed is told by name, and the other documents are read all the same")
  func noFeed() async throws {
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    let (feed, page, absent) = ("\(directory)/feed", "\(directory)/page", "\(directory)/absent")
    try FileSystem.write(Array(rss.utf8), to: feed)
    try FileSystem.write(Array("<html><body>No</body></html>".utf8), to: page)
    let (status, lines, errors) = await parse([page, absent, feed])
    #expect(status == .failed)
    #expect(lines.count == 2)
    let messages = errors.split(separator: "\n")
    try #require(messages.count == 2)
    #expect(messages[0].hasPrefix("\(page): this is a web page"))
    #expect(messages[1] == "cannot read \(absent): No such file or directory")
  }

  @Test("An empty document is no feed", arguments: ["", " \n", "{}", "[]"])
  func empty(text: String) async {
    let (status, lines, errors) = await parse([], input: text)
    #expect(status == .failed && lines.isEmpty && errors.hasPrefix("standard input:"))
  }
}
