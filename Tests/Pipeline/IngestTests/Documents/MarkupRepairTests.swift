import Testing

@testable import Ingest

@Suite("MarkupRepair") struct MarkupRepairTests {
  @Test("A bare ampersand stays text, and so do the entities after it")
  func ampersands() throws {
    let feed = try parsed(
      "<item><title>R&D spend &amp; more &nbsp; AT&T &nobody; &eacute;</title><link>http://example.com/?a=1&b=2</link></item>"
        + "<item><title>Tom &amp; Jerry &lt;3</title><link>http://example.com/?a=1&amp;b=2</link></item>")
    #expect(feed.items.map(\.title) == ["R&D spend & more AT&T &nobody; é", "Tom & Jerry <3"])
    #expect(feed.items.map(\.link) == ["http://example.com/?a=1&b=2", "http://example.com/?a=1&b=2"])
    #expect(!feed.repairs.isEmpty)
  }

  @Test(
    "A control character goes, every item stays",
    arguments: ["\u{8}", "&#x18;", "&#0;", "\u{FFFE}", "<![CDATA[\u{1}]]>"])
  func controlCharacters(character: String) throws {
    let feed = try parsed("<item><title>a\(character)b</title></item><item><title>next</title></item>")
    #expect(feed.items.map(\.title) == ["ab", "next"])
    #expect(feed.repairs.count == 1)
  }

  @Test("HTML's entities need no declaration")
  func entities() throws {
    let feed = try parsed("<item><title>A&nbsp;B&shy;C &hellip; &amp; D</title></item>")
    #expect(feed.items.first?.title == "A\u{A0}B\u{AD}C … & D")
    #expect(
      feed.repairs == [
        "entities that the document does not declare are read as HTML's or as text: &hellip;, &nbsp;, &shy;"
      ])
  }

  @Test(
    "Tags that do not match lose no item",
    arguments: [
      "<item><title>one</title><description>a<br>b<p>c</description></item><item><title>two</title></item>",
      "<item><title>one</title></b></i></item><item><title>two</title></item>",
      "<item><title>one<item><title>two</title></item>", "<item><title>one</title><item><title>two</title></item>",
      "<item><TITLE>one</title></ITEM><item><title>two</title></item>",
      "<item><title>one</title><category text='x'><item><title>two</title></item>",
      "<item><title>one</title><enclosure url=http://example.com/a.mp3 length=1 length=2></item><item><title>two</title></item>",
      "<item><title>one</title><!-- a -- b --></item><item><title>two</title></item>",
      "<item><title>one</title></item><?xml version='1.0'?><item><title>two</title></item>",
    ])
  func tags(items: String) throws { #expect(try parsed(items).items.map(\.title) == ["one", "two"]) }

  @Test("Angle brackets that begin no tag are text")
  func brackets() throws {
    let feed = try parsed("<item><title>5 < 6, I <3 you</title></item><item><title>a <b </title></item>")
    #expect(feed.items.map(\.title) == ["5 < 6, I <3 you", "a <b"])
  }

  @Test("What stands around the document is left out")
  func around() throws {
    let feed = try FeedDocument.parse(
      Array(
        "<br>Warning: <b>php</b>\n<?xml version='1.0'?>\(rss("<item><title>one</title></item>"))<script>x</script>".utf8
      ))
    #expect(feed.items.map(\.title) == ["one"])
    #expect(!feed.repairs.isEmpty)
    let blank = try FeedDocument.parse(
      Array("\n\n <?xml version='1.0'?>\(rss("<item><title>one</title></item>"))".utf8))
    #expect(blank.items.map(\.title) == ["one"])
    #expect(blank.repairs == ["blanks before the XML declaration are left out"])
  }

  @Test("An item that the document breaks off in is left out, those before it stay")
  func truncated() throws {
    let whole = rss("<item><title>one</title></item><item><title>two, which is long</title></item>")
    let end = try #require(whole.firstRange(of: ", which"))
    let feed = try FeedDocument.parse(Array(whole[..<end.upperBound].utf8))
    #expect(feed.items.map(\.title) == ["one"])
    #expect(feed.repairs == ["line 1: the document ends inside an item, which is left out"])
    let endless = try FeedDocument.parse(Array(whole.replacing("</channel></rss>", with: "").utf8))
    #expect(endless.items.map(\.title) == ["one", "two, which is long"])
    #expect(endless.repairs == ["line 1: the document ends in the middle"])
  }

  @Test("CDATA is untouched while all around it is mended")
  func characterData() throws {
    let feed = try parsed(
      "<item><title>a & b</title><description><![CDATA[<p>x &amp; y & z</p>]]></description></item>")
    #expect(feed.items.first?.content?.raw == "<p>x &amp; y & z</p>")
  }

  @Test("Entities that the document declares are still known")
  func declared() throws {
    let feed = try FeedDocument.parse(
      Array("<!DOCTYPE rss [<!ENTITY co \"Company\">]>\(rss("<item><title>&co; & &amp;</title></item>"))".utf8))
    #expect(feed.items.first?.title == "Company & &")
  }

  @Test("The notes say where, how often and what")
  func notes() throws {
    let feed = try parsed("\n<item><title>a & b & c</title></item>")
    #expect(feed.repairs == ["line 2 and 1 more: ampersands without a name are read as text"])
  }

  @Test("Mending takes time in proportion", arguments: ["<b>", "</b>", "<b x='", "&", "<!--", "<![CDATA[", "<item>"])
  func linear(piece: String) {
    let bytes = Array(rss("<item>" + String(repeating: piece, count: 50_000)).utf8)
    let elapsed = ContinuousClock().measure { _ = try? FeedDocument.parse(bytes) }
    // Quadratic work would take hours.
    #expect(elapsed < .seconds(20))
  }

  private func rss(_ items: String) -> String { "<rss version=\"2.0\"><channel>\(items)</channel></rss>" }

  private func parsed(_ items: String) throws -> FeedDocument { try FeedDocument.parse(Array(rss(items).utf8)) }
}
