import Ingest
import JSON
import TestKit
import Testing

@Suite struct FeedListTests {
  private func list(_ text: String) throws(FeedListError) -> FeedList { try FeedList(opml: Array(text.utf8)) }

  private func body(_ outlines: String) -> String {
    "<?xml version=\"1.0\"?><opml version=\"2.0\"><head/><body>\(outlines)</body></opml>"
  }

  @Test("Feeds come with their titles, pages, languages, folders and lines")
  func entries() throws {
    let list = try list(
      """
      <opml version="1.1"><head><title>Mine</title></head><body>
      <outline text="News">
        <outline text="World">
          <outline type="rss" text="A &amp; B" xmlUrl=" https://a.example/?x=1&amp;y=2 " htmlUrl="https://a.example/"
            language="en"/>
        </outline>
      </outline>
      <outline xmlUrl="https://b.example/"/>
      <outline text="A page" type="link" url="https://c.example/"/>
      </body></opml>
      """)
    #expect(
      list.entries == [
        .init(
          url: "https://a.example/?x=1&y=2", title: "A & B", page: "https://a.example/", language: "en",
          folders: [["News", "World"]], line: 5),
        .init(url: "https://b.example/", line: 8),
      ])
    #expect(list.repairs == [])
  }

  @Test("A feed without a name is written with its address, which is no name when it is read again")
  func nameless() throws {
    let nameless = FeedList([.init(url: "https://a.example/f")])
    #expect(nameless.opml.contains("text=\"https://a.example/f\""))
    #expect(try list(nameless.opml).entries.map(\.title) == [nil])
    let named = try list(body("<outline text=\"https://a.example/\" title=\"A\" xmlUrl=\"https://a.example/\"/>"))
    #expect(named.entries.map(\.title) == ["A"])
  }

  @Test("A feed that stands in two folders is one feed of both")
  func folders() throws {
    let list = try list(
      body(
        """
        <outline text="World"><outline xmlUrl="u" category="a,/b/c"/></outline>
        <outline text="Sports"><outline xmlUrl="u"/></outline>
        """))
    #expect(list.entries.map(\.folders) == [[["World"], ["a"], ["b", "c"], ["Sports"]]])
  }

  @Test("Bare ampersands and entities of HTML are mended, and told")
  func repairs() throws {
    let list = try list(body("<outline text=\"R&D &eacute;\" xmlUrl=\"https://a.example/?x=1&y=2&copy=3\"/>"))
    #expect(list.entries.map(\.url) == ["https://a.example/?x=1&y=2&copy=3"])
    #expect(list.entries.map(\.title) == ["R&D é"])
    #expect(!list.repairs.isEmpty)
  }

  @Test("Another charset is read")
  func charset() throws {
    let text =
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><opml><body><outline text=\"caf\u{E9}\" xmlUrl=\"u\"/></body></opml>"
    let list = try FeedList(opml: text.unicodeScalars.map { UInt8($0.value) })
    #expect(list.entries.map(\.title) == ["café"])
  }

  @Test("Lists in other places are named, not followed", arguments: ["source", "include"])
  func otherLists(type: String) throws {
    let list = try list(body("<outline type=\"\(type)\" xmlUrl=\"https://a.example/list\"/>"))
    #expect(list.entries.isEmpty)
    #expect(list.repairs == ["line 1: the list at https://a.example/list is not followed"])
  }

  @Test(
    "What is no list of feeds says what it is",
    arguments: [
      ("", "this is no XML; a list of feeds is an OPML document"),
      ("hello", "this is no XML; a list of feeds is an OPML document"),
      ("{}", "this is no XML; a list of feeds is an OPML document"),
      ("<rss version=\"2.0\"><channel/></rss>", "this is XML with the root <rss>; a list of feeds has <opml>"),
    ])
  func noList(text: String, message: String) {
    #expect { try self.list(text) } throws: { "\($0)" == message }
  }

  @Test("Bounds hold")
  func bounds() {
    let deep = String(repeating: "<outline>", count: 100) + String(repeating: "</outline>", count: 100)
    #expect(throws: FeedListError.tooLarge("the nesting of outlines", limit: FeedList.depthMax)) {
      try self.list(self.body(deep))
    }
    let bomb = """
      <!DOCTYPE opml [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
      <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">
      <!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">
      <!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;"><!ENTITY h "&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;">]>
      <opml><body><outline text="&h;" xmlUrl="u"/></body></opml>
      """
    // Refused or left as a reference; what it must not be is a gigabyte.
    let text = (try? list(bomb))?.entries.first?.title ?? ""
    #expect(text.utf8.count < 4 << 20)
  }

  @Test("What is written reads back as the same")
  func roundTrip() throws {
    let entries: [FeedList.Entry] = [
      .init(
        url: "https://a.example/?x=1&y=\"2\"", title: "A <b> & \"c\"\n\u{7}d", folders: [["World"], ["x"], ["y", "z"]]),
      .init(
        url: "https://b.example/", title: "三", page: "https://b.example/p", language: "zh", folders: [["News", "国际"]]),
      .init(url: "https://c.example/", title: "C"), .init(url: "https://d.example/", title: "D", folders: [["World"]]),
    ]
    let text = FeedList(entries).opml
    let back = try list(text)
    var expected = entries
    expected[0].title = "A <b> & \"c\"\nd"
    #expect(Set(back.entries.map(\.withoutLine)) == Set(expected))
    // Feeds without a folder stand first, folders in the order of their first feeds.
    #expect(back.entries.map(\.title) == ["C", "A <b> & \"c\"\nd", "D", "三"])
    #expect(back.repairs == [])
    #expect(FeedList(back.entries).opml == text)
  }

  @Test(
    "The documents of listparser's tests are read as its tests expect",
    .enabled(if: TestKit.Corpora.arePresent, TestKit.Corpora.absence))
  func corpus() throws {
    let rows = try String(decoding: TestKit.Corpora.read("feeds/listparser/expect.jsonl"), as: UTF8.self)
      .split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    var checked = 0
    for row in rows {
      guard let file = row["file"]?.string, let field = row["field"]?.string, let expected = row["expected"],
        file.hasPrefix("tests/files/opml/") || file.hasPrefix("tests/files/malformed/"), field.contains("['feeds']")
      else { continue }
      let bytes = try TestKit.Corpora.read("feeds/listparser/\(file)")
      guard let list = try? FeedList(opml: bytes) else {
        Issue.record("\(file) is not read")
        continue
      }
      guard let found = value(of: field, in: list.entries) else { continue }
      checked += 1
      switch row["op"]?.string {
      case "==": #expect(found == expected, "\(file): \(field)")
      case "contains": #expect(found.array?.contains(expected) == true, "\(file): \(field)")
      default: Issue.record("\(file): an operator that is not known")
      }
    }
    #expect(checked >= 50)
  }

  /// What listparser calls a field, as our list has it; nil for what our list has not.
  private func value(of field: String, in entries: [FeedList.Entry]) -> JSONValue? {
    func folders(_ entry: FeedList.Entry?) -> JSONValue {
      .array((entry?.folders ?? []).map { .array($0.map { .string($0) }) })
    }
    switch field {
    case "len(result['feeds'])": return .number(JSONNumber(entries.count))
    case "result['feeds'][0]['url']": return entries.first.map { .string($0.url) }
    case "result['feeds'][0]['title']": return entries.first.map { .string($0.title ?? "") }
    case "result['feeds'][0]['categories']": return folders(entries.first)
    case "result['feeds'][0]['categories'][0]": return folders(entries.first)[0]
    case "len(result['feeds'][0]['categories'])": return .number(JSONNumber(entries.first?.folders.count ?? 0))
    default: return nil
    }
  }
}

extension FeedList.Entry {
  fileprivate var withoutLine: FeedList.Entry {
    var entry = self
    entry.line = nil
    return entry
  }
}
