// Ingest: turns the feeds of the web into articles, each once. Never knows what becomes of them.
public import Time

/// A feed as one fetch found it: what it says about itself, and its items in document order.
public struct FeedDocument: Sendable {
  /// What kind of feed it is.
  public var format: FeedFormat
  /// The feed's name, as plain text.
  public var title: String?
  /// The page that the feed is about, absolute.
  public var link: String?
  /// The language it says it is in, as written.
  public var language: String?
  /// What it says about itself, as plain text.
  public var description: String?
  /// A picture of the feed, absolute.
  public var image: String?
  /// When it was last changed, by its own account.
  public var updated: Timestamp?
  /// The address that the feed gives as its own.
  public var selfLink: String?
  /// WebSub hubs that announce its changes.
  public var hubLinks: [String] = []
  /// How often it wants to be fetched.
  public var refresh = RefreshHints()
  /// The items.
  public var items: [FeedItem] = []
  /// What was wrong with the document and has been mended, a sentence each.
  public var repairs: [String] = []

  init(format: FeedFormat) { self.format = format }

  /// When a feed wants to be fetched, in its own words.
  public struct RefreshHints: Sendable, Hashable {
    /// RSS `ttl`: minutes that a copy may be kept.
    public var timeToLiveMinutes: Int?
    /// RSS `skipHours`: hours of the day, UTC, in which nothing changes.
    public var skipHours: Set<Int> = []
    /// RSS `skipDays`: days of the week in which nothing changes, 0 for Sunday.
    public var skipDays: Set<Int> = []
    /// `sy:updatePeriod`: hourly, daily, weekly, monthly, yearly.
    public var updatePeriod: String?
    /// `sy:updateFrequency`: how many times in a period.
    public var updateFrequency: Int?
    /// `sy:updateBase`: when the periods begin.
    public var updateBase: Timestamp?
  }

  /// How much of a stranger's document is read.
  public struct Limits: Sendable, Hashable {
    /// Bytes of a document as it came. The largest real feeds, podcasts with all their episodes, are near ten million.
    public var documentBytesMax = 32 << 20
    /// Bytes of a JSON document: its tree is many times as large.
    public var jsonBytesMax = 8 << 20
    /// Bytes of one text.
    public var textBytesMax = 8 << 20
    /// Items; what a document has beyond is left out, with a note.
    public var itemsMax = 20_000
    /// Elements inside elements.
    public var depthMax = 256

    /// Limits that no honest feed meets.
    public static let `default` = Limits()

    /// The default limits, to be changed one by one.
    public init() {}
  }
}
