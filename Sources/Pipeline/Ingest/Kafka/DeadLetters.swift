internal import Kafka
internal import Runtime
internal import Synchronization
internal import Telemetry
internal import Time

/// Puts what cannot be read aside, as it came, for a person to look at.
final class DeadLetters: Sendable {
  private let topic: String
  private let open: @Sendable () throws(KafkaError) -> KafkaProducer
  private let producer: Mutex<KafkaProducer>
  private let clock: any WallClock
  private let logger: Logger
  private let letters: Counter
  private let retry = RetryPolicy(first: .milliseconds(200), ceiling: .seconds(30))

  /// The brokers may take less than a record's reader does; this is more than any broker sends by default.
  private static let recordBytesMax = 64 << 20
  /// Reasons are for a person; a document that breaks at every place must not make a header of its size.
  private static let messageBytesMax = 4 << 10

  init(
    _ settings: KafkaSettings, topic: String, clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) throws(KafkaError) {
    self.topic = topic
    self.clock = clock
    self.logger = logger
    open = { () throws(KafkaError) in
      var options = KafkaProducer.Options()
      options.recordBytesMax = Self.recordBytesMax
      options.linger = .zero
      return try KafkaProducer(settings, options: options, logger: logger)
    }
    producer = Mutex(try open())
    letters = metrics.counter(
      "tidings_kafka_dead_letters_total", help: "Records put aside, by how far reading them came.",
      labels: ["topic", "stage"])
  }

  /// Writes a record to the dead-letter topic, however long that takes. Throws only when cancelled.
  func add(_ message: KafkaMessage, because reason: UnreadableRecord) async throws {
    let record = KafkaRecord(
      topic: topic, key: message.key, value: message.value, headers: Self.headers(of: message, reason))
    let place = try await send(record)
    letters.increment([message.place.topic, reason.stage.rawValue])
    logger.warning(
      "kafka.dead_letter",
      [
        "record": LogValue(message.place.description), "stage": LogValue(reason.stage.rawValue),
        "reason": LogValue(reason.message), "letter": LogValue(place.description),
      ])
  }

  func close() async { await producer.withLock { $0 }.close() }

  private func send(_ record: KafkaRecord) async throws -> KafkaPlace {
    var record = record
    var failures = 0
    var generator = SystemRandomNumberGenerator()
    while true {
      do { return try await producer.withLock({ $0 }).send(record) } catch let error as KafkaError {
        if error.isTooLarge, let value = record.value {
          // The original stays where it is, and the letter says where.
          record.headers.append(KafkaHeader("tidings.value.omitted", "\(value.count) bytes: \(error)"))
          record.value = []
          continue
        }
        failures += 1
        let wait = retry.delay(afterFailures: failures, using: &generator) ?? retry.ceiling
        logger.error(
          "kafka.dead_letter_waiting", ["reason": LogValue(error.description), "seconds": LogValue(wait)])
        if error.isFatal { reopen() }
        try await clock.sleep(for: wait)
      }
    }
  }

  /// A producer that failed for good is replaced; if that fails as well, the next try says so.
  private func reopen() {
    do throws(KafkaError) {
      let fresh = try open()
      producer.withLock { $0 = fresh }
    } catch {
      logger.error("kafka.dead_letter_waiting", ["reason": LogValue(error.description)])
    }
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
