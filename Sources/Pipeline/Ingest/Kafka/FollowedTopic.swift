public import News

/// A topic that the operator follows, and what he says of it.
public struct FollowedTopic: Sendable, Hashable {
  /// The topic's name.
  public var topic: String
  /// What everything in it is about, where the operator says so.
  public var category: Category?
  /// The language of its articles where they do not say, a BCP 47 tag.
  public var language: String?
  /// How far it is believed.
  public var trust: Trust

  /// A topic that the operator follows.
  public init(topic: String, category: Category? = nil, language: String? = nil, trust: Trust = .editor) {
    self.topic = topic
    self.category = category
    self.language = language
    self.trust = trust
  }
}
