import Files
import Testing
import Topics

@testable import Training

@Suite struct CorpusTests {
  private func read(_ text: String, name: String = "small.en.tsv") throws -> [LabelledRow] {
    try SmallCorpus.withFolder { folder in
      try FileSystem.write(Array(text.utf8), to: "\(folder)/\(name)")
      return try Corpus.read("\(folder)/\(name)")
    }
  }

  @Test("Rows have their language and collection from the file's name")
  func rows() throws {
    let rows = try read(
      """
      label\toriginal_label\ttitle\ttext\tsplit\tsource\tdate
      Sports\tseg:sport\tA "title"\t\t\texample.com\t2026-11-30
      Other\tseg:tv\tB\tText\ttrain\texample.com\t

      """)
    #expect(rows.map(\.topic) == [.sports, .other])
    #expect(rows[0].title == "A \"title\"" && rows[0].summary.isEmpty && rows[0].date == "2026-11-30")
    #expect(rows.allSatisfy { $0.language == "en" && $0.collection == "small" })
  }

  @Test(
    "What is wrong with a file is told with its place",
    arguments: [
      ("Sports\ta\tb\n", "small.en.tsv", ":1: there are 3 columns"),
      ("Sport\ta\tb\tc\td\te\tf\n", "small.en.tsv", ":1: \"Sport\" is no label"), ("", "small.tsv", "language"),
      ("\u{1F}\u{8B}", "small.en.tsv", "columns"),
    ])
  func faults(text: String, name: String, message: String) {
    #expect { _ = try read(text, name: name) } throws: { "\($0)".contains(message) }
  }
}
