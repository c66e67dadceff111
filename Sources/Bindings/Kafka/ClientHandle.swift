internal import CRdKafka
internal import Glibc
internal import Synchronization
internal import Telemetry

/// Owns an `rd_kafka_t`. The order of its end is written here and nowhere else: the client with its threads, which may
/// still speak to `events`, then `events`.
///
/// Sendable because librdkafka's calls may come from any thread; what only one thread may do is done by the types that
/// hold a handle.
final class ClientHandle: @unchecked Sendable {
  let pointer: OpaquePointer
  private let events: ClientEvents

  /// Makes a client from a configuration. Its log lines and faults go to `events`.
  init(_ type: rd_kafka_type_t, _ configuration: ClientConfiguration, events: ClientEvents) throws(KafkaError) {
    self.events = events
    configuration.with { conf in
      rd_kafka_conf_set_opaque(conf, Unmanaged.passUnretained(events).toOpaque())
      rd_kafka_conf_set_log_cb(conf) { client, level, facility, text in
        guard let events = ClientEvents.of(client), let facility, let text else { return }
        events.log(level, String(cString: facility), String(cString: text))
      }
      rd_kafka_conf_set_error_cb(conf) { client, code, reason, opaque in
        ClientEvents.from(opaque)?.fault(code, reason.map { String(cString: $0) } ?? "", of: client)
      }
    }
    pointer = try configuration.makeClient(type)
  }

  /// Leaves the client running until the process ends: for one that cannot be ended.
  func abandon() { _ = Unmanaged.passRetained(self) }

  deinit {
    // A consumer has left its group before; if it could not, trying again would only take longer.
    rd_kafka_destroy_flags(pointer, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
    withExtendedLifetime(events) {}
  }
}

/// What librdkafka tells about a client beside records: its log, and whether brokers are reached.
final class ClientEvents: Sendable {
  private let logger: Logger
  private let brokers: String
  private let unreachable = Mutex<String?>(nil)
  private let fatal = Mutex<KafkaError?>(nil)
  private let member = Mutex<ConsumerLoop?>(nil)
  /// Whether a consumer is about to join its group anew.
  let joins = JoinWatch()

  /// Where a transaction's records go that did not arrive.
  let failedRecords: FailedRecords?

  init(brokers: String, logger: Logger, failedRecords: FailedRecords? = nil) {
    self.failedRecords = failedRecords
    self.brokers = brokers
    self.logger = logger
  }

  /// The events of a client; nil in the moment in which it is being made.
  static func of(_ client: OpaquePointer?) -> ClientEvents? { client.flatMap { from(rd_kafka_opaque($0)) } }

  /// The events behind an opaque pointer.
  static func from(_ opaque: UnsafeMutableRawPointer?) -> ClientEvents? {
    opaque.map { Unmanaged<ClientEvents>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Why no broker is reached, in words; nil where one is, or none has been missed so far.
  var unreachableReason: String? { unreachable.withLock { $0 } }

  /// Who hears of the group: the consumer's thread, while it runs.
  var group: ConsumerLoop? {
    get { member.withLock { $0 } }
    set { member.withLock { $0 = newValue } }
  }

  /// What ended the client for good.
  var fatalError: KafkaError? { fatal.withLock { $0 } }

  /// A broker has answered.
  func reached() {
    guard
      unreachable.withLock({ reason in
        defer { reason = nil }
        return reason != nil
      })
    else { return }
    logger.info("kafka.reached", ["brokers": LogValue(brokers)])
  }

  /// No broker answers.
  func miss() { unreachable.withLock { $0 = $0 ?? "no broker at \(brokers)" } }

  func fault(_ code: Int32, _ reason: String, of client: OpaquePointer?) {
    let code = rd_kafka_resp_err_t(rawValue: code)
    switch code {
    case RD_KAFKA_RESP_ERR__FATAL:
      guard let client else { return }
      let error = KafkaError(fatalFaultOf: client)
      fatal.withLock { $0 = $0 ?? error }
      logger.error("kafka.fatal", ["reason": LogValue(error.description)])
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
      miss()
    case RD_KAFKA_RESP_ERR__RESOLVE, RD_KAFKA_RESP_ERR__SSL, RD_KAFKA_RESP_ERR__AUTHENTICATION:
      unreachable.withLock { $0 = "no broker at \(brokers): \(reason)" }
    default:
      logger.debug("kafka.fault", ["code": LogValue(KafkaError(code).name), "reason": LogValue(reason)])
    }
  }

  /// librdkafka repeats what the client's state says already, so most of its lines are for who looks for a fault.
  func log(_ level: Int32, _ facility: String, _ text: String) {
    switch level {
    case ...LOG_CRIT:
      logger.error("kafka.log", ["facility": LogValue(facility), "text": LogValue(text)])
    default:
      logger.debug("kafka.log", ["facility": LogValue(facility), "text": LogValue(text)])
    }
  }
}

/// Runs `body` on a thread of its own, for work that blocks.
func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { argument in
      Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue().body()
      return nil
    }, Unmanaged.passRetained(Start(body)).toOpaque())
  // Threads are made with a client only; without them it cannot work.
  guard code == 0 else { fatalError("no thread can be started: \(String(cString: strerror(code)))") }
  pthread_detach(thread)
}

/// Milliseconds as librdkafka counts them.
func milliseconds(_ duration: Duration) -> Int32 { Int32(clamping: Int64(duration / .milliseconds(1))) }
