import News
import Testing

@testable import Topics

@Suite struct TopicJudgeTests {
  private func judge(_ policy: DecisionPolicy = .init(threshold: 0.4)) throws -> TopicJudge {
    TopicJudge(model: try SmallModel.open(SmallModel.bytes(SmallModel.words, policy: policy)))
  }

  @Test(
    "A text is about what its words are about",
    arguments: [
      ("Striker scores goal in cup final", Topic.sports), ("Minister dissolves parliament before election", .politics),
      ("女篮比赛夺得冠军", .sports),
    ])
  func topics(title: String, topic: Topic) throws {
    var judge = try judge()
    let opinion = judge.judge(title: title)
    #expect(opinion.categories.first == topic.category)
    #expect(opinion.best == topic)
    #expect(abs(opinion.probabilities.reduce(0, +) - 1) < 1e-5)
    #expect(!judge.reasons(for: topic, home: nil, max: 3).isEmpty)
  }

  @Test(
    "What says nothing is not answered",
    arguments: [
      ("", 1), (" ", 1), ("😀", 1), ("the of and", 1), ("qwzx vbnm", 1), ("123", 1), ("\u{0}\u{1}", 1),
      ("ሰላም ዓለም", 1), ("\u{202E}\u{200B}", 1), ("!!!???", 1), ("a", 1_000_000), ("💥", 100_000), ("中", 300_000),
      ("a\u{0301}\u{0302}\u{0303}", 1), ("\u{FFFD}", 2),
    ])
  func nothing(text: String, times: Int) throws {
    var judge = try judge(DecisionPolicy(threshold: 0.1))
    let title = String(repeating: text, count: times)
    #expect(judge.judge(title: title, summary: title).categories.isEmpty)
  }

  @Test("What is none of the six is not forced into them")
  func other() throws {
    var judge = try judge()
    let opinion = judge.judge(title: "Celebrity recipe and horoscope")
    #expect(opinion.categories.isEmpty)
    #expect(opinion.otherProbability > 0.5)
  }

  @Test("Two categories are named where both are clear")
  func two() throws {
    var judge = try judge(DecisionPolicy(temperature: 4, threshold: 0.05, second: 0.2))
    #expect(
      Set(judge.judge(title: "minister election parliament striker goal cup").categories) == [.politics, .sports])
  }

  @Test(
    "What happens at the reader's home is Politics, the same abroad is World",
    arguments: [("FR", Topic.politics), ("US", .world)])
  func home(country: String, topic: Topic) throws {
    var judge = try judge()
    let home = CountryCode(country)
    let opinion = judge.judge(title: "France and its parliament election", home: home)
    #expect(opinion.best == topic)
    let reasons = judge.reasons(for: topic, home: home, max: 5)
    #expect(reasons.contains { $0.isPlace && $0.text == "france (FR, \(country == "FR" ? "at home" : "abroad"))" })
  }

  @Test("One judge gives the same answers as many: buffers keep nothing")
  func buffers() throws {
    var one = try judge()
    let titles = ["Striker scores", "France votes", "", "女篮比赛", "Horoscope", "Élection en France", "Striker scores"]
    for title in titles {
      var fresh = try judge()
      #expect(one.judge(title: title, summary: title) == fresh.judge(title: title, summary: title))
    }
  }
}
