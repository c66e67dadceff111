import News
import Testing

@Suite("CanonicalLink")
struct CanonicalLinkTests {
  @Test(
    "Addresses of one article have one key",
    arguments: [
      "https://www.X.test/news/a", "http://x.test/news/a", "https://x.test:443/news/a/", "https://x.test./news/a#top",
      "https://x.test/news/a?utm_source=rss&utm_medium=feed", "https://x.test/news/a?fbclid=1",
      "HTTPS://x.test/news/a?",
    ])
  func oneKey(address: String) {
    #expect(CanonicalLink(address)?.key == "//x.test/news/a")
  }

  @Test(
    "Addresses of different articles have different keys",
    arguments: [
      ("https://x.test/a", "https://x.test/b"), ("https://x.test/?p=1", "https://x.test/?p=2"),
      ("https://x.test/A", "https://x.test/a"), ("https://x.test/a", "https://y.test/a"),
    ])
  func differentKeys(one: String, other: String) {
    #expect(CanonicalLink(one) != nil)
    #expect(CanonicalLink(one) != CanonicalLink(other))
  }

  @Test("The order of parameters does not matter")
  func parameterOrder() {
    #expect(CanonicalLink("https://x.test/?b=2&a=1") == CanonicalLink("https://x.test/?a=1&b=2"))
  }

  @Test(
    "A home page, another scheme and no address are no article",
    arguments: ["https://x.test", "https://x.test/", "ftp://x.test/a", "mailto:a@x.test", "", "/a", "https:///a"])
  func noArticle(address: String) {
    #expect(CanonicalLink(address) == nil)
  }
}
