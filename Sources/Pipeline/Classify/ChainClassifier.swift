public import News

public import Topics

/// Classifies by the first who knows: the article's editor, the operator of its source, its publisher's terms, and where
/// none of them said anything clear, the model. A hint that the model contradicts strongly still decides; the
/// contradiction is noted, except that of an editor.
public struct ChainClassifier: Classifier {
  /// Where readers are at home.
  public struct Homes: Sendable {
    /// Where no source says otherwise; nil where that is unknown.
    public var usual: CountryCode?
    /// Of the readers of a source, by the name that its articles bear.
    public var bySource: [String: CountryCode]

    /// Homes by source, and the usual one.
    public init(usual: CountryCode? = nil, bySource: [String: CountryCode] = [:]) {
      self.usual = usual
      self.bySource = bySource
    }

    /// Where an article's readers are at home.
    public func home(of source: String?) -> CountryCode? { source.flatMap { bySource[$0] } ?? usual }
  }

  private let hints: HintClassifier
  private let model: ModelClassifier
  private let homes: Homes
  private let record: HintRecord?

  /// A hint that the model holds for less probable than this, of the six, is contradicted…
  private static let contradictedMax = 0.02
  /// …if the model is this sure of another category.
  private static let contradictionMin: Float = 0.8

  /// A chain of hints and a model; `record` keeps count of the hints that the model contradicts.
  public init(hints: HintClassifier, model: ModelClassifier, homes: Homes = Homes(), record: HintRecord? = nil) {
    self.hints = hints
    self.model = model
    self.homes = homes
    self.record = record
  }

  /// What the article is about, with reasons.
  public func classify(_ article: Article, subscribed: Category?) -> Classification {
    let hint = hints.classify(article, subscribed: subscribed)
    // An editor's word is not weighed: it is neither doubted nor counted, and reading costs more than all the rest.
    guard article.categories.isEmpty else { return hint }
    let (opinion, read) = model.classify(
      headline: article.text.headline, summary: article.text.summary, language: article.language,
      home: homes.home(of: article.source))
    guard !hint.abstained else {
      return Classification(categories: read.categories, scores: read.scores, evidence: hint.evidence + read.evidence)
    }
    var evidence = hint.evidence
    let isContradicted =
      opinion.confidence >= Self.contradictionMin
      && hint.categories.allSatisfy { Double(opinion.probability(of: $0)) <= Self.contradictedMax }
    if isContradicted {
      let names = hint.categories.map(\.rawValue).joined(separator: " and ")
      evidence.append(
        .init(origin: "model", detail: "contradicts \(names): \(read.evidence.map(\.detail).joined(separator: "; "))"))
    }
    record?.note(source: article.source, isContradicted: isContradicted)
    return Classification(categories: hint.categories, scores: read.scores, evidence: evidence)
  }
}
