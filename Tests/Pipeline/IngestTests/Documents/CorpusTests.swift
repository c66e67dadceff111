import Ingest
import JSON
import Testing

@Suite("Feed documents of other projects", .enabled(if: Corpora.feeds != nil, Corpora.missing))
struct CorpusTests {
  /// Where the reference is wrong: it counts what FeedSync keeps inside an item as that item's superseded versions, an
  /// entry inside the source of an entry, and the items of a document that is no feed.
  private static let departures: Set = [
    "feedvalidator-w3c/testcases/atom/4.2.11/missing-self.xml",
    "feedvalidator-w3c/testcases/atom/4.2.11/source-entry.xml",
    "feedvalidator-w3c/testcases/ext/feedsync/spec-example-rss-2.xml",
    "rome/rome-modules/src/test/resources/xml/ep/ep1_v4a.xml",
    "rome/rome-modules/src/test/resources/xml/ep/ep2_v4a.xml",
    "rome/rome-modules/src/test/resources/xml/v/v4.xml", "rome/rome-modules/src/test/resources/xml/v/v5.xml",
    "rome/rome-modules/src/test/resources/xml/v/v6.xml", "feedkit/Tests/XMLKitTests/Resources/xml/Sample.xml",
  ]

  @Test("Well-formed documents have the items that the Universal Feed Parser finds in them")
  func itemCounts() throws {
    var equal = 0
    var differing: [String] = []
    for row in try Corpora.rows("reference.jsonl") where row["wellformed"] == true {
      let path = (row["project"]?.string ?? "") + "/" + (row["file"]?.string ?? "")
      let count = (try? FeedDocument.parse(Corpora.bytes(path)))?.items.count
      if count == row["n_entries"]?.int { equal += 1 } else { differing.append(path) }
    }
    #expect(equal >= 2040)
    #expect(Set(differing) == Self.departures)
  }
}
