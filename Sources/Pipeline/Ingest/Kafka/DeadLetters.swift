internal import Kafka
internal import Telemetry
internal import Time

/// Puts what cannot be read aside, as it came, for a person to look at.
final class DeadLetters: Sendable {
  private let topic: String
  private let writer: TopicWriter
  private let logger: Logger
  private let letters: Counter

  /// Reasons are for a person; a document that breaks at every place must not make a header of its size.
  private static let messageBytesMax = 4 << 10

  init(topic: String, writer: TopicWriter, logger: Logger, metrics: MetricRegistry) {
    self.topic = topic
    self.writer = writer
    self.logger = logger
    letters = metrics.counter(
      "tidings_kafka_dead_letters_total", help: "Records put aside, by how far reading them came.",
      labels: ["topic", "stage"])
  }

  /// Writes a record to the dead-letter topic, however long that takes. Throws only when cancelled.
  func add(_ message: KafkaMessage, because reason: UnreadableRecord) async throws {
    let record = KafkaRecord(
      topic: topic, key: message.key, value: message.value, headers: Self.headers(of: message, reason))
    // Where the brokers do not take it for its size, the original stays where it is, and the letter says where.
    var substitute = record
    substitute.value = []
    substitute.headers.append(
      KafkaHeader("tidings.value.omitted", "\(message.value?.count ?? 0) bytes: more than the brokers take"))
    let place: KafkaPlace?
    do { place = try await writer.write(record, substitute: substitute, with: message.token) } catch let error
      as KafkaError
    {
      return logger.error(
        "kafka.dead_letter_impossible",
        [
          "record": LogValue(message.place.description), "stage": LogValue(reason.stage.rawValue),
          "reason": LogValue(reason.message), "why": LogValue(error.description),
        ])
    }
    letters.increment([message.place.topic, reason.stage.rawValue])
    logger.warning(
      "kafka.dead_letter",
      [
        "record": LogValue(message.place.description), "stage": LogValue(reason.stage.rawValue),
        "reason": LogValue(reason.message), "letter": LogValue(place?.description ?? topic),
      ])
  }

  /// The record's own headers, then ours. A letter that was put back and cannot be read again counts on.
  static func headers(of message: KafkaMessage, _ reason: UnreadableRecord) -> [KafkaHeader] {
    let attempts = message.headers.last { $0.name == "tidings.attempts" }?.value
      .flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    var headers = message.headers.filter { !$0.name.hasPrefix("tidings.") }
    headers.append(KafkaHeader("tidings.error.stage", reason.stage.rawValue))
    headers.append(KafkaHeader("tidings.error.message", clipped(reason.message)))
    headers.append(KafkaHeader("tidings.source.topic", message.place.topic))
    headers.append(KafkaHeader("tidings.source.partition", String(message.place.partition)))
    headers.append(KafkaHeader("tidings.source.offset", String(message.place.offset)))
    if let timestamp = message.timestamp {
      headers.append(KafkaHeader("tidings.source.timestamp", timestamp.rfc3339))
    }
    headers.append(KafkaHeader("tidings.attempts", String((attempts ?? 0) + 1)))
    return headers
  }

  private static func clipped(_ message: String) -> String {
    message.utf8.count <= messageBytesMax
      ? message : String(decoding: message.utf8.prefix(messageBytesMax), as: UTF8.self)
  }
}
