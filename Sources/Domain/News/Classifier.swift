/// Says what an article is about. Pure: the same article gives the same answer.
public protocol Classifier: Sendable {
  /// What the article is about, with reasons. `subscribed` is what the operator said of the source it came from.
  func classify(_ article: Article, subscribed: Category?) -> Classification
}

/// What an article is about, and why.
public struct Classification: Sendable, Hashable {
  /// The categories, the clearest first; empty where the classifier abstains.
  public let categories: [Category]
  /// What decided, in words an editor understands.
  public let evidence: [Evidence]

  /// One reason.
  public struct Evidence: Sendable, Hashable {
    /// Who spoke: `editor`, `subscription`, `terms`.
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
  public init(categories: [Category], evidence: [Evidence]) {
    self.categories = categories
    self.evidence = evidence
  }

  /// Whether nothing clear could be said: nothing is pushed then.
  public var abstained: Bool { categories.isEmpty }
}
