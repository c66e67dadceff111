import Files
import Testing
import Topics

@testable import Training

@Suite struct TrainerTests {
  private func train(_ rows: [LabelledRow]) throws -> [UInt8] {
    try SmallCorpus.withFolder { folder in
      try Trainer(notes: SmallCorpus.notes(), options: options).train(rows, draft: "\(folder)/draft")
    }
  }

  private var options: TrainingOptions {
    var options = TrainingOptions()
    options.featureCount = 2000
    return options
  }

  @Test("The same rows give the same bytes")
  func reproducible() throws {
    let rows = SmallCorpus.rows(1500)
    let bytes = try train(rows)
    #expect(try train(rows) == bytes)
    #expect(try train(rows.reversed()) != bytes)
  }

  @Test("What was learned holds for rows that were not seen, and is not surer than it is right")
  func learns() throws {
    let bytes = try train(SmallCorpus.rows(4000))
    try SmallCorpus.withFolder { folder in
      try FileSystem.write(bytes, to: "\(folder)/model")
      let evaluation = Evaluation(
        SmallCorpus.rows(1000, seed: 2), model: try TopicModel(path: "\(folder)/model"), home: { _ in nil })
      #expect(evaluation.all.accuracy > 0.95)
      #expect(evaluation.all.othersAccepted(atCoverage: 0.9) < 0.1)
      #expect(evaluation.all.coverage.accuracy >= evaluation.all.accuracy)
    }
  }

  @Test("A weight is no row's alone: the selection's weights are 1 on average")
  func weights() throws {
    let selection = RowSelection(SmallCorpus.rows(3000), notes: try SmallCorpus.notes(), options: TrainingOptions())
    let mean = selection.weights.reduce(0, +) / Double(selection.weights.count)
    #expect(abs(mean - 1) < 1e-9)
    #expect(selection.weights.allSatisfy { $0 > 0 })
  }

  @Test("An outlet that mixes home and abroad under politics does not teach what Politics is")
  func mixedPolitics() throws {
    func row(_ topic: Topic, _ source: String, _ number: Int) -> LabelledRow {
      LabelledRow(
        topic: topic, section: "seg:politik", title: "t\(number)", summary: "", source: source, date: "2026",
        language: "de", collection: "urlsec_train")
    }
    let rows =
      (0..<20).map { row(.politics, "mixed.de", $0) } + (0..<20).map { row(.politics, "parted.de", $0) }
      + (0..<20).map { row(.world, "parted.de", $0) } + (0..<4).map { row(.politics, "small.de", $0) }
    let selection = RowSelection(rows, notes: try SmallCorpus.notes(), options: TrainingOptions())
    for (row, weight) in zip(selection.rows, selection.weights) {
      #expect((weight == 0) == (row.source == "mixed.de"))
    }
  }

  @Test("A section that says nothing is not learned as none of the six")
  func others() throws {
    let notes = try SmallCorpus.notes()
    func shows(_ section: String, _ collection: String = "urlsec_train") -> Bool {
      notes.showsOther(
        LabelledRow(
          topic: .other, section: section, title: "", summary: "", source: "a.com", date: "", language: "en",
          collection: collection))
    }
    #expect(shows("seg:entertainment") && shows("seg:horoscope") && shows("news_game", "toutiao"))
    #expect(!shows("seg:news") && !shows("mix:sci-tech") && !shows("Sci/Tech", "agnews"))
  }

  @Test(
    "Readers are at home where their outlet is",
    arguments: [
      ("edition.cnn.com", "en", "US"), ("www.theguardian.com", "en", "GB"), ("mirror.co.uk", "en", "GB"),
      ("ndtv.com", "en", "IN"), ("abc.net.au", "en", "AU"), ("reuters.com", "en", nil), ("lemonde.fr", "fr", "FR"),
      ("example.com", "nl", "NL"), ("rtbf.be", "fr", "BE"), ("meduza.io", "ru", "RU"), ("toutiao", "zh", "CN"),
    ])
  func homes(source: String, language: String, country: String?) throws {
    let row = LabelledRow(
      topic: .world, section: "", title: "", summary: "", source: source, date: "", language: language, collection: "")
    #expect(try SmallCorpus.notes().home(of: row)?.description == country)
  }
}
