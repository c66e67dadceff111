internal import Files
internal import JSON
internal import Topics
internal import Training

/// `bench classify`: how fast texts are classified, on one core, and how soon the model is ready.
struct ClassifyBenchmark: Benchmark {
  let name = "classify"
  let summary = "opens the model and classifies labelled rows, titles alone and with summaries"

  /// A pass over fewer rows measures the clock.
  private static let rowsMin = 200_000

  func run(on files: [String], _ console: Console) async throws -> BenchmarkReport {
    let paths = try files.isEmpty ? Self.corpora(console) : files
    guard !paths.isEmpty else {
      throw CommandFailure.usage("name files of labelled rows (NAME.en.tsv.gz), or set TIDINGS_CORPORA")
    }
    let rows = try paths.flatMap { try Corpus.read($0) }
    guard !rows.isEmpty else { throw CommandFailure.failed("the files have no rows") }
    let path = try console.share().path(LoadedConfiguration.modelFile)
    let rounds = max(1, Self.rowsMin / rows.count)
    console.say("bench classify: \(rows.count) rows, \(rounds) times")
    // The first opening brings the file into the page cache, and the tables of characters into being.
    var judge = TopicJudge(model: try TopicModel(path: path))
    _ = judge.judge(title: "Strong quake off Hokkaido")
    let start = try await Measurement.of("open the model and classify one text") {
      var judge = TopicJudge(model: try TopicModel(path: path))
      _ = judge.judge(title: "Strong quake off Hokkaido")
      return [.init(count: 1, unit: "models")]
    }
    // Buffers have their size after one pass; what memory grows by after that would grow for ever.
    for row in rows { _ = judge.judge(title: row.title, summary: row.summary, language: row.language) }
    let held = ResourceUsage.now.residentBytesMax
    let measurements = [
      start,
      await Self.pass("titles", rows, rounds, &judge) { judge, row in
        judge.judge(title: row.title, language: row.language)
      },
      await Self.pass("titles with summaries", rows, rounds, &judge) { judge, row in
        judge.judge(title: row.title, summary: row.summary, language: row.language)
      },
    ]
    let growth = ResourceUsage.now.residentBytesMax - held
    return BenchmarkReport(
      input: [
        "files": .array(paths.map { .string($0) }), "rows": .number(JSONNumber(rows.count)),
        "rounds": .number(JSONNumber(rounds)),
        "bytes": .number(JSONNumber(rows.reduce(0) { $0 + $1.title.utf8.count + $1.summary.utf8.count })),
        "memoryGrowthBytes": .number(JSONNumber(growth)),
      ],
      measurements: measurements)
  }

  private static func pass(
    _ name: String, _ rows: [LabelledRow], _ rounds: Int, _ judge: inout TopicJudge,
    _ classify: (inout TopicJudge, LabelledRow) -> TopicOpinion
  ) async -> Measurement {
    await Measurement.of(name) {
      var answered = 0
      for _ in 0..<rounds {
        for row in rows where !classify(&judge, row).categories.isEmpty { answered += 1 }
      }
      // Used, so that the work is not optimised away.
      precondition(answered <= rows.count * rounds)
      return [.init(count: Double(rows.count * rounds), unit: "articles")]
    }
  }

  /// The English and French rows beside the source tree, unless the environment says where they are.
  private static func corpora(_ console: Console) throws -> [String] {
    let folder = FileSystem.path("news", from: console.environment["TIDINGS_CORPORA"] ?? "../shared")
    return ["urlsec_train.en.tsv.gz", "urlsec_train.fr.tsv.gz"].map { "\(folder)/\($0)" }
      .filter { FileSystem.kind(of: $0) == .file }
  }
}
