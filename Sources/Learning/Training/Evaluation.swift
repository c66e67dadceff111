public import Topics

/// How good a model is on labelled rows.
public struct Evaluation: Sendable {
  /// Figures of a group of rows: all, a language's, a source's.
  public struct Figures: Sendable {
    /// Rows of the six categories, by what they are and by what the model made of them.
    public internal(set) var confusion = [[Int]](repeating: [Int](repeating: 0, count: 6), count: 6)
    /// Rows of the six with their greatest probability and whether it was right.
    var answers: [Answer] = []
    /// The confidences of rows that are none of the six.
    var others: [Float] = []
    /// Of each, rows at or above the threshold.
    var acceptedRight = 0
    var accepted = 0
    var acceptedOthers = 0
  }

  struct Answer: Sendable {
    var probability: Float
    var confidence: Float
    var isRight: Bool
  }

  /// Of all rows.
  public private(set) var all = Figures()
  /// Of the rows of each language.
  public private(set) var byLanguage: [String: Figures] = [:]
  /// Of the rows of each source.
  public private(set) var bySource: [String: Figures] = [:]
  /// The confidence at which the model answers.
  public let threshold: Float

  /// Judges every row. A language whose rows have fewer than six categories is asked for those alone.
  ///
  /// - Parameter home: Where a row's readers are at home, nil where that is not to be told.
  public init(_ rows: [LabelledRow], model: TopicModel, threshold: Float? = nil, home: (LabelledRow) -> CountryCode?) {
    var judge = TopicJudge(model: model, threshold: threshold)
    self.threshold = judge.threshold
    var present: [String: Set<Int>] = [:]
    for row in rows where row.topic != .other { present[row.language, default: []].insert(row.topic.rawValue) }
    for row in rows {
      let opinion = judge.judge(title: row.title, summary: row.summary, language: row.language, home: home(row))
      let choices = present[row.language] ?? Set(0..<6)
      all.add(row.topic, opinion, choices, threshold: judge.threshold)
      byLanguage[row.language, default: Figures()].add(row.topic, opinion, choices, threshold: judge.threshold)
      bySource[row.source, default: Figures()].add(row.topic, opinion, choices, threshold: judge.threshold)
    }
  }
}

extension Evaluation.Figures {
  fileprivate mutating func add(_ topic: Topic, _ opinion: TopicOpinion, _ choices: Set<Int>, threshold: Float) {
    guard topic != .other else {
      others.append(opinion.confidence)
      if opinion.confidence >= threshold { acceptedOthers += 1 }
      return
    }
    let best = choices.sorted().max { opinion.probabilities[$0] < opinion.probabilities[$1] } ?? 0
    let isRight = best == topic.rawValue
    confusion[topic.rawValue][best] += 1
    answers.append(
      .init(probability: opinion.probabilities[best], confidence: opinion.confidence, isRight: isRight))
    if opinion.confidence >= threshold {
      accepted += 1
      if isRight { acceptedRight += 1 }
    }
  }

  /// How many rows of the six there are.
  public var count: Int { answers.count }
  /// How many rows of none of the six there are.
  public var otherCount: Int { others.count }

  /// The share of rows that the model's most probable category is right for; abstaining plays no part.
  public var accuracy: Double { share(answers.count(where: \.isRight), of: answers.count) }

  /// Precision, recall and F1 of each category, by number; nil where there is no row of it.
  public var perTopic: [(precision: Double, recall: Double, f1: Double)?] {
    (0..<6).map { topic in
      let right = confusion[topic][topic]
      let labelled = confusion[topic].reduce(0, +)
      let answered = confusion.reduce(0) { $0 + $1[topic] }
      guard labelled > 0 else { return nil }
      return (share(right, of: answered), share(right, of: labelled), share(2 * right, of: labelled + answered))
    }
  }

  /// The mean F1 of the categories that there are.
  public var macroF1: Double {
    let scores = perTopic.compactMap { $0?.f1 }
    return scores.isEmpty ? 0 : scores.reduce(0, +) / Double(scores.count)
  }

  /// For each tenth of probability, and half of one: how many answers, their mean probability, how many were right.
  public var reliability: [(count: Int, probability: Double, accuracy: Double)] {
    let bins = 15
    var sums = [(count: Int, probability: Double, right: Int)](repeating: (0, 0, 0), count: bins)
    for answer in answers {
      let bin = min(bins - 1, Int(answer.probability * Float(bins)))
      sums[bin].count += 1
      sums[bin].probability += Double(answer.probability)
      sums[bin].right += answer.isRight ? 1 : 0
    }
    return sums.map { ($0.count, $0.probability / Double(max(1, $0.count)), share($0.right, of: $0.count)) }
  }

  /// The mean distance of probability and accuracy over fifteen bins, weighed by their rows.
  public var calibrationError: Double {
    guard count > 0 else { return 0 }
    return reliability.reduce(0) { $0 + Double($1.count) * abs($1.probability - $1.accuracy) } / Double(count)
  }

  /// The share of rows at or above the threshold, and the accuracy there.
  public var coverage: (share: Double, accuracy: Double) {
    (share(accepted, of: count), share(acceptedRight, of: accepted))
  }

  /// The accuracy of the share of rows whose best category is the most probable.
  public func accuracy(ofMostConfident part: Double) -> Double {
    let top = answers.sorted { $0.probability > $1.probability }.prefix(Int((Double(count) * part).rounded()))
    return share(top.count(where: \.isRight), of: top.count)
  }

  /// The share of rows of none of the six that would be accepted at the confidence which accepts that share of the six.
  public func othersAccepted(atCoverage part: Double) -> Double {
    let confidences = answers.map(\.confidence).sorted(by: >)
    guard !confidences.isEmpty, !others.isEmpty else { return 0 }
    let last = confidences[min(confidences.count - 1, max(0, Int((Double(count) * part).rounded()) - 1))]
    return share(others.count { $0 >= last }, of: others.count)
  }

  /// The share of rows of none of the six that are accepted at the threshold.
  public var othersAccepted: Double { share(acceptedOthers, of: others.count) }

  private func share(_ part: Int, of whole: Int) -> Double { whole == 0 ? 0 : Double(part) / Double(whole) }
}
