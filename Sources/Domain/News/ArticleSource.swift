public import Time

/// An article that has come in, with what its source knows about it.
public struct Inbound: Sendable {
  /// The article.
  public let article: Article
  /// What the operator said of the source it came from.
  public let subscribed: Category?
  /// When it was first seen: its age is judged then, however long it has waited since.
  public let firstSeen: Timestamp
  /// Tells the source that the effect is committed: it will not come again. Throws what the source's store throws; the
  /// article then comes again and is known.
  public let acknowledge: @Sendable () async throws -> Void

  /// An article that has come in.
  public init(
    article: Article, subscribed: Category?, firstSeen: Timestamp,
    acknowledge: @escaping @Sendable () async throws -> Void
  ) {
    self.article = article
    self.subscribed = subscribed
    self.firstSeen = firstSeen
    self.acknowledge = acknowledge
  }
}

/// Where articles come from: gives each until it is acknowledged, also across a crash.
public protocol ArticleSource: Sendable {
  /// Its name in log lines and decisions.
  var name: String { get }

  /// Waits for articles and returns some, at most `limit`, each once in the life of this source unless acknowledging
  /// it failed; nil when there will be no more. Throws `CancellationError` when cancelled while waiting.
  func next(limit: Int) async throws -> [Inbound]?
}
