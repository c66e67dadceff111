internal import Files
internal import JSON
internal import News
internal import Publish
internal import Push
internal import SQLiteStore
internal import Telemetry
internal import Time

/// `bench stories`: what it costs to recognise one story in the words of two sources: the sketch alone, and a claim in a
/// store in a file, without and with it.
struct StoriesBenchmark: Benchmark {
  let name = "stories"
  let summary = "recognises near-duplicates: sketches, then claims without and with them"

  private static let count = 20_000
  private static let sources = 20
  /// As many as a desk works on at a time.
  private static let atOnce = 64

  func run(on files: [String], _ console: Console) async throws -> BenchmarkReport {
    guard files.isEmpty else { throw CommandFailure.usage("this benchmark makes its own input") }
    let articles = Self.articles
    let sketches = articles.compactMap { StorySketch($0) }
    var measurements = [
      await Measurement.of("sketch") { () -> [Measurement.Amount] in
        let bands = articles.reduce(0) { $0 + (StorySketch($1)?.bands.count ?? 0) }
        return [.init(count: Double(articles.count), unit: "articles"), .init(count: Double(bands), unit: "bands")]
      }
    ]
    for (name, isRecognised) in [("claim without", false), ("claim with", true)] {
      let folder = try FileSystem.makeTemporaryDirectory()
      defer { try? FileSystem.remove(folder) }
      let store = try await SQLiteStore.open(path: folder + "/stories.db", logger: .silent)
      measurements.append(
        try await Measurement.of(name) {
          let told = try await Self.claim(articles, isRecognised ? sketches : nil, in: store)
          return [
            .init(count: Double(articles.count), unit: "articles"), .init(count: Double(told), unit: "near-duplicates"),
          ]
        })
      await store.close()
    }
    return BenchmarkReport(
      input: [
        "articles": .number(.init(articles.count)), "sources": .number(.init(Self.sources)),
        "nearDuplicates": "every fourth", "sketches": .number(.init(sketches.count)),
      ],
      measurements: measurements)
  }

  /// Claims all stories; how many were told already.
  private static func claim(
    _ articles: [Article], _ sketches: [StorySketch]?, in store: SQLiteStore
  ) async throws -> Int {
    let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for lane in 0..<atOnce {
        group.addTask {
          var told = 0
          for number in stride(from: lane, to: articles.count, by: atOnce) {
            let time = start + .milliseconds(number)
            let recognition = sketches.map { Recognition($0[number], matching: .standard, mayJoin: true) }
            let answer = try await store.claim(
              Claim(
                articleID: articles[number].id, version: 1, canonicalLink: nil, recognition: recognition, kind: .alert,
                categories: [.world], notificationID: NotificationID(at: time), time: time))
            if case .retold = answer { told += 1 }
          }
          return told
        }
      }
      return try await group.reduce(0, +)
    }
  }

  /// Headlines of eleven words and summaries of forty, every fourth a retelling of the one before with a word more.
  private static var articles: [Article] {
    var words = WordSequence()
    var last = ""
    return (0..<count).map { number in
      let isRetelling = number % 4 == 3
      let headline = isRetelling ? "\(last) \(words.next(1))" : words.next(11)
      last = headline
      var article = Article(
        id: "article-\(number)", text: .init(headline: headline, summary: words.next(40)), language: "en")
      article.source = "source-\(number % sources)"
      return article
    }
  }
}

/// Words that nobody has written, the same ones in every run; few are frequent, as in any language.
private struct WordSequence {
  private var state: UInt64 = 42
  private static let syllables = ["ka", "ron", "ti", "mel", "os", "va", "lin", "der", "ub", "sha", "pre", "ent"]

  mutating func next(_ count: Int) -> String { (0..<count).map { _ in word() }.joined(separator: " ") }

  private mutating func word() -> String {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    // The square of a uniform number: low ranks are the frequent ones.
    let uniform = Double(state >> 40) / Double(1 << 24)
    var rank = Int(uniform * uniform * 8000)
    var word = Self.syllables[rank % 12]
    repeat {
      rank /= 12
      word += Self.syllables[(rank + word.utf8.count) % 12]
    } while rank > 0
    return word
  }
}
