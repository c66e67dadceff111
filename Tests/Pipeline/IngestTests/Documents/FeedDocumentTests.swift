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

  @Test("Atom 1.0 becomes whole items, and what an entry lacks it has from its source or feed")
  func atom() throws {
    let feed = try FeedDocument.parse(
      Array(
        """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="fr" xml:base="https://example.com/blog/">
          <title type="html">Le &amp;lt;Monde&amp;gt;</title><subtitle>Tout</subtitle><id>urn:feed</id>
          <link href="./"/><link rel="self" href="feed.atom"/><link rel="hub" href="https://hub.example.com/"/>
          <author><name>Rédaction</name></author><updated>2026-11-30T10:00:00Z</updated>
          <entry xml:lang="de"><title>Eins</title><id>urn:1</id><link href="1"/><link rel="edit" href="x"/>
            <link rel="enclosure" href="a.mp3" type="audio/mpeg" length="9"/><published>2026-11-30T09:00:00+01:00</published>
            <updated>2026-11-30T10:00:00Z</updated><category term="world" scheme="urn:s" label="Welt"/>
            <summary type="html">&lt;p&gt;Kurz&lt;/p&gt;</summary>
            <content type="xhtml" xml:base="img/"><div xmlns="http://www.w3.org/1999/xhtml"><p>5 &lt; 6<br/><img src="a.png"/></p></div></content>
          </entry>
          <entry><title>Deux</title><id>urn:2</id><source><author><name>Autre</name></author><title>Non</title></source>
            <link rel="alternate" type="application/pdf" href="2.pdf"/><link rel="alternate" type="text/html" href="2"/></entry>
          <entry><title>Trois</title><id>https://example.com/3</id><author><name>Ann</name><email>a@example.com</email></author></entry>
        </feed>
        """.utf8))
    #expect(feed.title == "Le <Monde>")
    #expect(feed.link == "https://example.com/blog/")
    #expect(feed.selfLink == "https://example.com/blog/feed.atom")
    #expect(feed.language == "fr")
    #expect(feed.updated == Timestamp(rfc3339: "2026-11-30T10:00:00Z"))
    let (one, two, three) = (feed.items[0], feed.items[1], feed.items[2])
    #expect(one.link == "https://example.com/blog/1")
    #expect(one.published == Timestamp(rfc3339: "2026-11-30T08:00:00Z"))
    #expect(one.updated == Timestamp(rfc3339: "2026-11-30T10:00:00Z"))
    #expect(one.language == "de")
    #expect(one.categories == [.init(term: "world", scheme: "urn:s", label: "Welt")])
    #expect(one.enclosures == [.init(url: "https://example.com/blog/a.mp3", type: "audio/mpeg", length: 9)])
    #expect(one.summary == "Kurz")
    #expect(
      one.content?.sanitised()
        == "<div><p>5 &lt; 6<br><img src=\"https://example.com/blog/img/a.png\"></p></div>")
    #expect(one.authors.map(\.name) == ["Rédaction"])
    #expect(two.link == "https://example.com/blog/2")
    #expect(two.authors.map(\.name) == ["Autre"])
    #expect(three.link == "https://example.com/3")
    #expect(three.authors == [.init(name: "Ann", email: "a@example.com")])
  }

  @Test("RSS 1.0 has its items beside the channel, its dates from Dublin Core")
  func rdfItems() throws {
    let feed = try FeedDocument.parse(
      Array(
        """
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
          xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">
        <channel rdf:about="https://example.com/rdf"><title>T</title><link>https://example.com/</link><dc:language>en</dc:language>
          <items><rdf:Seq><rdf:li rdf:resource="https://example.com/1"/></rdf:Seq></items>
          <sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency></channel>
        <item rdf:about="https://example.com/1"><title>One</title><link>https://example.com/1</link>
          <dc:date>2026-11-30T19:22+01:00</dc:date><dc:creator>A</dc:creator><dc:creator>B</dc:creator><dc:subject>World</dc:subject>
        </item></rdf:RDF>
        """.utf8))
    let item = try #require(feed.items.first)
    #expect(feed.items.count == 1)
    #expect(item.guid == "https://example.com/1")
    #expect(item.published == Timestamp(rfc3339: "2026-11-30T18:22:00Z"))
    #expect(item.authors.map(\.name) == ["A", "B"])
    #expect(item.categories.map(\.term) == ["World"])
    #expect(item.language == "en")
    #expect(feed.refresh.updatePeriod == "daily")
    #expect(feed.refresh.updateFrequency == 2)
  }

  @Test("JSON Feed becomes whole items")
  func jsonFeed() throws {
    let feed = try FeedDocument.parse(
      Array(
        """
        {"version": "https://jsonfeed.org/version/1.1", "title": "T", "home_page_url": "https://example.com/", "language": "en",
         "hubs": [{"type": "WebSub", "url": "https://hub.example.com/"}], "authors": [{"name": "Desk"}],
         "items": [{"id": 7, "url": "/7", "title": "Tom & Jerry", "content_html": "<p>x<script>y</script></p>",
           "summary": "S", "date_published": "2026-11-30T19:22:00Z", "tags": ["World"], "image": "/i.png",
           "attachments": [{"url": "/a.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 5}]},
          {"id": "8", "content_text": "5 < 6", "authors": [{"name": "Ann"}]}]}
        """.utf8), baseURL: "https://example.com/feed.json")
    let (one, two) = (feed.items[0], feed.items[1])
    #expect(feed.hubLinks == ["https://hub.example.com/"])
    #expect(one.guid == "7")
    #expect(one.link == "https://example.com/7")
    #expect(one.title == "Tom & Jerry")
    #expect(one.summary == "S")
    #expect(one.content?.sanitised() == "<p>x</p>")
    #expect(one.authors.map(\.name) == ["Desk"])
    #expect(one.image == "https://example.com/i.png")
    #expect(one.enclosures == [.init(url: "https://example.com/a.mp3", type: "audio/mpeg", length: 5)])
    #expect(two.authors.map(\.name) == ["Ann"])
    #expect(two.content?.sanitised() == "<p>5 &lt; 6</p>")
  }

  @Test(
    "Links are absolute and right",
    arguments: [
      ("<link>https://example.org/a b?c=d e</link>", "https://example.org/a%20b?c=d%20e"),
      ("<link>//example.org/x</link>", "https://example.org/x"), ("<link>x</link>", "https://example.com/feeds/x"),
      ("<link>\n https://example.org/x \n</link>", "https://example.org/x"),
      ("<link>../x</link>", "https://example.com/x"),
      ("<link xml:base='https://base.example/y/'>x</link>", "https://base.example/y/x"),
      ("<link/><guid>https://example.org/g</guid>", "https://example.org/g"),
      ("<guid isPermaLink='false'>https://example.org/g</guid>", nil), ("<guid>urn:uuid:1</guid>", nil),
      ("<atom:link rel='alternate' href='/alt'/>", "https://example.com/alt"),
      ("<atom:link rel='self' href='/s'/><link>/own</link>", "https://example.com/own"),
      ("<link href='/attribute'/>", "https://example.com/attribute"),
      ("<link><![CDATA[/cdata]]></link>", "https://example.com/cdata"),
    ])
  func links(elements: String, link: String?) throws {
    let feed = try FeedDocument.parse(
      Array(
        "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel><item>\(elements)</item></channel></rss>"
          .utf8),
      baseURL: "https://example.com/feeds/rss.xml")
    #expect(feed.items.first?.link == link)
  }

  @Test(
    "Among several alternates the page in the item's own language is the link",
    arguments: [
      ("<link href='/1'/><link href='/2'/>", "/1"),
      ("<link type='application/json' href='/1'/><link type='text/html' href='/2'/>", "/2"),
      ("<link hreflang='es' href='/1'/><link hreflang='en-US' href='/2'/>", "/2"),
      ("<link rel='related' href='/1'/><link rel='ALTERNATE' href='/2'/>", "/2"),
      ("<link rel='http://www.iana.org/assignments/relation/alternate' href='/2'/>", "/2"),
    ])
  func alternates(links: String, path: String) throws {
    let feed = try FeedDocument.parse(
      Array("<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='en'><entry>\(links)</entry></feed>".utf8),
      baseURL: "https://example.com/")
    #expect(feed.items.first?.link == "https://example.com" + path)
  }

  @Test("The format's own words outrank a module's, wherever they stand")
  func precedence() throws {
    let feed = try FeedDocument.parse(
      Array(
        """
        <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/"><channel><item>
        <media:title>M</media:title><dc:title>D</dc:title><title>T</title><dc:creator>C</dc:creator><author>a@example.com (A)</author>
        <dc:date>2001-01-01</dc:date><pubDate>2002-01-01</pubDate></item>
        <item><media:group><media:content url="https://example.com/a.png" medium="image"><media:title>In a group</media:title>
        </media:content></media:group></item></channel></rss>
        """.utf8))
    #expect(feed.items[0].title == "T")
    #expect(feed.items[0].authors == [.init(name: "A", email: "a@example.com")])
    #expect(feed.items[0].published == Timestamp(rfc3339: "2002-01-01T00:00:00Z"))
    #expect(feed.items[1].title == "In a group")
    #expect(feed.items[1].image == "https://example.com/a.png")
  }

  @Test("Documents are read side by side")
  func sideBySide() async {
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let item = "<item><title>&eacute; \(number) &amp; <i>x</i></title></item>"
          let document = "<rss><channel>\(String(repeating: item, count: 50))</channel></rss>"
          let items = (try? FeedDocument.parse(Array(document.utf8)))?.items ?? []
          return items.count == 50 && items.allSatisfy { $0.title == "é \(number) & x" }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test("Embargo and expiry are read where publishers say them")
  func embargo() throws {
    let feed = try FeedDocument.parse(
      Array(
        """
        <rss version="2.0" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/">
        <channel><item><dcterms:available>2026-12-01</dcterms:available>
        <dcterms:valid>start=2026-12-01T09:00Z; end=2026-12-24T17:00Z; scheme=W3C-DTF</dcterms:valid></item>
        <item><prism:expirationDate>2026-12-31</prism:expirationDate></item></channel></rss>
        """.utf8))
    #expect(feed.items[0].embargoed == Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
    #expect(feed.items[0].expires == Timestamp(rfc3339: "2026-12-24T17:00:00Z"))
    #expect(feed.items[1].expires == Timestamp(rfc3339: "2026-12-31T00:00:00Z"))
  }
}

private func rdf(_ namespace: String) -> String {
  "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='\(namespace)'><channel/></rdf:RDF>"
}
