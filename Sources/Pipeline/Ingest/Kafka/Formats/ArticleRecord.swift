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

  /// The number of the schema by which a record is written in Confluent's wire format: a zero, with which no JSON
  /// begins, the number, then the data. Nil for what is not.
  static func schemaNumber(of message: KafkaMessage) -> Int? {
    guard let value = message.value, value.count >= 5, value[0] == 0 else { return nil }
    return value[1..<5].reduce(0) { $0 << 8 | Int($1) }
  }

  /// What a record of a followed topic says. `schema` is that of its number, where it has one and a registry is known.
  static func content(
    of message: KafkaMessage, from followed: FollowedTopic, schema: SchemaRegistry.Schema? = nil
  ) throws(UnreadableRecord) -> Inbound.Content {
    guard let value = message.value else { return .withdrawal(articleID: try withdrawnID(message.key)) }
    guard value.count <= bytesMax else {
      throw UnreadableRecord(
        stage: .record, message: "the value is \(value.count) bytes long, at most \(bytesMax) are read")
    }
    let json = try json(of: message, value, by: schema)
    guard try CloudEvent.mode(of: message, json) == .structured else {
      return .article(hinted(try article(json, of: message, at: ""), by: followed))
    }
    let (path, data) = try CloudEvent.data(of: json)
    return .article(hinted(try article(data, of: message, at: path), by: followed))
  }

  /// The record's value as JSON, whatever it is written in.
  private static func json(
    of message: KafkaMessage, _ value: [UInt8], by schema: SchemaRegistry.Schema?
  ) throws(UnreadableRecord) -> JSONValue {
    var text = value[...]
    if let number = schemaNumber(of: message) {
      let name = "Confluent's wire format with schema \(number)"
      text = text.dropFirst(5)
      switch schema {
      case .json: break
      case .avro(let schema):
        do throws(AvroError) { return try AvroDatum.json(text, by: schema) } catch {
          let place = error.path.isEmpty ? "" : "\(error.path): "
          throw UnreadableRecord(stage: .parse, message: "\(name): \(place)\(error.reason)")
        }
      case .unreadable(let reason): throw UnreadableRecord(stage: .record, message: "\(name): \(reason)")
      case nil:
        throw UnreadableRecord(
          stage: .record, message: "\(name): kafka.schemaRegistry names no registry to ask for it")
      }
    }
    do throws(JSONError) { return try JSONValue(parsing: Array(text)) } catch {
      throw UnreadableRecord(stage: .parse, message: "no JSON: \(error)")
    }
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
