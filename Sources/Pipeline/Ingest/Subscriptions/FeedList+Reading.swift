internal import HTML
internal import XML

extension FeedList {
  /// Reads an OPML document, whatever its charset; bare ampersands and the like are mended.
  ///
  /// Every outline with an address counts as a feed, whatever its type, but for lists in other places, which are not
  /// followed.
  public init(opml bytes: [UInt8]) throws(FeedListError) {
    guard bytes.count <= Self.documentBytesMax else {
      throw .tooLarge("the document, in bytes,", limit: Self.documentBytesMax)
    }
    let text = DocumentText(bytes, contentType: nil)
    var reading = OutlineReading(text.bytes)
    var repairs = text.repairs
    if case .illFormed = reading.failure, reading.visitor.isOPML {
      var repair = MarkupRepair(text.bytes)
      let (mended, sentences) = repair.run()
      repairs += sentences
      reading = OutlineReading(mended)
    }
    try reading.check()
    self.init(reading.visitor.entries, repairs: repairs + reading.visitor.omissions)
  }
}

/// One pass of the strict parser.
private struct OutlineReading {
  let visitor = OutlineVisitor()
  private(set) var failure: XMLError?

  init(_ bytes: [UInt8]) {
    let parser = XMLParser(visitor: visitor, limits: XMLLimits(depthMax: FeedList.depthMax))
    visitor.parser = parser
    do throws(XMLError) { try parser.finish(with: bytes) } catch { failure = error }
  }

  func check() throws(FeedListError) {
    guard visitor.isOPML else { throw .notOPML(root: visitor.foreignRoot) }
    switch failure {
    case nil, .contentAfterRoot: return
    case .stopped: throw .tooLarge("the number of feeds", limit: FeedList.entriesMax)
    case .tooDeep(let limit): throw .tooLarge("the nesting of outlines", limit: limit)
    case .tooLarge(let part, let limit): throw .tooLarge("the number of \(part.rawValue)", limit: limit)
    case .illFormed(let place, let message):
      throw .unreadable(line: place.line, column: place.column, message)
    }
  }
}

/// Gathers the outlines that are feeds, and the folders they stand in.
private final class OutlineVisitor: XMLVisitor {
  private enum Name {
    static let other: UInt16 = 0
    static let opml: UInt16 = 1
    static let outline: UInt16 = 2
  }

  weak var parser: XMLParser?
  private(set) var entries: [FeedList.Entry] = []
  private(set) var omissions: [String] = []
  private(set) var isOPML = false
  private(set) var foreignRoot: String?
  /// The text of each open outline; empty for one that has none.
  private var open: [String] = []
  private var places: [String: Int] = [:]

  func code(for name: XMLName) -> UInt16 {
    switch name.local.lowercased() {
    case "opml": Name.opml
    case "outline": Name.outline
    default: Name.other
    }
  }

  func start(_ element: borrowing XMLElement) throws(XMLStop) -> XMLInterest {
    guard isOPML else {
      guard element.code == Name.opml else {
        foreignRoot = element.localName
        throw XMLStop()
      }
      isOPML = true
      return .elements
    }
    guard element.code == Name.outline else { return .elements }
    // Readers disagree on capitals: LiveJournal writes xmlURL.
    var attributes: [String: String] = [:]
    for index in 0..<element.attributeCount {
      let value = element.value(at: index).trimmingBlanks
      if !value.isEmpty { attributes[element.localName(at: index).lowercased()] = value }
    }
    if let url = attributes["xmlurl"] { try take(url, attributes) }
    open.append(attributes["text"] ?? attributes["title"] ?? "")
    return .elements
  }

  func end(_ element: borrowing XMLEndElement) throws(XMLStop) {
    if element.code == Name.outline { open.removeLast() }
  }

  func entity(named name: String) -> String? { CharacterReferences.text(named: name) }

  private func take(_ url: String, _ attributes: [String: String]) throws(XMLStop) {
    let line = parser?.place.line
    let type = attributes["type"]?.lowercased()
    if type == "source" || type == "include" {
      omissions.append("line \(line ?? 0): the list at \(url) is not followed")
      return
    }
    let folder = open.filter { !$0.isEmpty }
    let folders = (folder.isEmpty ? [] : [folder]) + Self.categories(attributes["category"] ?? "")
    if let place = places[url] {
      for folder in folders where !entries[place].folders.contains(folder) { entries[place].folders.append(folder) }
      return
    }
    guard entries.count < FeedList.entriesMax else { throw XMLStop() }
    places[url] = entries.count
    var distinct: [[String]] = []
    for folder in folders where !distinct.contains(folder) { distinct.append(folder) }
    entries.append(
      FeedList.Entry(
        url: url, title: Self.title(of: url, attributes), page: attributes["htmlurl"],
        language: attributes["language"], folders: distinct, line: line))
  }

  /// What the list calls a feed. OPML asks for a text; where there is no name, writers put the address.
  private static func title(of url: String, _ attributes: [String: String]) -> String? {
    [attributes["text"], attributes["title"]].compactMap(\.self).first { $0 != url }
  }

  /// OPML 2.0's categories: separated by commas, each a word or a way such as `/News/World`.
  private static func categories(_ text: String) -> [[String]] {
    text.split(separator: ",").map { way in
      way.split(separator: "/").map { $0.trimmingBlanks }.filter { !$0.isEmpty }
    }.filter { !$0.isEmpty }
  }
}

extension StringProtocol {
  fileprivate var trimmingBlanks: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
