internal import Files
internal import Ingest
internal import JSON
internal import Time

/// `parse`: a feed document to one article a line.
struct ParseCommand: Command {
  private static let contentType = CommandOption(
    name: "content-type", value: "TYPE", help: "the Content-Type that the document came with, for its charset")
  private static let baseURL = CommandOption(
    name: "base-url", value: "URL", help: "the address that it came from: relative links and ids depend on it")

  private static let table = CommandOption.flag("table", "prints what a person reads, as on a terminal")

  let usage = CommandUsage(
    name: "parse", summary: "turns feed documents into one article a line", operands: .any("[FILE or -]…"),
    options: [contentType, baseURL, table],
    explanation: """
      Reads RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, and JSON Feed, from files or standard input, and prints their
      articles as JSON Lines in document order; with --table, and on a terminal, as a table. `repairs` names what had to
      be mended. A date that cannot be read is left out, never guessed. What is no feed is told on standard error; the other documents are
      read all the same, and the exit status is 1.
      """,
    examples: ["tidings parse feed.xml --base-url https://example.org/feed.xml", "tidings parse feed.xml --table"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let baseURL = arguments.value(Self.baseURL)
    var hasFailed = false
    for file in arguments.operands.isEmpty ? ["-"] : arguments.operands {
      let name = file == "-" ? "standard input" : file
      do {
        let bytes = try console.read(file, bytesMax: FeedDocument.Limits.default.documentBytesMax)
        let document = try FeedDocument.parse(
          bytes, contentType: arguments.value(Self.contentType), baseURL: baseURL)
        guard !arguments.isSet(Self.table), !console.output.isTerminal else {
          try console.write(DocumentReport(document: document).text(now: console.clock.now))
          continue
        }
        for item in document.items {
          try console.writeLine(item.json(of: document, feed: baseURL ?? "").text())
        }
      } catch let error as FeedDocumentError {
        console.say(error.hasPlace ? "\(name):\(error)" : "\(name): \(error)")
        hasFailed = true
      } catch let error as FileError {
        console.say("\(error)")
        hasFailed = true
      }
    }
    if hasFailed { throw CommandFailure.reported }
  }
}

extension FeedDocumentError {
  /// Whether the description begins with a line and a column.
  fileprivate var hasPlace: Bool {
    if case .unreadable = self { true } else { false }
  }
}

extension FeedItem {
  /// The item in the shape that `parse` and `fetch` print. What is unknown is absent; lists are always there.
  ///
  /// - Parameter address: The feed's address, on which the article's id depends.
  func json(of document: FeedDocument, feed address: String) -> JSONValue {
    var object: JSONObject = ["id": .string(identity(feed: address))]
    object["guid"] = guid.map { .string($0) }
    object["title"] = title.map { .string($0) }
    object["summary"] = summary.map { .string($0) }
    object["content"] = content.map { .string($0.sanitised()) }
    object["link"] = link.map { .string($0) }
    object["published"] = published.map { .string($0.rfc3339) }
    object["updated"] = updated.map { .string($0.rfc3339) }
    object["embargoed"] = embargoed.map { .string($0.rfc3339) }
    object["expires"] = expires.map { .string($0.rfc3339) }
    object["authors"] = .array(authors.compactMap(\.display).map { .string($0) })
    object["categories"] = .array(categories.map { .string($0.term) })
    object["language"] = language.map { .string($0) }
    object["image"] = image.map { .string($0) }
    object["enclosures"] = .array(enclosures.map(\.json))
    object["feed"] = document.json
    object["repairs"] = .array(document.repairs.map { .string($0) })
    return .object(object)
  }
}

extension FeedItem.Enclosure {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["url": .string(url)]
    object["type"] = type.map { .string($0) }
    object["length"] = length.map { .number(JSONNumber($0)) }
    return .object(object)
  }
}

extension FeedDocument {
  /// What the feed says of itself.
  var json: JSONValue {
    var object = JSONObject()
    object["title"] = title.map { .string($0) }
    object["link"] = link.map { .string($0) }
    object["format"] = .string(format.name)
    object["language"] = language.map { .string($0) }
    return .object(object)
  }
}
