/// Says what an article is about. Pure: the same article gives the same answer.
public protocol Classifier: Sendable {
  /// What the article is about, with reasons. `subscribed` is what the operator said of the source it came from.
  func classify(_ article: Article, subscribed: Category?) -> Classification
}

/// What an article is about, and why.
public struct Classification: Sendable, Hashable {
  /// The categories, the clearest first; empty where the classifier abstains.
  public let categories: [Category]
  /// How probable each category is to the model, the most probable first; empty where no model was asked.
  public let scores: [Score]
  /// What decided, in words an editor understands.
  public let evidence: [Evidence]

  /// A category's probability.
  public struct Score: Sendable, Hashable {
    /// The category.
    public let category: Category
    /// Among the six categories, which sum to 1.
    public let probability: Double

    /// A category with its probability.
    public init(_ category: Category, probability: Double) {
      self.category = category
      self.probability = probability
    }
  }

  /// One reason.
  public struct Evidence: Sendable, Hashable {
    /// Who spoke: `editor`, `subscription`, `terms`, `model`.
    public let origin: String
    /// What was said, such as `the item's term "Wirtschaft" is listed under Business`.
    public let detail: String

    /// A reason.
    public init(origin: String, detail: String) {
      self.origin = origin
      self.detail = detail
    }
  }

  /// A classification with its reasons.
  public init(categories: [Category], scores: [Score] = [], evidence: [Evidence]) {
    self.categories = categories
    self.scores = scores
    self.evidence = evidence
  }

  /// The categories with the model's probabilities where it was asked: `World 0.93, Politics 0.05`; empty where the
  /// classifier abstains.
  public var summary: String {
    categories.map { category in
      let score = scores.first { $0.category == category }
      return score.map { "\(category.rawValue) \(($0.probability * 100).rounded() / 100)" } ?? category.rawValue
    }.joined(separator: ", ")
  }

  /// Whether nothing clear could be said: nothing is pushed then.
  public var abstained: Bool { categories.isEmpty }
}
