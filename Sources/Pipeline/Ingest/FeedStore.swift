public import News
public import Time

/// What Ingest must remember of feeds. Implemented in Stores; one contract suite runs on every implementation.
public protocol FeedStore: Sendable {
  /// What is known of a feed, by its address; nil before its first poll.
  func feedState(_ url: String) async throws -> FeedState?

  /// What is known of all feeds, by address.
  func feedStates() async throws -> [FeedState]

  /// Stores a poll's outcome in one transaction: the state, what is remembered of the items and, for what this feed has
  /// never held before, rows of the inbox: the last `newItemsMax` of them, the others are only noted. With `isBaseline`
  /// all are. What it has held under another name is not new; what has changed its words enters the inbox as a later
  /// version (see `Recollection`). Returns how many articles are new to the feed; the same poll again finds none.
  func commit(_ poll: Poll) async throws -> Int

  /// The oldest articles of the inbox after a row, in the order they came.
  func inbox(after row: Int64, limit: Int) async throws -> [InboxRow]

  /// Removes rows from the inbox: their effect is committed.
  func acknowledge(_ rows: [Int64]) async throws

  /// Forgets identities that a document read before that time was the first to miss, none since having held them. While
  /// a feed's document stays the same, nothing of it is forgotten, however old. Forgets at most `limit` and returns how
  /// many: fewer than `limit` when none are left.
  func forgetIdentities(unseenSince: Timestamp, limit: Int) async throws -> Int
}

/// What is known of a feed between two polls.
public struct FeedState: Sendable, Hashable {
  /// The feed's address, as subscribed.
  public var url: String
  /// Where it is fetched since its publisher has moved it for good; nil while that is `url`.
  public var address: String?
  /// Where a permanent redirect has led once: the next poll confirms it or does not.
  public var movingTo: String?
  /// The validator `ETag`, byte for byte as the server sent it.
  public var entityTag: String?
  /// The validator `Last-Modified`, byte for byte as the server sent it.
  public var lastModified: String?
  /// A digest of the last body, for servers whose validators lie; lower-case hex.
  public var contentHash: String?
  /// When to look next.
  public var nextCheck: Timestamp
  /// Why then, in words.
  public var nextCheckReason: String
  /// When a poll last succeeded; nil before the first, which is the silent baseline.
  public var lastSuccess: Timestamp?
  /// When it was last tried.
  public var lastAttempt: Timestamp?
  /// What went wrong the last time, in words; nil after a success.
  public var lastError: String?
  /// How many polls in a row have failed.
  public var failures: Int
  /// How many polls in a row were answered by 410.
  public var goneCount = 0
  /// Why the feed is not polled any more, in words; nil while it is.
  public var disabledReason: String?
  /// When its publisher wants it fetched.
  public var wishes = PublisherWishes()
  /// The title that the feed gives itself.
  public var title: String?

  /// What is known of a feed that was never polled.
  public init(url: String, nextCheck: Timestamp, nextCheckReason: String) {
    self.url = url
    self.nextCheck = nextCheck
    self.nextCheckReason = nextCheckReason
    failures = 0
  }
}

/// The outcome of one poll.
public struct Poll: Sendable {
  /// The feed's state from now on.
  public var state: FeedState
  /// The document's articles in the order to be told (the oldest first); empty where nothing was read.
  public var articles: [Article]
  /// The keys of guids that are addresses, by the articles' ids.
  public var guidKeys: [String: Int64] = [:]
  /// What the operator said of the feed.
  public var subscribed: Category?
  /// When the document was read: the `firstSeen` of what is new.
  public var time: Timestamp
  /// Whether the articles are only to be noted: the silent baseline of a first successful poll.
  public var isBaseline: Bool
  /// New articles that may enter the inbox, the newest, and as many changed ones: a feed that has become another floods
  /// nobody.
  public var newItemsMax: Int

  /// The outcome of one poll.
  public init(
    state: FeedState, articles: [Article], subscribed: Category?, time: Timestamp, isBaseline: Bool,
    newItemsMax: Int = 50
  ) {
    self.state = state
    self.newItemsMax = newItemsMax
    self.articles = articles
    self.subscribed = subscribed
    self.time = time
    self.isBaseline = isBaseline
  }
}

/// An article that waits in the inbox.
public struct InboxRow: Sendable {
  /// Its place; later ones are greater.
  public let row: Int64
  /// The article.
  public let article: Article
  /// What the operator said of its feed.
  public let subscribed: Category?
  /// When it was first seen.
  public let firstSeen: Timestamp

  /// An article that waits in the inbox.
  public init(row: Int64, article: Article, subscribed: Category?, firstSeen: Timestamp) {
    self.row = row
    self.article = article
    self.subscribed = subscribed
    self.firstSeen = firstSeen
  }
}
