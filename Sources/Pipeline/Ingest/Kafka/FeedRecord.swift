internal import JSON
internal import Kafka
internal import News
internal import Time

/// A feed's article as a record of a topic: the article in its format, and in headers what only the feed's reader knows.
/// Pure.
enum FeedRecord {
  /// When the article was first seen. Its being there says that the article is a feed's, and believed as such.
  private static let firstSeen = "feed-first-seen"
  /// What the operator said of the feed.
  private static let category = "feed-category"
  /// Whether it is a later version of an item.
  private static let update = "feed-update"

  /// The record of an article from the inbox; nil for what is no article.
  static func record(of inbound: Inbound, to topic: String) -> KafkaRecord? {
    guard let article = inbound.article else { return nil }
    var headers = [KafkaHeader(firstSeen, inbound.firstSeen.rfc3339)]
    if let subscribed = inbound.subscribed { headers.append(KafkaHeader(category, subscribed.rawValue)) }
    if inbound.isUpdate { headers.append(KafkaHeader(update, "1")) }
    return KafkaRecord(
      topic: topic, key: Array(article.id.utf8), value: Array(article.json.text().utf8), headers: headers)
  }

  /// The same with the headline only, for brokers that do not take the whole.
  static func shortRecord(of inbound: Inbound, to topic: String) -> KafkaRecord? {
    guard var article = inbound.article else { return nil }
    article.text = Article.Text(headline: article.text.headline, summary: nil)
    article.translations = [:]
    article.terms = []
    var short = Inbound(
      article: article, subscribed: inbound.subscribed, trust: inbound.trust, firstSeen: inbound.firstSeen
    ) {}
    short.isUpdate = inbound.isUpdate
    return record(of: short, to: topic)
  }

  /// What the headers say of the article in a record; nil where it is no feed's. Headers that cannot be read are
  /// unknown, so that the article is judged by when the record was written.
  static func origin(of message: KafkaMessage) -> Origin? {
    func text(_ name: String) -> String? {
      message.headers.last { $0.name == name }?.value.flatMap { String(validating: $0, as: UTF8.self) }
    }
    guard message.headers.contains(where: { $0.name == firstSeen }) else { return nil }
    return Origin(
      firstSeen: text(firstSeen).flatMap { Timestamp(rfc3339: $0) },
      subscribed: text(category).flatMap(Category.init(rawValue:)), isUpdate: text(update) == "1")
  }

  /// What only the feed's reader knows.
  struct Origin: Hashable {
    let firstSeen: Timestamp?
    let subscribed: Category?
    let isUpdate: Bool
  }
}
