public import News
internal import Synchronization
public import Topics

/// Classifies an article by its words, with a trained model; abstains where they are not clear enough.
public final class ModelClassifier: Sendable {
  // One after the other: a text takes some microseconds, and the judge's buffers are used again.
  private let judge: Mutex<TopicJudge>

  /// How many words the evidence names.
  private static let reasonsMax = 5

  /// A classifier with a model; `threshold` replaces the model's own.
  public init(model: TopicModel, threshold: Float? = nil) {
    judge = Mutex(TopicJudge(model: model, threshold: threshold))
  }

  /// What a text is about, for readers at home in a country, if that is known.
  public func classify(
    headline: String, summary: String?, language: String?, home: CountryCode?
  ) -> (opinion: TopicOpinion, classification: Classification) {
    judge.withLock { judge in
      let opinion = judge.judge(title: headline, summary: summary ?? "", language: language, home: home)
      let best = opinion.best
      let reasons = judge.reasons(for: best, home: home, max: Self.reasonsMax)
      let scores = Topic.categories.compactMap { topic in
        topic.category.map {
          Classification.Score($0, probability: Self.rounded(opinion.probabilities[topic.rawValue]))
        }
      }.sorted { $0.probability > $1.probability }
      var evidence = [
        Classification.Evidence(origin: "model", detail: Self.verdict(opinion, threshold: judge.threshold))
      ]
      if !opinion.categories.isEmpty, !reasons.isEmpty {
        evidence.append(.init(origin: "model", detail: Self.words(reasons, for: best)))
      }
      return (opinion, Classification(categories: opinion.categories, scores: scores, evidence: evidence))
    }
  }

  private static func verdict(_ opinion: TopicOpinion, threshold: Float) -> String {
    let best = opinion.best
    let sure = "\(percent(opinion.confidence)) sure"
    if !opinion.categories.isEmpty {
      let names = opinion.categories.map(\.rawValue).joined(separator: " and ")
      return "the text reads as \(names); the model is \(sure)"
    }
    if opinion.knownFeatures == 0 { return "the text has no words that the model knows" }
    if opinion.otherProbability > opinion.confidence {
      return "the text reads as none of the six categories (\(percent(opinion.otherProbability)) sure)"
    }
    return "the text reads most as \(best.name), but the model is only \(sure), less than \(percent(threshold))"
  }

  private static func words(_ reasons: [TopicReason], for topic: Topic) -> String {
    let words = reasons.filter { !$0.isPlace }.map { "\"\($0.text)\"" }
    let places = reasons.filter(\.isPlace).map(\.text)
    var parts: [String] = []
    if !words.isEmpty { parts.append("the words \(words.joined(separator: ", "))") }
    if !places.isEmpty { parts.append("the places \(places.joined(separator: ", "))") }
    return "for \(topic.name) spoke \(parts.joined(separator: ", and "))"
  }

  private static func percent(_ share: Float) -> String { "\(Int((share * 100).rounded())) %" }

  /// Four figures: no one can know more.
  private static func rounded(_ probability: Float) -> Double { (Double(probability) * 10_000).rounded() / 10_000 }
}
