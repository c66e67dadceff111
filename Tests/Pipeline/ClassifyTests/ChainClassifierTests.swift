import Classify
import Files
import News
import Synchronization
import Telemetry
import Testing
import Topics

/// The model that ships: what it says of these plain texts is not to change.
private let shipped: TopicModel? = {
  let tests = FileSystem.directory(of: #filePath)
  return try? TopicModel(path: "\(tests)/../../../config/models/topics.model")
}()

@Suite struct ChainClassifierTests {
  private func chain(home: String? = nil, of source: String? = nil, record: HintRecord? = nil) throws -> ChainClassifier
  {
    let table = try CategoryTable([.init(.business, "Wirtschaft", place: "t:1"), .init(.sports, "Sport", place: "t:2")])
    var homes = ChainClassifier.Homes()
    if let source, let home {
      homes.bySource[source] = CountryCode(home)
    } else {
      homes.usual = home.flatMap { CountryCode($0) }
    }
    return ChainClassifier(
      hints: HintClassifier(table: table), model: ModelClassifier(model: try #require(shipped)), homes: homes,
      record: record)
  }

  private func article(_ headline: String, terms: [String] = [], categories: [News.Category] = []) -> Article {
    var article = Article(id: "a", text: .init(headline: headline), language: "en")
    article.terms = terms.map { CategoryTerm($0) }
    article.categories = categories
    article.source = "wire"
    return article
  }

  private static let match = "Striker scores twice as Arsenal win the cup final"

  @Test("Editor, subscription, terms and model are asked in this order")
  func order() throws {
    let chain = try chain()
    func categories(_ article: Article, _ subscribed: News.Category? = nil) -> [News.Category] {
      chain.classify(article, subscribed: subscribed).categories
    }
    #expect(categories(article(Self.match, terms: ["Wirtschaft"], categories: [.world]), .science) == [.world])
    #expect(categories(article(Self.match, terms: ["Wirtschaft"]), .science) == [.science])
    #expect(categories(article(Self.match, terms: ["Wirtschaft"])) == [.business])
    #expect(categories(article(Self.match, terms: ["Vermischtes"])) == [.sports])
    #expect(categories(article(Self.match)) == [.sports])
  }

  @Test("The model's scores and its words are in the record")
  func evidence() throws {
    let read = try chain().classify(article(Self.match), subscribed: nil)
    #expect(read.scores.count == 6 && read.scores.first?.category == .sports)
    #expect(read.evidence.contains { $0.origin == "model" && $0.detail.contains("striker") })
    #expect(read.summary.hasPrefix("Sports 0."))
  }

  @Test("A hint that the model contradicts strongly decides, and the contradiction is noted")
  func contradiction() throws {
    let contradicted = try chain().classify(article(Self.match, terms: ["Wirtschaft"]), subscribed: nil)
    #expect(contradicted.categories == [.business])
    #expect(contradicted.evidence.contains { $0.detail.hasPrefix("contradicts Business") })
    let agreed = try chain().classify(article(Self.match, terms: ["Sport"]), subscribed: nil)
    #expect(!agreed.evidence.contains { $0.origin == "model" })
  }

  @Test("A source whose hints are often contradicted is reported once")
  func record() throws {
    let lines = LogLines()
    let logger = Logger(level: .info) { lines.append($0.event) }
    let chain = try chain(record: HintRecord(logger: logger, metrics: MetricRegistry()))
    for _ in 0..<40 { _ = chain.classify(article(Self.match, terms: ["Wirtschaft"]), subscribed: nil) }
    #expect(lines.all == ["source.hints_doubtful"])
  }

  @Test("What happens at the readers' home is Politics, abroad it is World")
  func home() throws {
    let vote = article("Lawmakers in Canberra pass budget after prime minister Albanese wins confidence vote")
    func world(_ chain: ChainClassifier) -> Double {
      chain.classify(vote, subscribed: nil).scores.first { $0.category == .world }?.probability ?? 0
    }
    let abroad = world(try chain(home: "FR"))
    #expect(world(try chain(home: "AU")) < abroad / 2)
    #expect(world(try chain(home: "AU", of: "wire")) < abroad / 2)
    #expect(world(try chain(home: "AU", of: "another")) > world(try chain(home: "AU")))
  }

  @Test(
    "What says nothing is nobody's to classify",
    arguments: [("😀", 1), ("the of and", 1), ("zzkq vvrt", 1), ("Your horoscope for today: Leo", 1), ("🚀 ", 500_000)])
  func abstention(text: String, times: Int) throws {
    let headline = String(repeating: text, count: times)
    #expect(try chain().classify(article(headline), subscribed: nil).abstained)
  }
}

/// Log lines' events, as they came.
private final class LogLines: Sendable {
  private let events = Mutex<[String]>([])

  var all: [String] { events.withLock { $0 } }

  func append(_ event: String) { events.withLock { $0.append(event) } }
}
