internal import Topics

/// What a model's scores are worth on outlets that it has not seen: fits the temperature and the threshold.
struct Calibration {
  /// The fitted policy.
  let policy: DecisionPolicy

  /// The threshold accepts this share of the six categories' rows.
  private static let coverage = 0.9
  /// A language with fewer rows has no say.
  private static let languageRowsMin = 100
  /// The common temperature counts as this many rows of each language.
  private static let commonRows = 250
  private static let temperatures = stride(from: 0.3, through: 2.0, by: 0.01)

  init(_ rows: [LabelledRow], model: TopicModel, notes: TrainingNotes, second: Float) {
    var reader = FeatureReader(places: model.places)
    var scored: [String: [Scored]] = [:]
    for row in rows where row.topic != .other {
      reader.read(title: row.title, summary: row.summary, language: row.language, home: notes.home(of: row))
      scored[row.language, default: []].append(Scored(scores: model.scores(of: reader), topic: row.topic.rawValue))
    }
    let languages = scored.filter { $0.value.count >= Self.languageRowsMin }.sorted { $0.key < $1.key }
    // The mean of languages' errors: the largest is not to speak for all.
    let common = Self.temperature { temperature in
      languages.reduce(0.0) { $0 + Self.error(of: $1.value, temperature) }
    }
    var temperatures: [Float] = []
    for language in DecisionPolicy.languages {
      let rows = scored[language] ?? []
      let own = Self.temperature { Self.error(of: rows, $0) }
      // A few outlets say little of a language: it leaves the common one as far as it has rows.
      let weight = Float(rows.count) / Float(rows.count + Self.commonRows)
      temperatures.append(common + weight * (own - common))
    }
    var policy = DecisionPolicy(temperatures: temperatures + [common], threshold: 0, second: second)
    let confidences = languages.flatMap { language, rows in
      rows.map { policy.probabilities($0.scores, language: language).confidence }
    }.sorted(by: >)
    if !confidences.isEmpty {
      policy.threshold = confidences[min(confidences.count - 1, Int(Double(confidences.count) * Self.coverage))]
    }
    self.policy = policy
  }

  private struct Scored {
    var scores: SIMD8<Float>
    var topic: Int
  }

  private static func temperature(_ error: (Float) -> Double) -> Float {
    var best = (error: Double.infinity, temperature: Float(1))
    for temperature in temperatures {
      let error = error(Float(temperature))
      if error < best.error { best = (error, Float(temperature)) }
    }
    return best.temperature
  }

  /// The calibration error that `Evaluation` would find.
  private static func error(of rows: [Scored], _ temperature: Float) -> Double {
    var figures = Evaluation.Figures()
    for row in rows {
      let worth = TopicProbabilities(row.scores, temperature: temperature)
      figures.answers.append(
        .init(probability: worth.six[worth.best], confidence: 0, isRight: worth.best == row.topic))
    }
    return figures.calibrationError
  }

  /// Rows of general outlets, chosen evenly by their names: a model is more sure than right on outlets of one subject.
  static func outlets(in rows: [LabelledRow]) -> Set<String> {
    var topics: [String: [Int]] = [:]
    for row in rows where row.topic != .other && row.collection == "urlsec_train" {
      topics[row.source, default: Array(repeating: 0, count: 6)][row.topic.rawValue] += 1
    }
    let general = topics.filter { $0.value.reduce(0, +) >= 25 && $0.value.count { $0 >= 2 } >= 4 }.keys.sorted()
    return Set(general.enumerated().filter { $0.offset % 3 == 0 }.map(\.element))
  }
}
