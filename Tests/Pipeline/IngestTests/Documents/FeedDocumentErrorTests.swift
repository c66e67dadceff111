import Ingest
import Testing

@Suite("FeedDocumentError") struct FeedDocumentErrorTests {
  @Test(
    "What is no feed is told for what it is",
    arguments: [
      ("", FeedDocumentError.Lookalike.empty), (" \n", .empty), ("<opml version='2.0'><body/></opml>", .opml),
      ("<kml xmlns='http://www.opengis.net/kml/2.2'/>", .xml(root: "kml")), ("{\"a\": 1}", .json), ("[]", .json),
      ("<!DOCTYPE html><html><head><title>x</title></head><body><p>y<br></body></html>", .webPage(feeds: [])),
      (
        "<html><head><link rel=alternate type='application/rss+xml' href='/feed.xml'></head><body></html>",
        .webPage(feeds: ["/feed.xml"])
      ),
      ("just text", .other("text")), ("\u{1F}\u{8B}", .other("text")), ("%PDF-1.7", .other("a PDF")),
    ])
  func notAFeed(document: String, lookalike: FeedDocumentError.Lookalike) {
    #expect(throws: FeedDocumentError.notAFeed(lookalike)) { try FeedDocument.parse(Array(document.utf8)) }
  }

  @Test("Compressed and binary data are told, too")
  func binary() {
    #expect(throws: FeedDocumentError.notAFeed(.other("compressed data (gzip)"))) {
      try FeedDocument.parse([0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
    }
    #expect(throws: FeedDocumentError.notAFeed(.other("binary data"))) {
      try FeedDocument.parse([0x89, 0x50, 1, 2, 3, 0xFF])
    }
  }

  @Test("Messages say what would be right")
  func messages() {
    #expect(
      "\(FeedDocumentError.notAFeed(.webPage(feeds: ["/a"])))"
        == "this is a web page, not a feed; it names as its feed: /a")
    #expect(
      "\(FeedDocumentError.tooLarge("the document, in bytes,", limit: 5))"
        == "the document, in bytes, is larger than the limit of 5")
  }

  @Test("A feed without items is a feed")
  func noItems() throws {
    #expect(
      try FeedDocument.parse(Array("<rss version='2.0'><channel><title>x</title></channel></rss>".utf8)).items.isEmpty)
  }

  @Test("Broken JSON is told with its place")
  func brokenJSON() {
    #expect {
      try FeedDocument.parse(Array("{\"version\": \"https://jsonfeed.org/version/1.1\",\n \"items\": [}".utf8))
    } throws: {
      guard case FeedDocumentError.unreadable(let line, _, _) = $0 else { return false }
      return line == 2
    }
  }

  @Test("Fifty megabytes of text in one element are refused, as a document or as a text")
  func hugeText() {
    let document =
      Array("<rss version='2.0'><channel><item><description>".utf8) + [UInt8](repeating: 0x78, count: 50 << 20)
    #expect(throws: FeedDocumentError.tooLarge("the document, in bytes,", limit: 32 << 20)) {
      try FeedDocument.parse(document)
    }
    var limits = FeedDocument.Limits()
    limits.documentBytesMax = 64 << 20
    #expect(throws: FeedDocumentError.tooLarge("the summary of an element, in bytes,", limit: 8 << 20)) {
      try FeedDocument.parse(document + Array("</description></item></channel></rss>".utf8), limits: limits)
    }
  }

  @Test("A billion laughs, unlimited depth and unlimited attributes are refused")
  func attacks() {
    var laughs = "<!DOCTYPE rss [<!ENTITY l0 'lol'>"
    for level in 1...9 { laughs += "<!ENTITY l\(level) '\(String(repeating: "&l\(level - 1);", count: 10))'>" }
    laughs += "]><rss><channel><item><title>&l9;</title></item></channel></rss>"
    #expect(throws: FeedDocumentError.tooLarge("the number of entities", limit: 1 << 20)) {
      try FeedDocument.parse(Array(laughs.utf8))
    }
    let deep = "<rss><channel>" + String(repeating: "<item>", count: 10_000)
    #expect(throws: FeedDocumentError.tooDeep(limit: 256)) { try FeedDocument.parse(Array(deep.utf8)) }
    let wide = "<rss><channel><item " + (0..<1000).map { "a\($0)='' " }.joined() + "/></channel></rss>"
    #expect(throws: FeedDocumentError.tooLarge("the number of attributes", limit: 512)) {
      try FeedDocument.parse(Array(wide.utf8))
    }
  }

  @Test("Items beyond the limit are left out, with a note")
  func manyItems() throws {
    var limits = FeedDocument.Limits()
    limits.itemsMax = 3
    let document = "<rss><channel>" + String(repeating: "<item/>", count: 5) + "</channel></rss>"
    let feed = try FeedDocument.parse(Array(document.utf8), limits: limits)
    #expect(feed.items.count == 3)
    #expect(feed.repairs == ["items beyond the first 3 are left out"])
  }
}
