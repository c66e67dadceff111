import Ingest
import Testing
import Time

@Suite("FeedDocument") struct FeedDocumentTests {
  @Test(
    "A document says which format it is in",
    arguments: [
      ("<rss version='2.0'><channel/></rss>", FeedFormat.rss20), ("<rss version='0.91'><channel/></rss>", .rss091),
      ("<rss version='0.92'><channel/></rss>", .rss092), ("<rss><channel/></rss>", .rss20),
      ("<r:rss xmlns:r='http://backend.userland.com/rss2' version='2.0'><r:channel/></r:rss>", .rss20),
      (rdf("http://purl.org/rss/1.0/"), .rss10), (rdf("http://my.netscape.com/rdf/simple/0.9/"), .rss090),
      ("<Channel xmlns='http://purl.org/net/rss1.1#'/>", .rss11),
      ("<feed xmlns='http://www.w3.org/2005/Atom'/>", .atom10),
      ("<a:feed xmlns:a='https://www.w3.org/2005/atom/'/>", .atom10),
      ("<feed version='0.3' xmlns='http://purl.org/atom/ns#'/>", .atom03), ("<feed/>", .atom10),
      ("<CHANNEL HREF='http://example.com/'/>", .cdf),
      (#"{"version": "https://jsonfeed.org/version/1", "items": []}"#, .jsonFeed10),
      (#"{"version": "https://jsonfeed.org/version/1.1", "items": []}"#, .jsonFeed11),
    ])
  func format(document: String, format: FeedFormat) throws {
    #expect(try FeedDocument.parse(Array(document.utf8)).format == format)
  }

  @Test("RSS 2.0 with the usual modules becomes whole items")
  func rss() throws {
    let feed = try FeedDocument.parse(
      Array(
        """
        <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"
          xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">
        <channel><title>News &amp; more</title><link>https://example.com/</link><language>en-GB</language>
        <description>All of it</description><ttl>30</ttl><skipHours><hour>3</hour><hour>24</hour></skipHours>
        <atom:link rel="self" href="/feed.xml"/><atom:link rel="hub" href="https://hub.example.com/"/>
        <item><title>Quake &lt;b&gt;off&lt;/b&gt; Hokkaido</title><link>/quake?a=1&amp;b=2</link>
          <guid isPermaLink="false">q1</guid><pubDate>Mon, 30 Nov 2026 19:22:00 GMT</pubDate>
          <dc:creator>Ann Lee</dc:creator><category domain="urn:c">World</category><category>World</category>
          <description>Strong &lt;i&gt;quake&lt;/i&gt;.</description>
          <content:encoded><![CDATA[<p>Long <a href="more">text</a><script>x</script></p>]]></content:encoded>
          <enclosure url="/a.mp3" length="123" type="audio/mpeg"/><media:thumbnail url="/t.jpg"/>
        </item></channel></rss>
        """.utf8), baseURL: "https://example.com/rss")
    #expect(feed.title == "News & more")
    #expect(feed.link == "https://example.com/")
    #expect(feed.selfLink == "https://example.com/feed.xml")
    #expect(feed.hubLinks == ["https://hub.example.com/"])
    #expect(feed.refresh.timeToLiveMinutes == 30)
    #expect(feed.refresh.skipHours == [0, 3])
    let item = try #require(feed.items.first)
    #expect(item.title == "Quake off Hokkaido")
    #expect(item.link == "https://example.com/quake?a=1&b=2")
    #expect(item.guid == "q1")
    #expect(!item.guidIsPermaLink)
    #expect(item.published == Timestamp(rfc3339: "2026-11-30T19:22:00Z"))
    #expect(item.updated == nil)
    #expect(item.authors.map(\.name) == ["Ann Lee"])
    #expect(item.categories.map(\.term) == ["World", "World"])
    #expect(item.categories.first?.scheme == "urn:c")
    #expect(item.language == "en-GB")
    #expect(item.summary == "Strong quake.")
    #expect(item.content?.sanitised() == #"<p>Long <a href="https://example.com/more">text</a></p>"#)
    #expect(item.enclosures == [.init(url: "https://example.com/a.mp3", type: "audio/mpeg", length: 123)])
    #expect(item.image == "https://example.com/t.jpg")
    #expect(feed.repairs.isEmpty)
  }
}

private func rdf(_ namespace: String) -> String {
  "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='\(namespace)'><channel/></rdf:RDF>"
}
