import Ingest
import JSON
import Testing
import Time

@Suite("FeedItem") struct FeedItemTests {
  @Test("The identity is the feed's and the guid's, else the link's, else the title's and date's")
  func identity() {
    var item = FeedItem()
    item.title = "T"
    item.published = Timestamp(rfc3339: "2026-11-30T19:22:00Z")
    let byTitle = item.identity(feed: "https://example.com/feed")
    item.link = "https://example.com/1"
    let byLink = item.identity(feed: "https://example.com/feed")
    item.guid = "g"
    let byGuid = item.identity(feed: "https://example.com/feed")
    #expect(Set([byTitle, byLink, byGuid, item.identity(feed: "https://example.org/feed")]).count == 4)
    item.title = "Changed"
    item.link = nil
    #expect(item.identity(feed: "https://example.com/feed") == byGuid)
    // SHA-256 of "https://example.com/feed\ng", its first sixteen bytes.
    #expect(byGuid == "feed:sdwxmKWHVUsdEGmmTMQVmg")
  }

  @Test("As JSON an item has the names that scripts rely on, and what is unknown is absent")
  func json() throws {
    let feed = try FeedDocument.parse(
      Array(
        """
        <rss version="2.0"><channel><title>F</title><link>https://example.com/</link><language>en</language>
        <item><guid>g</guid><title>T</title><description>&lt;b&gt;S&lt;/b&gt;</description><link>https://example.com/1</link>
        <pubDate>Mon, 30 Nov 2026 19:22:00 GMT</pubDate><author>Ann</author><category>World</category>
        <enclosure url="https://example.com/a.mp3" type="audio/mpeg" length="5"/></item><item/></channel></rss>
        """.utf8))
    let expected = try JSONValue(
      parsing: """
        {"id": "\(feed.items[0].identity(feed: "x"))", "guid": "g", "title": "T", "summary": "S", "content": "<b>S</b>",
         "link": "https://example.com/1", "published": "2026-11-30T19:22:00Z", "authors": ["Ann"], "categories": ["World"],
         "language": "en", "enclosures": [{"url": "https://example.com/a.mp3", "type": "audio/mpeg", "length": 5}],
         "feed": {"title": "F", "link": "https://example.com/", "format": "RSS 2.0", "language": "en"}, "repairs": []}
        """)
    #expect(feed.json(of: feed.items[0], feed: "x") == expected)
    #expect(
      feed.json(of: feed.items[1], feed: "x").object?.keys
        == ["id", "authors", "categories", "language", "enclosures", "feed", "repairs"])
  }
}
