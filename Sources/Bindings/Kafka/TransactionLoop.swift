internal import CRdKafka
internal import Telemetry

/// The thread that makes transactions.
///
/// Sendable because everything that changes is touched only by that thread.
final class TransactionLoop: @unchecked Sendable {
  private var producer: TransactionalProducer
  private let settings: KafkaSettings
  private let options: KafkaTransactions.Options
  private let intake: Intake
  private let board: TransactionBoard
  private let logger: Logger
  /// Whether the brokers know of this process, and have ended what an earlier one had begun.
  private var isReady = false
  private var failures = 0

  /// How long the brokers may take for one step. librdkafka goes on with what took longer when it is asked again.
  private static let stepMilliseconds: Int32 = 5_000
  private static let firstPause = Duration.milliseconds(100)
  private static let pauseMax = Duration.seconds(10)

  init(
    _ producer: TransactionalProducer, settings: KafkaSettings, options: KafkaTransactions.Options, intake: Intake,
    board: TransactionBoard, logger: Logger
  ) {
    self.producer = producer
    self.settings = settings
    self.options = options
    self.intake = intake
    self.board = board
    self.logger = logger
  }

  func run() {
    var isLast = false
    while !isLast {
      board.wait(failures == 0 ? options.interval : pause)
      isLast = board.isClosed
      do throws(KafkaError) {
        try turn()
        failures = 0
      } catch {
        failures += 1
        board.fault = error.description
        logger.warning("kafka.transaction_failed", ["reason": LogValue(error.description)])
        if error.isFenced {
          logger.error(
            "kafka.fenced", ["reason": "another process writes under the same transactional id: give each its own"])
          intake.fail(error)
          return board.end(error)
        }
        if error.isFatal { reopen() }
      }
    }
    board.end(nil)
  }

  private var pause: Duration {
    min(Self.firstPause * (1 << min(failures, 10)), Self.pauseMax)
  }

  private func reopen() {
    do throws(KafkaError) {
      producer = try TransactionalProducer(settings, options: options, logger: logger)
      isReady = false
    } catch {
      logger.error("kafka.transaction_failed", ["reason": LogValue(error.description)])
    }
  }

  /// One transaction, where there is something to commit.
  private func turn() throws(KafkaError) {
    if !isReady {
      try producer.begin(within: Self.stepMilliseconds)
      isReady = true
    }
    // The marks first: what belongs to them was written before they were moved.
    let marks = intake.transactionMarks()
    let entries = board.due(marks.mapValues { PendingRecords.Mark(next: $0.next, assignment: $0.assignment) })
    let offsets = marks.filter { $0.value.isUncommitted }
    guard !entries.isEmpty || !offsets.isEmpty else { return }

    try KafkaError.check(rd_kafka_begin_transaction(producer.pointer))
    do throws(KafkaError) {
      let tooLarge = try producer.send(entries)
      if let (number, error) = tooLarge {
        if !board.shorten(number, error) {
          logger.error("kafka.record_too_large", ["reason": LogValue(error.description)])
        }
        throw error
      }
      if !offsets.isEmpty {
        guard let client = intake.client else {
          throw KafkaError(RD_KAFKA_RESP_ERR__DESTROY, "the consumer is closed")
        }
        try producer.commit(offsets.mapValues(\.next), of: client, within: Self.stepMilliseconds)
      }
      try producer.commit(within: Self.stepMilliseconds)
    } catch {
      if !error.isFatal { producer.abort(within: Self.stepMilliseconds, logger) }
      if error.isTooLarge { return try turn() }
      throw error
    }
    board.committed(entries)
    for (partition, mark) in offsets { intake.confirm(partition, mark.next) }
  }
}

/// Owns a transactional producer, which one thread uses.
final class TransactionalProducer {
  private let handle: ClientHandle
  private let failed: FailedRecords

  var pointer: OpaquePointer { handle.pointer }

