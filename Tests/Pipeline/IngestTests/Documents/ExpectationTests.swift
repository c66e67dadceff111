import JSON
import Testing

@testable import Ingest

/// What the tests of other parsers expect of their documents, row by row, on the fields that an article has.
@Suite("Expectations of other parsers' tests", .enabled(if: Corpora.feeds != nil, Corpora.missing))
struct ExpectationTests {
  @Test("What feedparser, gofeed and feed-rs expect of an article holds", arguments: Expectation.Project.allCases)
  func expectations(of project: Expectation.Project) throws {
    var held = 0
    var failed: Set<String> = []
    var documents: [String: FeedDocument?] = [:]
    for row in try Corpora.rows("\(project.rawValue)/expect.jsonl") {
      guard let expectation = Expectation(row, of: project) else { continue }
      let document =
        documents[expectation.file] ?? (try? read(expectation.file, headers: row["headers"]?.array ?? [], of: project))
      documents[expectation.file] = .some(document)
      let found = document.map(expectation.found) ?? .missing
      if expectation.holds(for: found) {
        held += 1
      } else {
        failed.insert("\(expectation.file) \(expectation.field): \(expectation.expected), not \(found)")
      }
    }
    let share = Double(held) / Double(max(held + failed.count, 1))
    let list = failed.sorted().joined(separator: "\n")
    print("\(project.rawValue): \(held) of \(held + failed.count) expectations hold (\(share))\n\(list)")
    #expect(share >= 0.97 && held >= project.rowsMin)
  }

  private func read(_ file: String, headers: [JSONValue], of project: Expectation.Project) throws -> FeedDocument {
    var named: [String: String] = [:]
    for header in headers {
      let parts = (header.string ?? "").split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      named[parts[0].lowercased()] = String(parts[1].drop(while: \.isWhitespace))
    }
    return try FeedDocument.parse(
      Corpora.bytes("\(project.rawValue)/\(file)"), contentType: named["content-type"],
      baseURL: project.address(of: file))
  }
}
