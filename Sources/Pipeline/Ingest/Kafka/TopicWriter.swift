public import Kafka
internal import Runtime
internal import Synchronization
public import Telemetry
public import Time

/// What a worker writes to Kafka: dead letters, decisions, feeds' articles. Waits for brokers as long as it takes.
///
/// With transactions what belongs to a record that was read is written together with its offset.
public final class TopicWriter: Sendable {
  private let open: @Sendable () throws(KafkaError) -> KafkaProducer
  private let producer: Mutex<KafkaProducer>
  private let transactions: KafkaTransactions?
  private let clock: any WallClock
  private let logger: Logger
  private let retry = RetryPolicy(first: .milliseconds(200), ceiling: .seconds(30))

  /// The brokers may take less than a record's reader does; this is more than any broker sends by default.
  static let recordBytesMax = 64 << 20

  /// A writer to these brokers. Does not wait for them. Throws where librdkafka refuses the settings.
  public init(
    _ settings: KafkaSettings, transactions: KafkaTransactions? = nil, clock: any WallClock, logger: Logger
  ) throws(KafkaError) {
    self.transactions = transactions
    self.clock = clock
    self.logger = logger
    open = { () throws(KafkaError) in
      var options = KafkaProducer.Options()
      options.recordBytesMax = Self.recordBytesMax
      return try KafkaProducer(settings, options: options, logger: logger)
    }
    producer = Mutex(try open())
  }

  /// Writes a record, however long that takes, and returns where it stands; nil where it will be written with the offset
  /// of `origin`. Call it before `origin` is acknowledged. `substitute` is written where the brokers find the record
  /// too large. Throws the `KafkaError` that no waiting heals, and `CancellationError`.
  @discardableResult
  public func write(
    _ record: KafkaRecord, substitute: KafkaRecord? = nil, with origin: KafkaMessage.Token? = nil
  ) async throws -> KafkaPlace? {
    if let transactions, let origin {
      transactions.write(record, substitute: substitute, with: origin)
      return nil
    }
    var record = record
    var substitute = substitute
    var failures = 0
    var generator = SystemRandomNumberGenerator()
    while true {
      do { return try await producer.withLock({ $0 }).send(record) } catch let error as KafkaError {
        if error.isTooLarge {
          guard let shorter = substitute else { throw error }
          record = shorter
          substitute = nil
          continue
        }
        failures += 1
        let wait = retry.delay(afterFailures: failures, using: &generator) ?? retry.ceiling
        logger.error(
          "kafka.writing_waits",
          ["topic": LogValue(record.topic), "reason": LogValue(error.description), "seconds": LogValue(wait)])
        if error.isFatal { reopen() }
        try await clock.sleep(for: wait)
      }
    }
  }

  /// Lets what is under way arrive, within bounds.
  public func close() async { await producer.withLock { $0 }.close() }

  /// A producer that failed for good is replaced; if that fails as well, the next try says so.
  private func reopen() {
    do throws(KafkaError) {
      let fresh = try open()
      producer.withLock { $0 = fresh }
    } catch {
      logger.error("kafka.writing_waits", ["reason": LogValue(error.description)])
    }
  }
}
