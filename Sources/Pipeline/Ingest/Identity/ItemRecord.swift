/// What is remembered of an item that a feed has held.
public struct ItemRecord: Sendable, Hashable {
  /// Its identity: what its document makes of its guid, else of its link, else of title and date.
  public var identity: String
  /// The id of its article: the identity under which it was first seen, whatever its publisher has called it since.
  public var article: String
  /// How often its words have changed, from 1 on.
  public var version: Int64
  /// Tells its words apart; nil in records of programs that did not ask.
  public var words: Int64?
  /// By what it is known again under another guid.
  public var keys: ItemKeys
  /// Whether the feed's latest document held it.
  public var isPresent: Bool

  /// What is remembered of an item.
  public init(identity: String, article: String, version: Int64, words: Int64?, keys: ItemKeys, isPresent: Bool) {
    self.identity = identity
    self.article = article
    self.version = version
    self.words = words
    self.keys = keys
    self.isPresent = isPresent
  }
}
