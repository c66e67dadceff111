internal import JSON
internal import Kafka
internal import News

/// Why a record is no article: what a dead letter says.
struct UnreadableRecord: Error, Hashable {
  /// How far reading came.
  enum Stage: String, CaseIterable {
    /// The record itself: its key, its size.
    case record
    /// Its value is no JSON.
    case parse
    /// The JSON is no article.
    case decode
  }

  let stage: Stage
  let message: String
}

/// Reads records as the article's format says.
enum ArticleRecord {
  /// A longer value is no article: one with ten translations has some 10 KiB.
  static let bytesMax = 1 << 20

  /// What a record of a followed topic says.
  static func content(
    of message: KafkaMessage, from followed: FollowedTopic
  ) throws(UnreadableRecord) -> Inbound.Content {
    guard let value = message.value else { return .withdrawal(articleID: try withdrawnID(message.key)) }
    guard value.count <= bytesMax else {
      throw UnreadableRecord(
        stage: .record, message: "the value is \(value.count) bytes long, at most \(bytesMax) are read")
    }
    if value.first == 0, value.count >= 5 {
      // No JSON begins with that byte: it is Confluent's wire format, then the schema's number.
      let schema = value[1..<5].reduce(0) { $0 << 8 | Int($1) }
      throw UnreadableRecord(
        stage: .record, message: "Confluent's wire format with schema \(schema); plain JSON is read")
    }
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue(parsing: value) } catch {
      throw UnreadableRecord(stage: .parse, message: "no JSON: \(error)")
    }
    guard try CloudEvent.mode(of: message, json) == .structured else {
      return .article(hinted(try article(json, of: message, at: ""), by: followed))
    }
    let (path, data) = try CloudEvent.data(of: json)
    return .article(hinted(try article(data, of: message, at: path), by: followed))
  }

  /// Reads our own format or ninjs. `path` is where the article stands in its record.
  private static func article(
    _ json: JSONValue, of message: KafkaMessage, at path: String
  ) throws(UnreadableRecord) -> Article {
    do throws(ArticleError) {
      // An absent version is the broker's offset: in one partition it grows as versions do.
      return try Article(editors: json, defaultVersion: message.place.offset)
    } catch {
      let place = [path, error.path].filter { !$0.isEmpty }.joined(separator: ".")
      throw UnreadableRecord(stage: .decode, message: "no article: \(ArticleError(path: place, reason: error.reason))")
    }
  }

  private static func withdrawnID(_ key: [UInt8]?) throws(UnreadableRecord) -> String {
    guard let key else {
      throw UnreadableRecord(
        stage: .record, message: "no value and no key: a record without a value withdraws the article of its key")
    }
    guard let id = String(validating: key, as: UTF8.self), !id.isEmpty, key.count <= Article.idBytesMax else {
      throw UnreadableRecord(stage: .record, message: "no value, and the key is no article's id")
    }
    return id
  }

  private static func hinted(_ article: Article, by followed: FollowedTopic) -> Article {
    var article = article
    if article.language == nil { article.language = followed.language }
    if article.source == nil { article.source = followed.topic }
    if followed.trust == .feed {
      article.terms += article.categories.map { CategoryTerm($0.rawValue) }
      article.categories = []
      article.urgency = nil
    }
    return article
  }
}
