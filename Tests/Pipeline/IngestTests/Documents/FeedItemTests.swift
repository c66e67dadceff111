import Ingest
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
}
