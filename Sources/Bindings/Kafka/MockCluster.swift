internal import CRdKafka
internal import Synchronization
internal import Telemetry

/// A broker inside this process, for demonstrations and tests: it speaks Kafka's protocol on loopback to any client.
/// Keeps everything in memory, about 5 MB a partition, and forgets what is older.
///
/// Sendable because librdkafka takes these calls from any thread.
public final class MockCluster: @unchecked Sendable {
  private let host: ClientHandle
  private let cluster: OpaquePointer

  /// Starts brokers on ports that the system chooses. A topic that nobody has made is made at first use, with four
  /// partitions.
  public init(brokers: Int = 1) throws(KafkaError) {
    host = try ClientHandle(
      RD_KAFKA_PRODUCER, ClientConfiguration(), events: ClientEvents(brokers: "", logger: .silent))
    guard let cluster = rd_kafka_mock_cluster_new(host.pointer, Int32(brokers)) else {
      throw KafkaError(RD_KAFKA_RESP_ERR__FAIL, "no broker can be started in this process")
    }
    self.cluster = cluster
  }

  deinit {
    // Before the client that hosts it.
    rd_kafka_mock_cluster_destroy(cluster)
  }

  /// The brokers' addresses, `host:port` with commas between.
  public var bootstrapServers: String { String(cString: rd_kafka_mock_cluster_bootstraps(cluster)) }

  /// Makes a topic.
  public func createTopic(_ name: String, partitions: Int) throws(KafkaError) {
    try KafkaError.check(rd_kafka_mock_topic_create(cluster, name, Int32(partitions), 1))
  }

  /// Closes a broker's connections and refuses new ones, or lets them in again. Brokers are numbered from 1.
  public func setBroker(_ number: Int, isUp: Bool) throws(KafkaError) {
    let change = isUp ? rd_kafka_mock_broker_set_up : rd_kafka_mock_broker_set_down
    try KafkaError.check(change(cluster, Int32(number)))
  }

  /// Answers the next requests of a kind (`ApiKey` in Kafka's protocol) with these codes, one each.
  public func failRequests(apiKey: Int16, with codes: [Int32]) {
    let errors = codes.map { rd_kafka_resp_err_t(rawValue: $0) }
    rd_kafka_mock_push_request_errors_array(cluster, apiKey, errors.count, errors)
  }
}
