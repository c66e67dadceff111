public import News
public import Time

/// What was decided about an article, and why: the trail that an editor reads.
public struct Decision: Sendable, Hashable {
  /// What happens with an article.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    /// Its story is told.
    case push
    /// It waits.
    case hold
    /// Its story has been told already.
    case merge
    /// It is not told.
    case drop
    /// It is told no more: its editor has withdrawn it.
    case withdraw
  }

  /// The article's id.
  public var articleID: String
  /// The article's version.
  public var version: Int64
  /// Tells contents of one version apart (`Article.digest`); nil where no content came.
  public var digest: Int64?
  /// The source it came from.
  public var source: String?
  /// Its headline, for who reads the trail.
  public var headline: String
  /// When it was decided.
  public var time: Timestamp
  /// What it is about, and who said so.
  public var classification: Classification
  /// What happens with it.
  public var action: Action
  /// Why, in words.
  public var reason: String
  /// The story it joined.
  public var storyID: String?
  /// The notification that told it.
  public var notificationID: String?

  /// What was decided about an article.
  public init(
    article: Article, time: Timestamp, classification: Classification, action: Action, reason: String,
    storyID: String? = nil, notificationID: String? = nil
  ) {
    self.init(
      articleID: article.id, version: article.version, digest: article.digest, source: article.source,
      headline: article.text.headline, time: time, classification: classification, action: action, reason: reason,
      storyID: storyID, notificationID: notificationID)
  }

  /// A decision as a store read it.
  public init(
    articleID: String, version: Int64, digest: Int64? = nil, source: String?, headline: String, time: Timestamp,
    classification: Classification, action: Action, reason: String, storyID: String?, notificationID: String?
  ) {
    self.articleID = articleID
    self.version = version
    self.digest = digest
    self.source = source
    self.headline = headline
    self.time = time
    self.classification = classification
    self.action = action
    self.reason = reason
    self.storyID = storyID
    self.notificationID = notificationID
  }
}

/// An article that waits.
public struct HeldArticle: Sendable, Hashable {
  /// The article.
  public var article: Article
  /// What the operator said of the source it came from.
  public var subscribed: Category?
  /// How far that source is believed.
  public var trust: Trust
  /// When it was first seen.
  public var firstSeen: Timestamp
  /// When it is judged again; nil where only a later version can free it.
  public var until: Timestamp?

  /// An article that waits.
  public init(
    article: Article, subscribed: Category?, trust: Trust = .feed, firstSeen: Timestamp, until: Timestamp?
  ) {
    self.article = article
    self.subscribed = subscribed
    self.trust = trust
    self.firstSeen = firstSeen
    self.until = until
  }
}
