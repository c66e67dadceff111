internal import Kafka
internal import Synchronization
internal import Telemetry

/// What the source counts, and how it stands.
final class KafkaMetrics: Sendable {
  private let records: Counter
  private let reachable: Gauge
  private let joined: Gauge
  private let partitions: Gauge
  private let paused: Gauge
  private let inFlight: Gauge
  private let lag: Gauge
  private let rebalances: Counter
  private let registry: Gauge
  /// What was noted last: of what has changed since, only that is counted, and what is gone is forgotten.
  private let noted = Mutex(KafkaConsumer.Status())

  init(_ registry: MetricRegistry) {
    records = registry.counter("tidings_kafka_records_total", help: "Records read.", labels: ["topic"])
    reachable = registry.gauge("tidings_kafka_broker_reachable", help: "1 while a broker answers.")
    joined = registry.gauge("tidings_kafka_group_joined", help: "1 while this worker is a member of its group.")
    partitions = registry.gauge("tidings_kafka_partitions_assigned", help: "Partitions that this worker reads.")
    paused = registry.gauge(
      "tidings_kafka_partitions_paused",
      help: "Those of them that are paused because the stages behind are slow.")
    inFlight = registry.gauge("tidings_kafka_records_in_flight", help: "Records read whose effect is not committed.")
    lag = registry.gauge(
      "tidings_kafka_lag_records", help: "Records from the first whose effect is not committed to the partition's end.",
      labels: ["topic", "partition"])
    self.registry = registry.gauge(
      "tidings_kafka_registry_reachable", help: "0 while the schema registry does not answer as one.")
    rebalances = registry.counter(
      "tidings_kafka_rebalances_total",
      help: "Shares that the group gave this worker, took back, or had given to another before it knew.",
      labels: ["kind"])
    for kind in ["assigned", "revoked", "lost"] { rebalances.increment(by: 0, [kind]) }
  }

  func read(_ messages: [KafkaMessage]) {
    var counts: [String: Double] = [:]
    for message in messages { counts[message.place.topic, default: 0] += 1 }
    for (topic, count) in counts { records.increment(by: count, [topic]) }
  }

  func note(_ status: KafkaConsumer.Status, registryFault: String?) {
    registry.set(registryFault == nil ? 1 : 0)
    let earlier = noted.withLock { noted in
      defer { noted = status }
      return noted
    }
    reachable.set(status.unreachableReason == nil && status.hasJoined ? 1 : 0)
    joined.set(status.hasJoined ? 1 : 0)
    partitions.set(Double(status.partitions))
    paused.set(status.isPaused ? Double(status.partitions) : 0)
    inFlight.set(Double(status.inFlight))
    for lag in status.lags { self.lag.set(Double(lag.records), Self.labels(lag)) }
    for gone in Set(earlier.lags.map(Self.labels)).subtracting(status.lags.map(Self.labels)) { lag.remove(gone) }
    count("assigned", \.assigned, earlier, status)
    count("revoked", \.revoked, earlier, status)
    count("lost", \.lost, earlier, status)
  }

  private func count(
    _ kind: String, _ number: (KafkaConsumer.Rebalances) -> Int, _ earlier: KafkaConsumer.Status,
    _ status: KafkaConsumer.Status
  ) {
    rebalances.increment(by: Double(number(status.rebalances) - number(earlier.rebalances)), [kind])
  }

  private static func labels(_ lag: KafkaConsumer.Lag) -> [String] { [lag.topic, String(lag.partition)] }
}
