import JSON
import Time

@testable import Ingest

/// A row of another parser's tests: a field in that parser's own model, and the value that it is to have.
struct Expectation {
  /// A parser whose tests are there.
  enum Project: String, CaseIterable {
    case feedparser, gofeed
    case feedRS = "feed-rs"

    /// Fewer rows on an article's fields than this would mean that the rows were not read.
    var rowsMin: Int {
      switch self {
      case .feedparser: 500
      case .gofeed: 150
      case .feedRS: 750
      }
    }

    /// Where the project's tests take a document to be.
    func address(of file: String) -> String? { self == .feedparser ? "http://127.0.0.1:8097/\(file)" : nil }
  }

  /// What is compared, and how.
  enum Value: Equatable {
    /// A text of either kind, compared as plain text without white space.
    case text(String)
    /// A language.
    case tag(String)
    case link(String)
    case date(Timestamp?)
    case count(Int)
    case missing
  }

  let file: String
  let field: String
  let expected: Value
  private let path: [String]
  private let kind: Kind
  private let contains: Bool

  private enum Kind { case text, tag, link, date, count }

  /// - Returns: nil for what an article has no place for, and for rows on something else than the document.
  init?(_ row: JSONValue, of project: Project) {
    guard let file = row["file"]?.string, let field = row["field"]?.string, let value = row["expected"] else {
      return nil
    }
    // feed-rs says null of what it does not read, and of RSS, which does not tell when an item was changed, it says
    // when it was published.
    if project == .feedRS, value.isNull || (field.hasSuffix("updated") && !file.contains("/atom/")) { return nil }
    let isComparison = row["op"] == nil || row["op"]?.string == "=="
    let hasLocation = row["headers"]?.array?.contains { $0.string?.hasPrefix("Content-Location") == true } == true
    guard isComparison, !hasLocation else { return nil }
    var path = Self.steps(field)
    guard let canonical = Self.canonical(&path, value: value), let expected = Self.value(value, as: canonical) else {
      return nil
    }
    self.file = file
    self.field = field
    self.path = path
    self.expected = expected
    kind = canonical
    contains = path.last == "author"
  }

  /// `entries[0]['title']` and `entries[0].title` as `entries 0 title`; `len(x)` as `x count`.
  private static func steps(_ field: String) -> [String] {
    var steps = field.split(whereSeparator: { "[]'.()\"".contains($0) }).map(String.init)
    if steps.first == "len" { steps = steps.dropFirst() + ["count"] }
    if steps.first == "feed" { steps.removeFirst() }
    return steps
  }

  /// The field's name here, and how it compares.
  private static func canonical(_ path: inout [String], value: JSONValue) -> Kind? {
    if path == ["entries"] || path == ["items"] {
      path = ["count"]
      return value.array == [] ? .count : nil
    }
    let isItem = ["entries", "items"].contains(path.first)
    if isItem, path.count == 2, path[1] == "count" {
      path = ["count"]
      return .count
    }
    let index = isItem ? [path[1]] : []
    let rest = isItem ? path.dropFirst(2).joined(separator: " ") : path.joined(separator: " ")
    guard let (name, kind) = names.first(where: { $0.key == rest }).map({ $0.value }) ?? numbered(rest) else {
      return nil
    }
    if !isItem, !feedFields.contains(name) { return nil }
    path = index + name.split(separator: " ").map(String.init)
    return kind
  }

  private static let feedFields: Set = ["title", "link", "language", "summary", "image", "updated"]

  private static let names: [String: (String, Kind)] = [
    "title": ("title", .text), "title_detail value": ("title", .text), "title content": ("title", .text),
    "link": ("link", .link), "url": ("link", .link), "language": ("language", .tag),
    "dc_language": ("language", .tag),
    "id": ("guid", .text), "guid": ("guid", .text), "guid value": ("guid", .text),
    "summary": ("summary", .text), "description": ("summary", .text), "summary content": ("summary", .text),
    "subtitle": ("summary", .text), "tagline": ("summary", .text), "description content": ("summary", .text),
    "summary_detail value": ("summary", .text), "content": ("content", .text), "content value": ("content", .text),
    "content 0 value": ("content", .text), "content body": ("content", .text), "content_html": ("content", .text),
    "updated_parsed": ("updated", .date), "updatedParsed": ("updated", .date), "updated": ("updated", .date),
    "date_modified": ("updated", .date), "published_parsed": ("published", .date),
    "publishedParsed": ("published", .date), "pubDateParsed": ("published", .date), "published": ("published", .date),
    "date_published": ("published", .date), "expired_parsed": ("expires", .date),
    "image href": ("image", .link), "image url": ("image", .link), "image": ("image", .link),
    "author": ("author", .text), "author name": ("authors 0 name", .text),
    "author_detail name": ("authors 0 name", .text), "author_detail email": ("authors 0 email", .text),
    "author_detail url": ("authors 0 uri", .link), "tags count": ("categories count", .count),
  ]

