public import Time

/// Something that has come in, with what its source knows about it.
public struct Inbound: Sendable {
  /// What can come in.
  public enum Content: Sendable, Hashable {
    /// An article, or a later version of one.
    case article(Article)
    /// The word that an article is withdrawn, in all versions that were seen so far.
    case withdrawal(articleID: String)
  }

  /// What has come in.
  public let content: Content
  /// What the operator said of the source it came from.
  public let subscribed: Category?
  /// How far the source is believed.
  public let trust: Trust
  /// Whether it is a later version of what its source had before: of a feed's item that was not told, none alerts.
  public var isUpdate = false
  /// Whether its version is only its place in the source: the same content may come again under another.
  public var isVersionedByPlace = false
  /// When it was first seen: its age is judged then, however long it has waited since.
  public let firstSeen: Timestamp
  /// Where it stands in its source, such as `articles/3@42` (topic, partition, offset); what else there is to it only
  /// the source knows. Nil where the article's id says it all.
  public var origin: (any Sendable & CustomStringConvertible)?
  /// Tells the source that the effect is committed: it will not come again. Throws what the source's store throws; the
  /// article then comes again and is known.
  public let acknowledge: @Sendable () async throws -> Void

  /// Something that has come in.
  public init(
    _ content: Content, subscribed: Category?, trust: Trust, firstSeen: Timestamp,
    acknowledge: @escaping @Sendable () async throws -> Void
  ) {
    self.content = content
    self.subscribed = subscribed
    self.trust = trust
    self.firstSeen = firstSeen
    self.acknowledge = acknowledge
  }

  /// An article that has come in.
  public init(
    article: Article, subscribed: Category?, trust: Trust = .feed, firstSeen: Timestamp,
    acknowledge: @escaping @Sendable () async throws -> Void
  ) {
    self.init(
      .article(article), subscribed: subscribed, trust: trust, firstSeen: firstSeen, acknowledge: acknowledge)
  }

  /// The id of the article that it is about.
  public var articleID: String {
    switch content {
    case .article(let article): article.id
    case .withdrawal(let id): id
    }
  }

  /// The article; nil for a withdrawal.
  public var article: Article? {
    if case .article(let article) = content { article } else { nil }
  }
}

/// How far a source is believed.
public enum Trust: String, Sendable, Hashable, CaseIterable {
  /// As an editor: what he says of an article outranks every other hint, his later versions are corrections.
  case editor
  /// As a feed: what it says is a hint, and later versions never alert.
  case feed
}

/// Where articles come from: gives each until it is acknowledged, also across a crash.
public protocol ArticleSource: Sendable {
  /// Its name in log lines and decisions.
  var name: String { get }

  /// Waits for articles and returns some, at most `limit`, each once in the life of this source unless acknowledging
  /// it failed; nil when there will be no more. Throws `CancellationError` when cancelled while waiting.
  func next(limit: Int) async throws -> [Inbound]?
}
