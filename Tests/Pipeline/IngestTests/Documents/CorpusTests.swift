import HTML
import JSON
import Testing
import Time

@testable import Ingest

@Suite("Feed documents of other projects", .enabled(if: Corpora.feeds != nil, Corpora.missing))
struct CorpusTests {
  /// Where the reference counts otherwise, and wrongly: it takes for items what FeedSync keeps inside an item as that
  /// item's superseded versions, an entry inside the source of an entry, and parts of a document that is no feed.
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
    var differing: Set<String> = []
    for row in try Corpora.rows("reference.jsonl") where row["wellformed"] == true {
      let count = try? document(of: row).items.count
      if count == row["n_entries"]?.int { equal += 1 } else { differing.insert(path(of: row)) }
    }
    #expect(equal >= 2040)
    #expect(differing == Self.departures)
  }

  /// What keeps each from all: titles that the reference takes from an image or leaves a byte order mark in; ids that
  /// it makes absolute; links that it has from an id which is no address, or cannot complete; dates that it bends into
  /// the calendar (June 31 is July 1 there, unknown here) or reads without their AM and PM.
  @Test("Titles, links, ids and dates are the Universal Feed Parser's, but for what it does differently")
  func agreement() throws {
    var titles = Agreement()
    var links = Agreement()
    var ids = Agreement()
    var dates = Agreement()
    for row in try Corpora.rows("reference.jsonl") {
      guard !Self.departures.contains(path(of: row)), let items = try? document(of: row).items else { continue }
      for (item, entry) in zip(items, row["entries"]?.array ?? []) {
        titles.note(words(item.title ?? "") == words(entry["title"]?.string ?? ""))
        ids.note((item.guid ?? "") == trimmed(entry["id"]?.string ?? ""))
        if let link = entry["link"]?.string, link.hasPrefix("http") {
          links.note(item.link.map(comparable) == comparable(link))
        }
        let expected = [entry["published_utc"]?.string, entry["updated_utc"]?.string].compactMap(\.self)
        let own = [item.published, item.updated].compactMap { $0.map { seconds($0) } }
        dates.note(expected.allSatisfy(own.contains) && expected.isEmpty == own.isEmpty)
      }
    }
    #expect(titles.share > 0.993)
    #expect(ids.share > 0.993)
    #expect(links.share > 0.99)
    #expect(dates.share > 0.985)
  }

  @Test("No document of any kind breaks the reader, and no body comes out unsafe")
  func everything() throws {
    var documents = 0
    for row in try Corpora.rows("reference.jsonl") {
      guard let feed = try? document(of: row) else { continue }
      documents += 1
      for item in feed.items {
        guard let html = item.content?.sanitised() else { continue }
        var inspector = Inspector()
        try HTMLFragment(Array(html.utf8)).walk(&inspector)
        #expect(inspector.faults == [], "\(path(of: row))")
        // What is safe reads as it was written.
        #expect(FeedContent(Array(html.utf8), markup: .html, base: nil).sanitised() == html, "\(path(of: row))")
      }
    }
    #expect(documents > 2000)
  }

  private func path(of row: JSONValue) -> String { (row["project"]?.string ?? "") + "/" + (row["file"]?.string ?? "") }

  private func document(of row: JSONValue) throws -> FeedDocument {
    try FeedDocument.parse(Corpora.bytes(path(of: row)))
  }

  private func seconds(_ date: Timestamp) -> String {
    Timestamp(secondsSince1970: date.millisecondsSince1970 / 1000).rfc3339
  }

  private func trimmed(_ text: String) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  /// The letters and digits of a title: the reference keeps the markup that is taken out here.
  private func words(_ title: String) -> String {
    PlainText.text(of: Array(title.utf8)[...], markup: .html).filter { $0.isLetter || $0.isNumber }
  }

  /// The reference leaves upper case in schemes and hosts, and the path empty.
  private func comparable(_ link: String) -> String {
    let lower = link.lowercased()
    return lower.hasSuffix("/") ? String(lower.dropLast()) : lower
  }

  private struct Agreement {
    private var agreed = 0
    private var total = 0

    mutating func note(_ agrees: Bool) {
      total += 1
      if agrees { agreed += 1 }
    }

    var share: Double { Double(agreed) / Double(max(total, 1)) }
  }

  /// Looks for what must not be in a sanitised body.
  private struct Inspector: HTMLVisitor {
    private(set) var faults: [String] = []

    mutating func start(_ element: borrowing HTMLElement) -> Bool {
      let name = element.name
      if !element.isHTML
        || ["script", "style", "iframe", "object", "embed", "form", "meta", "base", "link"].contains(name)
      {
        faults.append(name)
      }
      var found: [String] = []
      element.forEachAttribute { attribute, value in
        let isLink = ["href", "src", "cite", "poster"].contains(attribute)
        let isHarmless = ["http://", "https://", "mailto:", "tel:"].contains { value.hasPrefix($0) }
        if attribute.hasPrefix("on") || attribute == "style" || (isLink && !isHarmless) {
          found.append("\(attribute)=\(value)")
        }
      }
      faults += found
      return true
    }

    mutating func end(_ element: borrowing HTMLElement) {}
    mutating func text(_ text: String) {}
  }
}
