import JSON
import Testing

@testable import Ingest

/// What the tests of other parsers expect of their documents, row by row, on the fields that an article has.
@Suite("Expectations of other parsers' tests", .enabled(if: Corpora.feeds != nil, Corpora.missing))
struct ExpectationTests {
  @Test(
    "What feedparser, gofeed and feed-rs expect of an article holds, but for what is told apart with its reason",
    arguments: Expectation.Project.allCases)
  func expectations(of project: Expectation.Project) throws {
    var held = 0
    var failed: [String: String] = [:]
    var documents: [String: (bytes: [UInt8], parsed: FeedDocument?)] = [:]
    for row in try Corpora.rows("\(project.rawValue)/expect.jsonl") {
      guard let expectation = Expectation(row, of: project) else { continue }
      let document = try documents[expectation.file] ?? read(expectation.file, row["headers"]?.array ?? [], of: project)
      documents[expectation.file] = document
      guard project != .feedRS || !expectation.isInvented(beside: document.bytes) else { continue }
      let found = document.parsed.map(expectation.found) ?? .missing
      if expectation.holds(for: found) {
        held += 1
      } else {
        failed["\(project.rawValue)\t\(expectation.file)\t\(expectation.field)"] =
          "\(expectation.expected), not \(found)"
      }
    }
    let known = try Corpora.reasons("expectation-differences.tsv").keys
      .filter { $0.hasPrefix("\(project.rawValue)\t") }
    let unlisted = failed.filter { !known.contains($0.key) }.map { "\($0)\t\($1)" }.sorted()
    #expect(unlisted.isEmpty, "\(unlisted.joined(separator: "\n"))")
    #expect(Set(known).subtracting(failed.keys) == [], "listed, and holds")
    let share = Double(held) / Double(max(held + failed.count, 1))
    #expect(share >= 0.97 && held >= project.rowsMin)
  }

  private func read(
    _ file: String, _ headers: [JSONValue], of project: Expectation.Project
  ) throws -> (bytes: [UInt8], parsed: FeedDocument?) {
    var named: [String: String] = [:]
    for header in headers {
      let parts = (header.string ?? "").split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      named[parts[0].lowercased()] = String(parts[1].drop(while: \.isWhitespace))
    }
    let bytes = try Corpora.bytes("\(project.rawValue)/\(file)")
    let document = try? FeedDocument.parse(
      bytes, contentType: named["content-type"], baseURL: project.address(of: file))
    return (bytes, document)
  }
}
