import News
import TestKit
import Testing
import Time

@testable import Ingest

@Suite struct ArticleOfFeedTests {
  let followed = Subscription(url: "https://example.org/feed", name: "Example", category: .science, language: "fr")

  private func articles(_ xml: String, itemsMax: Int = 100) throws -> [Article] {
    let document = try FeedDocument.parse(Array(xml.utf8), baseURL: followed.url)
    return document.articles(for: followed, itemsMax: itemsMax)
  }

  private func item(_ inner: String, language: String? = nil) -> String {
    let channel = language.map { "<language>\($0)</language>" } ?? ""
    return "<rss version=\"2.0\"><channel><title>News</title>\(channel)\(inner)</channel></rss>"
  }

  @Test("An item becomes an article with all that a push needs")
  func mapping() throws {
    let xml = item(
      """
      <item><title>Quake &amp; tsunami</title><description>A long &lt;b&gt;story&lt;/b&gt;</description>
      <link>/a b</link><guid>1</guid><pubDate>Mon, 30 Nov 2026 11:00:00 GMT</pubDate>
      <category domain="https://example.org/topics">Science</category></item>
      """)
    let article = try #require(try articles(xml).first)
    #expect(article.text.headline == "Quake & tsunami" && article.text.summary == "A long story")
    #expect(article.url == "https://example.org/a%20b" && article.source == "Example" && article.language == "fr")
    #expect(article.published == Timestamp(rfc3339: "2026-11-30T11:00:00Z") && article.embargoed == nil)
    #expect(article.terms == [CategoryTerm("Science", scheme: "https://example.org/topics")])
    #expect(article.categories.isEmpty && article.id.hasPrefix("feed:"))
  }

  @Test("The feed's language outranks the operator's")
  func language() throws {
    let xml = item("<item><title>Erdbeben</title></item>", language: "de-AT")
    #expect(try articles(xml).first?.language == "de-AT")
  }

  @Test("Dates are passed on, also those ahead")
  func dates() throws {
    let xml = """
      <rss version="2.0" xmlns:dcterms="http://purl.org/dc/terms/"><channel><title>News</title><item><title>a</title>
      <pubDate>Mon, 30 Nov 2026 18:00:00 GMT</pubDate><dcterms:available>2026-11-30T19:00:00Z</dcterms:available>
      <dcterms:valid>end=2026-12-01T00:00:00Z</dcterms:valid></item></channel></rss>
      """
    let article = try #require(try articles(xml).first)
    #expect(article.published == Timestamp(rfc3339: "2026-11-30T18:00:00Z"))
    #expect(article.embargoed == Timestamp(rfc3339: "2026-11-30T19:00:00Z"))
    #expect(article.expires == Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
  }

  @Test(
    "Items that share a name are told each, what stands twice is told once",
    arguments: [
      // Five items with one guid, and the links or only the titles to tell them apart.
      ((1...5).map { "<item><guid>1</guid><title>T\($0)</title><link>/\($0)</link></item>" }, 5),
      ((1...5).map { "<item><guid>1</guid><title>T\($0)</title></item>" }, 5),
      ((1...5).map { "<item><guid>1</guid><title>T\($0)</title><link>/</link></item>" }, 5),
      ((1...5).map { "<item><guid>1</guid><description>Words \($0)</description></item>" }, 5),
      // One page tells of several faults, day by day.
      ((1...3).map { "<item><title>Down</title><link>/</link><pubDate>0\($0) Nov 2026</pubDate></item>" }, 3),
      (["a", "b"].map { "<item><title>\($0)</title><link>/status</link></item>" }, 2),
      // The same item twice.
      ((1...2).map { _ in "<item><guid>1</guid><title>T</title><link>/1</link></item>" }, 1),
      ((1...2).map { "<item><guid>1</guid><title>T</title><link>/1?n=\($0)</link></item>" }, 1),
      ((1...2).map { _ in "<item><title>T</title><link>/1</link></item>" }, 1),
      // Own guids need no other difference.
      ((1...3).map { "<item><guid>\($0)</guid><title>T</title><link>/</link></item>" }, 3),
    ])
  func sharedNames(items: [String], count: Int) throws {
    #expect(try articles(item(items.joined())).count == count)
  }

  @Test("An entry of Atom that stands in its feed in two versions is one")
  func revisions() throws {
    let entries = (1...2).map { "<entry><id>urn:x</id><title>T\($0)</title><link href='/1'/></entry>" }.joined()
    #expect(try articles("<feed xmlns='http://www.w3.org/2005/Atom'>\(entries)</feed>").count == 1)
  }

  @Test("An unreadable date is unknown, never now")
  func unknownDate() throws {
    let article = try #require(try articles(item("<item><title>a</title><pubDate>soon</pubDate></item>")).first)
    #expect(article.published == nil && article.embargoed == nil)
  }

  @Test("Without a title the text is the headline, without either there is no article")
  func untitled() throws {
    let text = String(repeating: "word ", count: 60)
    let found = try articles(
      item("<item><guid>1</guid><description>\(text)</description></item><item><guid>2</guid></item>"))
    #expect(found.count == 1)
    #expect(found[0].text.headline.hasSuffix("word…") && found[0].text.headline.count <= 120)
  }

  @Test("A summary is a few lines, cut between words, or anywhere in a script without blanks")
  func shortened() throws {
    let words = String(repeating: "abcdefgh ", count: 500)
    let chinese = String(repeating: "新聞", count: 2000)
    let found = try articles(
      item(
        "<item><title>a</title><description>\(words)</description></item><item><title>b</title><description>\(chinese)</description></item>"
      ))
    for article in found {
      let summary = try #require(article.text.summary)
      #expect(summary.count <= 1000 && summary.count > 900 && summary.hasSuffix("…"))
    }
    #expect(found.contains { $0.text.summary?.hasSuffix("abcdefgh…") == true })
  }

  @Test("Only links of the web are kept")
  func links() throws {
    let xml = item("<item><title>a</title><link>javascript:alert(1)</link></item>")
    #expect(try articles(xml).first?.url == nil)
  }

  @Test("Articles come oldest first, whichever way the document runs, and no identity twice")
  func order() throws {
    func entry(_ guid: String, _ hour: Int) -> String {
      "<item><title>\(guid)</title><guid>\(guid)</guid><pubDate>Mon, 30 Nov 2026 0\(hour):00:00 GMT</pubDate></item>"
    }
    let newestFirst = item(entry("c", 3) + entry("b", 2) + entry("c", 3) + entry("a", 1))
    #expect(try articles(newestFirst).map(\.text.headline) == ["a", "b", "c"])
    let oldestFirst = item(entry("a", 1) + entry("b", 2) + entry("c", 3))
    #expect(try articles(oldestFirst).map(\.text.headline) == ["a", "b", "c"])
    #expect(try articles(newestFirst, itemsMax: 2).map(\.text.headline) == ["b", "c"])
  }
}
