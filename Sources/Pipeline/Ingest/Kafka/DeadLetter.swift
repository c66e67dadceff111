public import JSON
public import Kafka
internal import Time

/// A record of the dead-letter topic: what could not be read, as it came, and why. Pure.
public struct DeadLetter: Sendable, Hashable {
  /// The record.
  public let record: KafkaMessage
  /// How far reading came: `record`, `parse` or `decode`.
  public let stage: String
  /// Why it could not be read.
  public let message: String
  /// Where the original stood.
  public let source: KafkaPlace
  /// When the original was written, an RFC 3339 date-time; nil where nobody said.
  public let sourceTimestamp: String?
  /// How often reading it has failed.
  public let attempts: Int
  /// Why the letter holds less than the original; nil where it holds all of it.
  public let omitted: String?

  private static let markPrefix = "tidings.redriven."

  /// The letter that a record is; nil for one that no worker has put aside.
  public init?(_ record: KafkaMessage) {
    guard let stage = record.text("tidings.error.stage"), let topic = record.text("tidings.source.topic"),
      let partition = record.text("tidings.source.partition").flatMap({ Int32($0) }),
      let offset = record.text("tidings.source.offset").flatMap({ Int64($0) })
    else { return nil }
    self.record = record
    self.stage = stage
    message = record.text("tidings.error.message") ?? ""
    source = KafkaPlace(topic: topic, partition: partition, offset: offset)
    sourceTimestamp = record.text("tidings.source.timestamp")
    attempts = record.text("tidings.attempts").flatMap { Int($0) } ?? 1
    omitted = record.text("tidings.value.omitted")
  }

  /// The original, for its topic: key, value and headers as they were. How often it has failed stays with it, so that a
  /// letter about it counts on.
  public var original: KafkaRecord {
    let own = record.headers.filter { !$0.name.hasPrefix("tidings.") }
    return KafkaRecord(
      topic: source.topic, key: record.key, value: record.value,
      headers: own + [KafkaHeader("tidings.attempts", String(attempts))])
  }

  /// A mark in the topic of dead letters that this letter was put back, there.
  public func mark(of place: KafkaPlace) -> KafkaRecord {
    KafkaRecord(
      topic: record.place.topic, key: record.key, value: [],
      headers: [
        KafkaHeader(Self.markPrefix + "letter", record.place.description),
        KafkaHeader(Self.markPrefix + "to", place.description),
      ])
  }

  /// What a record marks as put back, and where it stands now; nil for what is no mark.
  public static func mark(in record: KafkaMessage) -> (letter: String, place: String)? {
    guard let letter = record.text(markPrefix + "letter"), let place = record.text(markPrefix + "to") else {
      return nil
    }
    return (letter, place)
  }

  /// The letter without its value, for programs.
  public var json: JSONValue {
    var object: JSONObject = ["letter": .string(record.place.description)]
    object["time"] = record.timestamp.map { .string($0.rfc3339) }
    object["key"] = record.key.map { .string(String(decoding: $0, as: UTF8.self)) }
    object["stage"] = .string(stage)
    object["message"] = .string(message)
    object["source"] = .string(source.description)
    object["sourceTime"] = sourceTimestamp.map { .string($0) }
    object["attempts"] = .number(JSONNumber(attempts))
    object["bytes"] = .number(JSONNumber(record.value?.count ?? 0))
    object["omitted"] = omitted.map { .string($0) }
    return .object(object)
  }
}
