internal import CRdKafka
internal import Synchronization
public import Telemetry

/// Writes records and commits a consumer's offsets in transactions: who reads committed records only (`isolation.level`)
/// sees what was made of a record exactly when the group has gone past it, and once.
///
/// The consumer commits nothing by itself (`KafkaConsumer.Options.commitsByTransaction`). A transaction takes up what is
/// acknowledged by then, with all records that belong to it.
public final class KafkaTransactions: Sendable {
  /// What tells a process from others, and the bounds.
  public struct Options: Sendable {
    /// The `transactional.id`: the brokers let one process at a time write under it, the latest.
    public var id: String
    /// How often what waits is committed.
    public var interval = Duration.milliseconds(100)
    /// The longest record that is sent, in bytes; the topic may take less.
    public var recordBytesMax = 1_000_000
    /// How long closing may take.
    public var closeTimeout = Duration.seconds(5)

    /// Writes under this id.
    public init(id: String) { self.id = id }
  }

  private let board: TransactionBoard
  private let ended: EndSignal

  /// Writes for the group of this consumer. Does not wait for a broker. Throws where librdkafka refuses the settings.
  public init(
    _ settings: KafkaSettings, options: Options, consumer: KafkaConsumer, logger: Logger
  ) throws(KafkaError) {
    let logger = logger.with(["client": "transactions", "id": LogValue(options.id)])
    board = TransactionBoard()
    ended = EndSignal()
    let loop = TransactionLoop(
      try TransactionalProducer(settings, options: options, logger: logger), settings: settings, options: options,
      intake: consumer.intake, board: board, logger: logger)
    startThread { [ended] in
      loop.run()
      ended.signal()
    }
  }

  deinit { board.close() }

  /// Why no transaction can be made, in words; nil where one was, or none has been tried so far.
  public var fault: String? { board.fault }

  /// What ended it for good: another process writes under the same id.
  public var failure: KafkaError? { board.failure }

  /// Writes a record in the transaction that commits `origin`'s offset, or not at all where its partition goes to
  /// another member before. Call it before acknowledging `origin`. `substitute` is written where the brokers find the
  /// record too large.
  public func write(_ record: KafkaRecord, substitute: KafkaRecord? = nil, with origin: KafkaMessage.Token) {
    board.add(record, substitute: substitute, origin: origin)
  }

  /// Writes a record in a transaction and returns when that is committed. Throws the `KafkaError` that ended
  /// transactions for good, or that says that it is too large.
  public func write(_ record: KafkaRecord) async throws {
    try await board.add(record)
  }

  /// Commits what is acknowledged, and ends.
  public func close() async {
    board.close()
    await ended.wait()
  }
}

/// Where those who write and the thread that commits meet.
final class TransactionBoard: Sendable {
  private struct State {
    var pending = PendingRecords()
    var waiters: [Int: CheckedContinuation<Void, any Error>] = [:]
    var isClosed = false
    var failure: KafkaError?
    var fault: String?
  }

  private let state = Mutex(State())
  private let bell = ThreadBell()

  var fault: String? {
    get { state.withLock { $0.fault } }
    set { state.withLock { $0.fault = newValue } }
  }
  var failure: KafkaError? { state.withLock { $0.failure } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  func add(_ record: KafkaRecord, substitute: KafkaRecord?, origin: KafkaMessage.Token) {
    state.withLock { _ = $0.pending.add(record, substitute: substitute, origin: origin) }
  }

  func add(_ record: KafkaRecord) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let error = state.withLock { state -> KafkaError? in
        if let failure = state.failure { return failure }
        if state.isClosed { return KafkaError(RD_KAFKA_RESP_ERR__DESTROY, "the writer is closed") }
        state.waiters[state.pending.add(record, substitute: nil, origin: nil)] = continuation
        return nil
      }
      if let error { continuation.resume(throwing: error) }
    }
  }

  func close() {
    state.withLock { $0.isClosed = true }
    bell.ring()
  }

  /// Waits for so long, or until it is closed.
  func wait(_ duration: Duration) { bell.wait(duration) }

  func due(_ marks: [TopicPartition: PendingRecords.Mark]) -> [PendingRecords.Entry] {
    state.withLock { $0.pending.due(marks) }
  }

  func committed(_ entries: [PendingRecords.Entry]) {
    let waiters = state.withLock { state in
      state.fault = nil
      state.pending.remove(Set(entries.map(\.number)))
      return entries.compactMap { state.waiters.removeValue(forKey: $0.number) }
    }
    for waiter in waiters { waiter.resume() }
  }

  /// The brokers do not take a record for its size. False where nothing can stand in its place.
  func shorten(_ number: Int, _ error: KafkaError) -> Bool {
    let (isShortened, waiter) = state.withLock { state in
      (state.pending.shorten(number), state.waiters.removeValue(forKey: number))
    }
    waiter?.resume(throwing: error)
    return isShortened || waiter != nil
  }

  func end(_ failure: KafkaError?) {
    let waiters = state.withLock { state in
      state.failure = failure
      state.isClosed = true
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    let error = failure ?? KafkaError(RD_KAFKA_RESP_ERR__DESTROY, "the writer is closed")
    for waiter in waiters { waiter.resume(throwing: error) }
  }
}
