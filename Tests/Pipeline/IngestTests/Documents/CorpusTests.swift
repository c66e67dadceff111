import HTML
import JSON
import Testing
import Time

@testable import Ingest

@Suite("Feed documents of other projects", .enabled(if: Corpora.feeds != nil, Corpora.missing))
struct CorpusTests {
  @Test("Documents have the items that the Universal Feed Parser finds in them, but for what is told with its reason")
  func itemCounts() throws {
    var equal = (wellFormed: 0, illFormed: 0)
    var all = equal
    var differing: [String: String] = [:]
    for row in try Corpora.rows("reference.jsonl") {
      let count = try? document(of: row).items.count
      let isEqual = count == row["n_entries"]?.int
      let isWellFormed = row["wellformed"] == true
      if isWellFormed {
        all.wellFormed += 1
        equal.wellFormed += isEqual ? 1 : 0
      } else {
        all.illFormed += 1
        equal.illFormed += isEqual ? 1 : 0
      }
      if !isEqual { differing["\(path(of: row))\titems"] = "\(count ?? -1), not \(row["n_entries"]?.int ?? -1)" }
    }
    try compare(differing, with: "item-count-differences.tsv")
    #expect(Double(equal.wellFormed) >= 0.99 * Double(all.wellFormed) && all.wellFormed > 2000)
    #expect(Double(equal.illFormed) >= 0.95 * Double(all.illFormed) && all.illFormed >= 40)
  }

  @Test("Titles, links, ids and dates are the Universal Feed Parser's, but for what is told with its reason")
  func agreement() throws {
    var differing: [String: String] = [:]
    var total: [String: Int] = [:]
    var equal: [String: Int] = [:]
    func note(_ field: String, _ agrees: Bool, _ place: String, _ words: @autoclosure () -> String) {
      total[field, default: 0] += 1
      if agrees { equal[field, default: 0] += 1 } else { differing["\(place)\t\(field)"] = words() }
    }
    for row in try Corpora.rows("reference.jsonl") {
      guard let items = try? document(of: row).items, items.count == row["n_entries"]?.int else { continue }
      for (number, (item, entry)) in zip(items, row["entries"]?.array ?? []).enumerated() {
        let place = "\(path(of: row))\t\(number)"
        let title = entry["title"]?.string ?? ""
        note("title", words(item.title ?? "") == words(title), place, "\(item.title ?? "none"), not \(title)")
        let id = trimmed(entry["id"]?.string ?? "")
        note("id", (item.guid ?? "") == id, place, "\(item.guid ?? "none"), not \(id)")
        if let link = entry["link"]?.string, link.hasPrefix("http") {
          note("link", item.link.map(comparable) == comparable(link), place, "\(item.link ?? "none"), not \(link)")
        }
        let expected = [entry["published_utc"]?.string, entry["updated_utc"]?.string].compactMap(\.self)
        let own = [item.published, item.updated].compactMap { $0.map { seconds($0) } }
        note(
          "date", expected.allSatisfy(own.contains) && expected.isEmpty == own.isEmpty, place, "\(own), not \(expected)"
        )
      }
    }
    try compare(differing, with: "item-differences.tsv")
    for (field, count) in total {
      #expect(
        count > 2000 && Double(equal[field] ?? 0) >= 0.98 * Double(count), "\(field): \(equal[field] ?? 0) of \(count)")
    }
  }

  /// A difference that the table does not tell of is a fault, and so is one that is told and is none.
  private func compare(_ differing: [String: String], with table: String) throws {
    let known = try Corpora.reasons(table)
    let unlisted = differing.filter { known[$0.key] == nil }.map { "\($0)\t\($1)" }.sorted()
    #expect(unlisted.isEmpty, "\(unlisted.joined(separator: "\n"))")
    #expect(Set(known.keys).subtracting(differing.keys) == [], "\(table) lists it, and it is none")
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
