import Files
import JSON
import News
import TestKit
import Testing

/// The JSON Schema of the article's format, held against the decoder by a validator that knows neither.
@Suite("Article's JSON Schema")
struct ArticleSchemaTests {
  private static let values = [
    "null", "\"\"", "\" \"", "\"x\"", "0", "1", "9", "10", "-1", "1.5", "1e400", "true", "[]", "{}", "[\"\"]",
    "[\"World\"]", "[\"SPORTS\"]", "[\"Weather\"]", "[1]", "[null]", "\"usable\"", "\"gone\"",
    #"{"fr":{"headline":"h"}}"#, #"{"fr":{}}"#, #"{"fr":null}"#, #"{"fr":{"headline":" "}}"#,
    #"{"fr":{"headline":"h","summary":null}}"#, #"{"fr":{"headline":"h","summary":""}}"#, "\"http://\"",
    "\"http://x\"", "\"HTTPS://x.test/a?b#c\"", "\"https://x.test/a b\"", "\"https:///a\"", "\"ftp://x.test\"",
    "\"https://例え.テスト/記事\"", "\"2026-11-30T19:22:00Z\"", "\"2026-11-30 19:22:00.123+01:00\"",
    "\"2026-13-01T00:00:00Z\"", "\"2026-11-30\"", "\"2026-11-30T25:00:00Z\"", #"[{"term":"t"}]"#,
    #"[{"term":"t","scheme":"","label":"l"}]"#, #"[{"scheme":"s"}]"#, #"[{"term":null}]"#, #"["t",{"term":"t"}]"#,
  ]

  private static let fields = [
    "id", "version", "status", "headline", "summary", "language", "translations", "categories", "topics", "terms",
    "urgency", "url", "image", "source", "authors", "published", "updated", "embargoed", "expires", "house",
  ]

  /// Good articles, with each value in the place of each field, and each field left out.
  private static var documents: [String] {
    get throws {
      let wholes = [
        ArticleTests.whole.replacing("\n", with: " "), #"{"id":"a","headline":"h"}"#,
        #"{"id":"a","translations":{"fr":{"headline":"h"}}}"#,
      ]
      return try wholes.flatMap { whole in
        try fields.flatMap { field in
          try ([nil] + values.map { Optional($0) }).map { value in
            guard case .object(var object) = try JSONValue(parsing: whole) else { return whole }
            object[field] = nil
            let rest = JSONValue.object(object).text().dropLast()
            return value.map { "\(rest)\(object.isEmpty ? "" : ",")\"\(field)\":\($0)}" } ?? rest + "}"
          }
        }
      } + ["[]", "1", "null", "{}"]
    }
  }

  @Test(
    "A document is valid by the schema exactly if the decoder takes it",
    .enabled(if: KafkaBroker.python != nil, "TIDINGS_PYTHON names no Python with jsonschema; deploy/test.sh sets it up")
  )
  func agrees() async throws {
    let folder = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(folder) }
    let documents = try Self.documents
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    try FileSystem.write(Array(documents.joined(separator: "\n").utf8), to: "\(folder)/documents")
    let validator = try ChildProcess(
      try #require(KafkaBroker.python),
      ["/\(root)/Tests/Domain/NewsTests/schema.py", "/\(root)/config/article.schema.json", "\(folder)/documents"])
    #expect(await validator.ending() == .exited(0), "\(validator.lines(.errors))")
    let verdicts = validator.lines().map { $0 == "1" }
    try #require(verdicts.count == documents.count)
    var counts = [false: 0, true: 0]
    for (document, isValid) in zip(documents, verdicts) {
      let isArticle = (try? Article(json: JSONValue(parsing: document))) != nil
      #expect(isArticle == isValid, "\(document)")
      counts[isValid, default: 0] += 1
    }
    #expect(counts[true]! > 500 && counts[false]! > 500)
  }
}
