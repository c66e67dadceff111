import FeedFuzzer
import Testing

@Suite struct BrokenDocumentTests {
  private static let documents = [
    """
    <?xml version="1.0" encoding="utf-8"?><!DOCTYPE rss [<!ENTITY e "x">]><rss version="2.0"
    xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>News &e;</title><link>/</link>
    <item><title>A &amp; b</title><link>/1</link><guid>1</guid><pubDate>Mon, 30 Nov 2026 11:00:00 GMT</pubDate>
    <content:encoded><![CDATA[<p>One<table><td>two</p><script>x</script>]]></content:encoded></item></channel></rss>
    """,
    """
    <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="fr" xml:base="http://example.org/"><title>T</title><entry><id>a</id>
    <title type="html">&lt;b&gt;x&lt;/b&gt;</title><link href="a b"/><updated>2026-11-30T11:00:00Z</updated>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>é</p></div></content></entry></feed>
    """,
    """
    {"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"1","url":"/1","content_html":"<p>x</p>",
    "date_published":"2026-11-30T11:00:00Z","tags":["a"]}]}
    """,
  ]

  @Test("Documents broken in hundreds of ways are read to the end, or refused", arguments: [1, 2, 3, 4] as [UInt64])
  func mutations(seed: UInt64) {
    var mutations = Mutations(of: Self.documents.map { Array($0.utf8) }, seed: seed)
    var readable = 0
    for _ in 0..<125 where Trial.read(mutations.next(), contentType: mutations.contentType()) > 0 { readable += 1 }
    // A fuzzer whose documents are all refused at the door tries nothing.
    #expect(readable > 25)
  }

  /// Where a publisher's text can stand.
  private static let places: [(name: String, before: String, after: String)] = [
    ("a namespace", #"<feed xmlns="http://www.w3.org/2005/Atom#"#, #""><title>T</title></feed>"#),
    ("an attribute", #"<feed xmlns="http://www.w3.org/2005/Atom" x=""#, #""><title>T</title></feed>"#),
    ("an address", #"<rss><channel><item><link>http://example.org/"#, "</link></item></channel></rss>"),
    ("a base", #"<feed xmlns="http://www.w3.org/2005/Atom" xml:base=""#, #""><entry><link href="a"/></entry></feed>"#),
    ("a language", #"<rss xml:lang=""#, #""><channel><item><title>T</title></item></channel></rss>"#),
    ("a title", "<rss><channel><item><title>", "</title></item></channel></rss>"),
    ("a guid", "<rss><channel><item><guid>", "</guid></item></channel></rss>"),
    ("a date", "<rss><channel><item><pubDate>", "</pubDate></item></channel></rss>"),
    ("a category", "<rss><channel><item><category>", "</category></item></channel></rss>"),
    ("a body", "<rss><channel><item><description>", "</description></item></channel></rss>"),
    ("a body in CDATA", "<rss><channel><item><description><![CDATA[", "]]></description></item></channel></rss>"),
    ("many open elements", String(repeating: "<a>", count: 300), ""),
    ("a comment", "<rss><!--", "--><channel><item><title>T</title></item></channel></rss>"),
    ("a declaration", #"<?xml version="1.0" encoding=""#, #""?><rss><channel><item/></channel></rss>"#),
    ("a document type", "<!DOCTYPE rss [", "]><rss><channel><item><title>T</title></item></channel></rss>"),
  ]

  private static let texts = [
    "&nbsp;", "\u{E9}", " ", "/", "#", "&", "&lt;", "&amp;lt;b&amp;gt;", "<b>", "</b>", "</x>", "<", ">", "]]>", "\"",
    "= ", "-",
    "1", "Nov ", "\n", "\u{1F1EB}", "a\u{301}", "..", "%20", "&#x41;", "<!--", "<![CDATA[", "\u{0}",
  ]

  /// What grows with the square of a text's length would take minutes.
  @Test(
    "A text that goes on and on costs what its length does, wherever it stands", .timeLimit(.minutes(1)),
    arguments: places.indices)
  func endlessTexts(place: Int) {
    let place = Self.places[place]
    for text in Self.texts {
      let bytes = Array((place.before + String(repeating: text, count: 150_000 / text.utf8.count) + place.after).utf8)
      Trial.read(bytes, contentType: nil)
    }
  }
}
