/// What the operator follows: a feed's address and what he knows of it.
public struct Subscription: Sendable, Hashable {
  /// The feed's address, absolute; also its identity.
  public var url: String
  /// What its log lines and articles call it; the address's host where the operator gave no name.
  public var name: String
  /// What everything in it is about, where the operator says so.
  public var category: Category?
  /// The language of its items where the feed does not say, a BCP 47 tag.
  public var language: String?
  /// How often to look, where the operator wants another rhythm than the usual one.
  public var interval: Duration?

  /// A subscription to a feed.
  public init(
    url: String, name: String, category: Category? = nil, language: String? = nil, interval: Duration? = nil
  ) {
    self.url = url
    self.name = name
    self.category = category
    self.language = language
    self.interval = interval
  }
}
