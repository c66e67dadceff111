internal import CRdKafka
internal import Runtime
internal import Synchronization
public import Telemetry

/// Writes records, each once however often its request has to be repeated (an idempotent producer), in the order of
/// their keys.
public final class KafkaProducer: Sendable {
  /// The bounds of a producer.
  public struct Options: Sendable {
    /// The longest record that is sent, in bytes; the topic may take less.
    public var recordBytesMax = 1_000_000
    /// How many records may be under way; who sends more waits.
    public var recordsMax = 10_000
    /// How long records are collected before they are sent together.
    public var linger = Duration.milliseconds(5)
    /// How long a record may take to arrive; nil for librdkafka's own patience, five minutes.
    public var deliveryTimeout: Duration?

    /// The usual bounds.
    public init() {}
  }

  private let handle: ClientHandle
  private let events: ClientEvents
  private let permits: Permits
  private let isClosed = Atomic(false)

  /// A producer. Does not wait for a broker. Throws where librdkafka refuses the settings.
  public init(_ settings: KafkaSettings, options: Options = Options(), logger: Logger) throws(KafkaError) {
    var fixed = ["message.max.bytes": String(max(options.recordBytesMax, 1_000) + Self.overheadBytes)]
    if let timeout = options.deliveryTimeout { fixed["message.timeout.ms"] = String(milliseconds(timeout)) }
    let configuration = try settings.configuration(
      defaults: [
        "client.id": "tidings", "enable.idempotence": "true", "compression.type": "lz4",
        "linger.ms": String(milliseconds(options.linger)),
        // As the clients on the JVM and kafka-python spread keys, so that one key's records stay together.
        "partitioner": "murmur2_random",
      ],
      fixed: fixed)
    configuration.with { conf in
      rd_kafka_conf_set_dr_msg_cb(conf) { _, message, _ in
        guard let message, let context = message.pointee._private else { return }
        Unmanaged<Shipment>.fromOpaque(context).takeRetainedValue().arrive(message.pointee)
      }
    }
    events = ClientEvents(brokers: settings.bootstrapServers, logger: logger.with(["client": "producer"]))
    handle = try ClientHandle(RD_KAFKA_PRODUCER, configuration, events: events)
    permits = Permits(options.recordsMax)
    startServing()
  }

  deinit { isClosed.store(true, ordering: .releasing) }

  /// Why no broker is reached, in words; nil where one is, or none has been missed so far.
  public var unreachableReason: String? { events.unreachableReason }

  /// Writes a record and returns where it stands once the brokers have it.
  ///
  /// librdkafka repeats what can heal until `message.timeout.ms` has passed. Throws `KafkaError`, and
  /// `CancellationError` when cancelled: the record may be written all the same.
  @discardableResult
  public func send(_ record: KafkaRecord) async throws -> KafkaPlace {
    try await permits.take()
    let shipment = Shipment(record.topic, permits: permits, events: events)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        shipment.begin(continuation)
        guard !isClosed.load(ordering: .acquiring) else {
          return shipment.fail(KafkaError(RD_KAFKA_RESP_ERR__DESTROY, "the producer is closed"))
        }
        let context = Unmanaged.passRetained(shipment)
        do throws(KafkaError) { try handle.produce(record, context: context.toOpaque()) } catch {
          context.release()
          shipment.fail(error)
        }
      }
    } onCancel: {
      shipment.cancel()
    }
  }

  /// Lets what is under way arrive, at most for so long, and ends. What has not arrived then fails.
  public func close(timeout: Duration = .seconds(5)) async {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let handle = handle
    await withCheckedContinuation { continuation in
      startThread {
        rd_kafka_flush(handle.pointer, milliseconds(timeout))
        Self.giveUp(handle)
        continuation.resume()
      }
    }
  }

  /// Room for the key, the headers and the protocol's own bytes of a record.
  static let overheadBytes = 64 << 10
  /// How long a serving thread may take to notice that its producer is gone.
  private static let serveMilliseconds: Int32 = 100

  /// Hands delivery reports out on a thread that ends with this producer.
  private func startServing() {
    let handle = handle
    startThread { [weak self] in
      while let isClosed = self?.isClosed.load(ordering: .acquiring), !isClosed {
        rd_kafka_poll(handle.pointer, Self.serveMilliseconds)
      }
      Self.giveUp(handle)
    }
  }

  /// Has what is still under way reported as failed.
  private static func giveUp(_ handle: ClientHandle) {
    rd_kafka_purge(handle.pointer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT)
    rd_kafka_flush(handle.pointer, 1000)
  }
}

/// A record under way, and who waits for it. Kept alive by librdkafka until it reports.
private final class Shipment: Sendable {
  private enum State {
    case new, cancelled, ended
    case waiting(CheckedContinuation<KafkaPlace, any Error>)
  }

  private let topic: String
  private let permits: Permits
  private let events: ClientEvents
  private let state = Mutex(State.new)

  init(_ topic: String, permits: Permits, events: ClientEvents) {
    self.topic = topic
    self.permits = permits
    self.events = events
  }

  func begin(_ continuation: CheckedContinuation<KafkaPlace, any Error>) {
    let isCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .waiting(continuation)
      return false
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
  }

  /// What librdkafka reports in the end of every record that it took.
  func arrive(_ message: rd_kafka_message_t) {
    if message.err == RD_KAFKA_RESP_ERR_NO_ERROR {
      events.reached()
      end { $0.resume(returning: KafkaPlace(topic: topic, partition: message.partition, offset: message.offset)) }
    } else {
      fail(events.fatalError ?? KafkaError(message.err))
      return
    }
    permits.giveBack()
  }

  func fail(_ error: KafkaError) {
    end { $0.resume(throwing: error) }
    permits.giveBack()
  }

  /// The permit stays with the record until librdkafka reports it.
  func cancel() {
    let continuation = state.withLock { state -> CheckedContinuation<KafkaPlace, any Error>? in
      guard case .waiting(let continuation) = state else {
        if case .new = state { state = .cancelled }
        return nil
      }
      state = .ended
      return continuation
    }
    continuation?.resume(throwing: CancellationError())
  }

  private func end(_ resume: (CheckedContinuation<KafkaPlace, any Error>) -> Void) {
    let continuation = state.withLock { state -> CheckedContinuation<KafkaPlace, any Error>? in
      defer { state = .ended }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    if let continuation { resume(continuation) }
  }
}
