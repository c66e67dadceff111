internal import CRdKafka

/// What librdkafka or a broker refused, and what to do about it.
public struct KafkaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// librdkafka's number: below zero its own failures, above zero those that a broker answered.
  public let code: Int32
  /// The code's name, such as `_TRANSPORT` or `TOPIC_AUTHORIZATION_FAILED`.
  public let name: String
  /// What went wrong, in librdkafka's words or ours.
  public let message: String
  /// Whether the same call may go well later.
  public let isRetriable: Bool
  /// Whether the client that failed is of no use any more: another has to be made.
  public let isFatal: Bool
  /// Whether it is a setting that this version of librdkafka does not know.
  let isUnknownProperty: Bool

  init(
    _ code: rd_kafka_resp_err_t, _ message: String? = nil, isRetriable: Bool? = nil, isFatal: Bool = false,
    isUnknownProperty: Bool = false
  ) {
    self.code = code.rawValue
    name = String(cString: rd_kafka_err2name(code))
    self.message = message ?? String(cString: rd_kafka_err2str(code))
    self.isRetriable = isRetriable ?? Self.retriable.contains(code.rawValue)
    self.isFatal = isFatal || code == RD_KAFKA_RESP_ERR__FATAL
    self.isUnknownProperty = isUnknownProperty
  }

  /// Takes over an `rd_kafka_error_t`.
  init(owning error: OpaquePointer) {
    defer { rd_kafka_error_destroy(error) }
    self.init(
      rd_kafka_error_code(error), String(cString: rd_kafka_error_string(error)),
      isRetriable: rd_kafka_error_is_retriable(error) != 0 ? true : nil, isFatal: rd_kafka_error_is_fatal(error) != 0)
  }

  /// The fault that ended a client for good.
  init(fatalFaultOf client: OpaquePointer) {
    var text = ErrorText()
    let code = text.filled { rd_kafka_fatal_error(client, $0, $1) }
    self.init(code, text.text, isRetriable: false, isFatal: true)
  }

  /// Throws where librdkafka reports a failure.
  static func check(_ code: rd_kafka_resp_err_t) throws(KafkaError) {
    if code != RD_KAFKA_RESP_ERR_NO_ERROR { throw KafkaError(code) }
  }

  /// Throws where librdkafka returned a failure, which is the caller's to free.
  static func check(_ error: OpaquePointer?) throws(KafkaError) {
    if let error { throw KafkaError(owning: error) }
  }

  /// Failures of the network, of a broker that is busy with something, or of a queue that is full.
  private static let retriable: Set<Int32> = Set(
    [
      RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__TIMED_OUT, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
      RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__RESOLVE, RD_KAFKA_RESP_ERR__QUEUE_FULL,
      RD_KAFKA_RESP_ERR__WAIT_COORD, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
      RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
      RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION,
      RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
      RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
      RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND, RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS,
      RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED, RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,
    ].map(\.rawValue))

  /// Whether a record is larger than the client or the broker takes.
  public var isTooLarge: Bool {
    code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE.rawValue || code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE.rawValue
      || code == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE.rawValue
  }

  /// Whether another client has taken this one's place: its transactional id is in use.
  var isFenced: Bool {
    code == RD_KAFKA_RESP_ERR__FENCED.rawValue || code == RD_KAFKA_RESP_ERR_PRODUCER_FENCED.rawValue
      || code == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH.rawValue
  }

  /// What the operator can do; nil where it is the program that must change.
  public var advice: String? {
    switch rd_kafka_resp_err_t(rawValue: code) {
    case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__TIMED_OUT,
      RD_KAFKA_RESP_ERR__MSG_TIMED_OUT:
      "look whether the brokers run, and whether the addresses that they advertise are reached from here"
    case RD_KAFKA_RESP_ERR__RESOLVE: "look for a mistake in the broker's name, or for a name server that is down"
    case RD_KAFKA_RESP_ERR__SSL: "look at ssl.ca.location, and whether the broker's listener speaks TLS"
    case RD_KAFKA_RESP_ERR__AUTHENTICATION, RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
      RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
      "look at security.protocol and the sasl properties; the broker's log says what it missed"
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED: "give this user the right to read or write the topic"
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED: "give this user the right to read with the group"
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      "give this user the right IdempotentWrite on the cluster, or set enable.idempotence to false"
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC: "create the topic"
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE: "raise max.message.bytes of the topic, or send less"
    case RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED: "raise max.poll.interval.ms"
    case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
      "another process runs with the same group.instance.id: give each its own"
    case RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL:
      "all members of a group need one partition.assignment.strategy: stop the others before this one is changed"
    default: nil
    }
  }

  /// One sentence without its full stop: what went wrong, its name, what to do.
  public var description: String {
    let text = "\(message) (Kafka code \(name))"
    return advice.map { "\(text); \($0)" } ?? text
  }
}
