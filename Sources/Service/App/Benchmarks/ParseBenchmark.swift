internal import Files
internal import Ingest
internal import JSON

/// `bench parse`: how fast feed documents become items, and apart from it how fast their summaries become plain text
/// and their bodies safe HTML, on one core.
struct ParseBenchmark: Benchmark {
  let name = "parse"
  let summary = "reads feed documents, whole items out; their summaries and bodies apart"

  /// Smaller documents measure the beginning of a parse rather than its middle.
  private static let documentBytesMin = 20_000
  /// Rounds over all documents, after one to warm up: with some megabytes of documents a second or so.
  private static let rounds = 20

  func run(on files: [String], _ console: Console) async throws -> BenchmarkReport {
    let documents = try Self.documents(files.isEmpty ? [Self.corpora(console)] : files)
    guard !documents.isEmpty else {
      throw CommandFailure.usage("name feed documents, or folders of them, or set TIDINGS_CORPORA")
    }
    let megabytes = Double(documents.reduce(0) { $0 + $1.count }) / 1e6
    console.say("bench parse: \(documents.count) documents, \(Int(megabytes)) MB, \(Self.rounds) times")
    let items = documents.flatMap { (try? FeedDocument.parse($0))?.items ?? [] }
    return BenchmarkReport(
      input: [
        "documents": .number(JSONNumber(documents.count)),
        "bytes": .number(JSONNumber(documents.reduce(0) { $0 + $1.count })),
        "articles": .number(JSONNumber(items.count)), "rounds": .number(JSONNumber(Self.rounds)),
      ],
      measurements: [
        await Measurement.of("parse") {
          var count = 0
          for _ in 0..<Self.rounds {
            for document in documents { count += (try? FeedDocument.parse(document))?.items.count ?? 0 }
          }
          return [
            .init(count: Double(count), unit: "articles"), .init(count: megabytes * Double(Self.rounds), unit: "MB"),
          ]
        },
        await Self.texts("summaries to plain text", items.compactMap(\.summaryContent)) { $0.plainText() },
        await Self.texts("bodies to safe HTML", items.compactMap(\.content)) { $0.sanitised() },
      ])
  }

  private static func texts(
    _ name: String, _ contents: [FeedContent], _ convert: (FeedContent) -> String
  ) async -> Measurement {
    await Measurement.of(name) {
      var bytes = 0
      for content in contents {
        bytes += content.byteCount
        _ = convert(content)
      }
      return [.init(count: Double(contents.count), unit: "texts"), .init(count: Double(bytes) / 1e6, unit: "MB")]
    }
  }

  // MARK: - Input

  /// Where the documents of other projects' tests are, beside the source tree unless the environment says.
  private static func corpora(_ console: Console) -> String {
    FileSystem.path("feeds", from: console.environment["TIDINGS_CORPORA"] ?? "../shared")
  }

  /// The feed documents that are named, and the large ones in folders that are.
  private static func documents(_ paths: [String]) throws -> [[UInt8]] {
    var documents: [[UInt8]] = []
    for path in paths {
      switch FileSystem.kind(of: path) {
      case .directory:
        let below = try FileSystem.names(inDirectory: path).sorted().map { FileSystem.path($0, from: path) }
        documents += try Self.documents(below.filter { FileSystem.kind(of: $0) == .directory })
        for file in below where FileSystem.kind(of: file) == .file {
          guard let bytes = try? FileSystem.read(file, bytesMax: FeedDocument.Limits.default.documentBytesMax) else {
            continue
          }
          if bytes.count > documentBytesMin, hasItems(bytes) { documents.append(bytes) }
        }
      case .file:
        documents.append(try FileSystem.read(path, bytesMax: FeedDocument.Limits.default.documentBytesMax))
      default: break
      }
    }
    return documents
  }

  private static func hasItems(_ bytes: [UInt8]) -> Bool { (try? FeedDocument.parse(bytes))?.items.isEmpty == false }
}
