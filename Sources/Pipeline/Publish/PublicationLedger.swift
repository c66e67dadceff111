public import News
public import Push
public import Time

/// What Publish must remember: what was told, what is held, and why. Implemented in Stores; one contract suite runs on
/// every implementation.
public protocol PublicationLedger: Sendable {
  /// Claims the right to tell a story, in one transaction: joins the article to the story that it belongs to (by its
  /// id, else by its canonical link, else by likeness to the first article of a story that has a category in common, else
  /// a new one), then takes the place (story, kind) if it is free. A version that is outdated or withdrawn claims
  /// nothing; a higher one takes over the claim of a lower that is not settled.
  func claim(_ claim: Claim) async throws -> ClaimAnswer

  /// Notes what became of a claim, with the decision, in one transaction. What is known to be sent stays sent. What is
  /// held of the article in versions up to the decision's is let go: it is decided.
  func settle(_ publication: Publication, as outcome: PublicationOutcome, decision: Decision) async throws

  /// What is known of the parts of a claimed publication that have left or are about to.
  func parts(of publication: Publication) async throws -> [PublicationPart]

  /// Asks whether a part may leave for an outlet, and notes that it leaves: from now on, until it is settled or
  /// postponed, nobody can know whether the hub has it. It may not where it has left more often than the `departures`
  /// that the caller knows of.
  func depart(for outlet: String, of publication: Publication, after departures: Int) async throws -> Departure

  /// Notes that a part was not taken, after the hub's own word: as if it had not left.
  func postpone(for outlet: String, of publication: Publication) async throws

  /// Notes what became of a part. What is known to be sent stays sent.
  func settle(for outlet: String, of publication: Publication, as outcome: PublicationOutcome) async throws

  /// Notes a decision that sends nothing, and lets go of what is held of the article in versions up to the decision's:
  /// a cancelled article must not come out of its embargo.
  func record(_ decision: Decision) async throws

  /// Keeps an article until its time comes, with the decision, in one transaction. An article that is held already is
  /// replaced by a version that is at least as high.
  func hold(_ held: HeldArticle, decision: Decision) async throws

  /// Held articles whose time has come, the earliest first.
  func heldArticles(due now: Timestamp, limit: Int) async throws -> [HeldArticle]

  /// When the next held article's time comes; nil where none waits for a time.
  func nextRelease() async throws -> Timestamp?

  /// Lets go of a held article: its effect is committed. What was held anew meanwhile, as another version or until
  /// another time, stays.
  func release(_ held: HeldArticle) async throws

  /// How far an article's versions have come.
  func standing(of articleID: String) async throws -> ArticleStanding

  /// Withdraws an article, in one transaction: lets go of what is held of it, ends a claim that is not settled, and
  /// notes the decision. From then on the versions that are withdrawn have no effect.
  func withdraw(_ withdrawal: Withdrawal) async throws -> WithdrawalAnswer

  /// The latest decision about an article.
  func decision(articleID: String) async throws -> Decision?

  /// Whether an article has been told, or was to be told, with this content.
  func wasTold(articleID: String, digest: Int64) async throws -> Bool

  /// Forgets stories that nobody has claimed since, with their publications, decisions that are older, and articles
  /// held without an end that were first seen before. Forgets at most `limit` of them and returns how many: fewer than
  /// `limit` when none are left.
  func forget(before: Timestamp, limit: Int) async throws -> Int
}

/// A wish to tell a story.
public struct Claim: Sendable {
  /// The article's id.
  public var articleID: String
  /// The article's version.
  public var version: Int64
  /// Tells contents of one version apart.
  public var digest: Int64?
  /// Its canonical link, where it has one: articles that share it are one story.
  public var canonicalLink: String?
  /// How the article may be recognised as one of another source's story; nil for neither joining nor beginning one so.
  public var recognition: Recognition?
  /// Alert, correction or retraction.
  public var kind: PublicationKind
  /// What the story is about, as far as this article tells.
  public var categories: [Category]
  /// The id that the notification will have; the ledger keeps it, so that a repeated send carries the same.
  public var notificationID: NotificationID
  /// When it was claimed.
  public var time: Timestamp

  /// A wish to tell a story.
  public init(
    articleID: String, version: Int64, digest: Int64? = nil, canonicalLink: String?,
    recognition: Recognition? = nil, kind: PublicationKind, categories: [Category], notificationID: NotificationID,
    time: Timestamp
  ) {
    self.articleID = articleID
    self.version = version
    self.digest = digest
    self.canonicalLink = canonicalLink
    self.recognition = recognition
    self.kind = kind
    self.categories = categories
    self.notificationID = notificationID
    self.time = time
  }
}

/// What a publication is for.
public enum PublicationKind: Sendable, Hashable {
  /// The story is told for the first time.
  case alert
  /// What was told is corrected, by that version.
  case correction(version: Int64)
  /// What was told is withdrawn.
  case retraction

  /// The kind in the ledger: `alert`, `correction-3`, `retraction`.
  public var key: String {
    switch self {
    case .alert: "alert"
    case .correction(let version): "correction-\(version)"
    case .retraction: "retraction"
    }
  }

  /// The kind as the notification's `kind` property names it.
  public var name: String {
    switch self {
    case .alert: "alert"
    case .correction: "correction"
    case .retraction: "retraction"
    }
  }
}

/// A place in the ledger: that story, told for that reason, once.
public struct Publication: Sendable, Hashable {
  /// The story, named after the first article that joined it.
  public let storyID: String
  /// What it is for.
  public let kind: PublicationKind
  /// The article that claimed it.
  public let articleID: String
  /// In this version.
  public let version: Int64
  /// With this content, where it is known.
  public let digest: Int64?
  /// What the story is about, by all articles that have joined it so far, the first one's first.
  public let categories: [Category]
  /// The notification's id.
  public let notificationID: NotificationID
  /// When it was claimed first.
  public let time: Timestamp

  /// A place in the ledger.
  public init(
    storyID: String, kind: PublicationKind, articleID: String, version: Int64 = 1, digest: Int64? = nil,
    categories: [Category], notificationID: NotificationID, time: Timestamp
  ) {
    self.storyID = storyID
    self.kind = kind
    self.articleID = articleID
    self.version = version
    self.digest = digest
    self.categories = categories
    self.notificationID = notificationID
    self.time = time
  }
}

/// What a claim was answered.
public enum ClaimAnswer: Sendable, Hashable {
  /// The place is this article's: send it, then settle.
  case claimed(Publication)
  /// This article had claimed it before and it is not known to be sent: a crash or an outage came between.
  case resumed(Publication)
  /// The story is told or being told already: by that article, as that notification. The claimant's categories are
  /// recorded with the story.
  case told(Publication)
  /// The same, and the article is of the story because it is so much like its first one.
  case retold(Publication, StoryLikeness)
  /// The version has no effect.
  case refused(ArticleRefusal)
}

/// What became of a claimed publication.
public enum PublicationOutcome: Sendable, Hashable {
  /// The hub took it.
  case sent(Receipt)
  /// The hub will never take it, for that reason.
  case refused(reason: String)
  /// It may have been sent and nobody can know: the answer was lost.
  case unknown(reason: String)
}