  init(_ settings: KafkaSettings, options: KafkaTransactions.Options, logger: Logger) throws(KafkaError) {
    let configuration = try settings.configuration(
      defaults: [
        "client.id": "tidings", "compression.type": "lz4", "linger.ms": "0", "partitioner": "murmur2_random",
      ],
      fixed: [
        "transactional.id": options.id, "enable.idempotence": "true",
        "message.max.bytes": String(max(options.recordBytesMax, 1_000) + KafkaProducer.overheadBytes),
      ])
    let failed = FailedRecords()
    self.failed = failed
    configuration.with { conf in
      rd_kafka_conf_set_dr_msg_cb(conf) { client, message, _ in
        guard let message, message.pointee.err != RD_KAFKA_RESP_ERR_NO_ERROR, let client,
          let failed = ClientEvents.of(client)?.failedRecords
        else { return }
        failed.add(Int(bitPattern: message.pointee._private), KafkaError(message.pointee.err))
      }
    }
    let events = ClientEvents(brokers: settings.bootstrapServers, logger: logger, failedRecords: failed)
    handle = try ClientHandle(RD_KAFKA_PRODUCER, configuration, events: events)
  }

  /// Ends what an earlier process with the same id has begun, and lets this one write.
  func begin(within milliseconds: Int32) throws(KafkaError) {
    try KafkaError.check(rd_kafka_init_transactions(pointer, milliseconds))
  }

  /// Writes records in the transaction under way. The number of one that is too large, with what says so.
  func send(_ entries: [PendingRecords.Entry]) throws(KafkaError) -> (number: Int, error: KafkaError)? {
    _ = failed.take()
    for entry in entries {
      while true {
        do throws(KafkaError) {
          try handle.produce(entry.record, context: UnsafeMutableRawPointer(bitPattern: entry.number))
          break
        } catch {
          if error.isTooLarge { return (entry.number, error) }
          guard error.code == RD_KAFKA_RESP_ERR__QUEUE_FULL.rawValue else { throw error }
          rd_kafka_poll(pointer, 10)
        }
      }
      rd_kafka_poll(pointer, 0)
    }
    rd_kafka_flush(pointer, 5_000)
    if let (number, error) = failed.take() {
      if error.isTooLarge { return (number, error) }
      throw error
    }
    return nil
  }

  /// Puts a consumer's offsets into the transaction under way.
  func commit(
    _ offsets: [TopicPartition: Int64], of consumer: ClientHandle, within milliseconds: Int32
  ) throws(KafkaError) {
    let list = PartitionList()
    for (partition, offset) in offsets { list.add(partition.topic, partition.partition, offset: offset) }
    guard let metadata = rd_kafka_consumer_group_metadata(consumer.pointer) else {
      throw KafkaError(RD_KAFKA_RESP_ERR__STATE, "the consumer is in no group")
    }
    defer { rd_kafka_consumer_group_metadata_destroy(metadata) }
    try KafkaError.check(rd_kafka_send_offsets_to_transaction(pointer, list.pointer, metadata, milliseconds))
  }

  func commit(within milliseconds: Int32) throws(KafkaError) {
    try KafkaError.check(rd_kafka_commit_transaction(pointer, milliseconds))
  }

  /// Takes back what the transaction under way has written; what cannot be taken back in time is at the next try.
  func abort(within milliseconds: Int32, _ logger: Logger) {
    if let error = rd_kafka_abort_transaction(pointer, milliseconds) {
      let error = KafkaError(owning: error)
      logger.warning("kafka.abort_failed", ["reason": LogValue(error.description)])
    }
  }
}

/// Records of a transaction that did not arrive. Used by one thread: librdkafka reports from the calls that it makes.
///
/// Sendable for that reason.
final class FailedRecords: @unchecked Sendable {
  private var first: (number: Int, error: KafkaError)?

  func add(_ number: Int, _ error: KafkaError) {
    // The reason stands before its consequences: one that is too large has the others thrown away.
    if first == nil || error.isTooLarge { first = (number, error) }
  }

  func take() -> (number: Int, error: KafkaError)? {
    defer { first = nil }
    return first
  }
}