  /// Fields of a list's elements.
  private static func numbered(_ rest: String) -> (String, Kind)? {
    let steps = rest.split(separator: " ").map(String.init)
    guard steps.count >= 2, Int(steps[1]) != nil else { return nil }
    let name = steps.count > 2 ? steps[2] : "term"
    switch (steps[0], name) {
    case ("authors", "name"), ("authors", "email"): return (rest, .text)
    case ("authors", "uri"), ("authors", "url"): return ("authors \(steps[1]) uri", .link)
    case ("categories", "term"), ("tags", "term"), ("categories", "value"):
      return ("categories \(steps[1]) term", .text)
    case ("categories", "scheme"), ("tags", "scheme"), ("categories", "domain"):
      return ("categories \(steps[1]) scheme", .text)
    case ("categories", "label"), ("tags", "label"): return ("categories \(steps[1]) label", .text)
    case ("enclosures", "url"), ("enclosures", "href"), ("enclosures", "type"):
      return ("enclosures \(steps[1]) \(name == "type" ? name : "url")", name == "type" ? .text : .link)
    default: return nil
    }
  }

  private static func value(_ value: JSONValue, as kind: Kind) -> Value? {
    switch kind {
    case .text: return value.string.map { .text($0) }
    case .tag: return value.string.map { .tag($0) }
    case .link: return value.string.map { .link($0) }
    case .count: return .count(value.array?.count ?? value.int ?? -1)
    case .date:
      if let parts = value.array?.compactMap(\.int), parts.count >= 6 {
        let numbers = parts.prefix(6).map { ($0 < 10 ? "0" : "") + String($0) }
        let (day, time) = (numbers[..<3].joined(separator: "-"), numbers[3...].joined(separator: ":"))
        return .date(Timestamp(rfc3339: "\(day)T\(time)Z"))
      }
      if value.isNull { return .date(nil) }
      // A date as its document wrote it says nothing on how it was read.
      return value.string.flatMap { Timestamp(rfc3339: $0) }.map { .date($0) }
    }
  }

  /// Whether the other parser has made the value up: an id, where its document has none.
  func isInvented(beside document: [UInt8]) -> Bool {
    guard path.last == "guid", case .text(let id) = expected, !id.isEmpty else { return false }
    let bytes = Array(id.utf8)
    return !document.indices.contains { document[$0...].starts(with: bytes) }
  }

  // MARK: - What is found

  /// What a document has in the field.
  func found(in document: FeedDocument) -> Value {
    if path == ["count"] { return .count(document.items.count) }
    guard let index = Int(path[0]) else { return value(path[0], of: document) }
    return document.items.indices.contains(index) ? value(path[1...], of: document.items[index]) : .missing
  }

  private func value(_ name: String, of document: FeedDocument) -> Value {
    switch name {
    case "title": text(document.title)
    case "link": link(document.link)
    case "language": text(document.language)
    case "summary": text(document.description)
    case "image": link(document.image)
    default: .date(document.updated)
    }
  }

  private func value(_ path: ArraySlice<String>, of item: FeedItem) -> Value {
    let place = path.dropFirst().first.flatMap { Int($0) } ?? 0
    let author = item.authors.indices.contains(place) ? item.authors[place] : nil
    let category = item.categories.indices.contains(place) ? item.categories[place] : nil
    let enclosure = item.enclosures.indices.contains(place) ? item.enclosures[place] : nil
    switch path.joined(separator: " ").filter({ !$0.isNumber }) {
    case "title": return text(item.title)
    case "link": return link(item.link)
    case "guid": return text(item.guid)
    case "language": return text(item.language)
    case "summary": return text(item.summary ?? item.content?.plainText())
    case "content": return text(item.content?.plainText() ?? item.summary)
    case "published": return .date(item.published)
    case "updated": return .date(item.updated)
    case "expires": return .date(item.expires)
    case "image": return link(item.image)
    case "author": return text(author?.display)
    case "authors  name": return text(author?.name)
    case "authors  email": return text(author?.email)
    case "authors  uri": return link(author?.uri)
    case "categories count": return .count(item.categories.count)
    case "categories  term": return text(category?.term)
    case "categories  scheme": return text(category?.scheme)
    case "categories  label": return text(category?.label)
    case "enclosures  url": return link(enclosure?.url)
    case "enclosures  type": return text(enclosure?.type)
    default: return .missing
    }
  }

  private func text(_ text: String?) -> Value { text.map { .text($0) } ?? .missing }
  private func link(_ text: String?) -> Value { text.map { .link($0) } ?? .missing }

  // MARK: - Comparison

  /// Whether what was found is what is expected.
  func holds(for found: Value) -> Bool {
    switch (expected, found) {
    case (.text(let expected), .text(let found)):
      // The other may keep markup, or escape what is text; what is found is text already.
      let forms = [Self.unspaced(found), Self.words(found)]
      return [Self.unspaced(expected), Self.words(expected)].contains { expected in
        forms.contains { contains ? expected.hasPrefix($0) || $0.hasPrefix(expected) : expected == $0 }
      }
    case (.text(let expected), .missing): return Self.words(expected).isEmpty
    case (.tag(let expected), .text(let found)): return expected.lowercased() == found.lowercased()
    // A host is the same in capitals, and so is a site with and without its path.
    case (.link(let expected), .link(let found)):
      let (expected, found) = (expected.lowercased(), found.lowercased())
      return expected == found || expected == found + "/" || expected + "/" == found
    case (.date(let expected?), .date(let found?)):
      return expected.millisecondsSince1970 / 1000 == found.millisecondsSince1970 / 1000
    default: return expected == found
    }
  }

  private static func words(_ text: String) -> String {
    unspaced(PlainText.text(of: Array(text.utf8)[...], markup: .html))
  }

  private static func unspaced(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
