internal import Ingest
internal import JSON
internal import Kafka
internal import News
internal import Publish
internal import Telemetry

/// Puts decisions onto a topic, a record an article, keyed by the article's id.
struct DecisionTopic: DecisionLog {
  private let topic: String
  private let writer: TopicWriter
  private let logger: Logger
  private let written: Counter

  init(topic: String, writer: TopicWriter, logger: Logger, metrics: MetricRegistry) {
    self.topic = topic
    self.writer = writer
    self.logger = logger
    written = metrics.counter(
      "tidings_kafka_decisions_total", help: "Decisions by whether they were put onto their topic.",
      labels: ["outcome"])
  }

  func write(_ decision: Decision, about inbound: Inbound) async throws {
    let origin = inbound.origin as? KafkaMessage.Token
    guard case .object(var object) = decision.json else { return }
    object["record"] = origin.map { .string($0.description) }
    let record = KafkaRecord(
      topic: topic, key: Array(decision.articleID.utf8), value: Array(JSONValue.object(object).text().utf8))
    do {
      try await writer.write(record, with: origin)
      written.increment(["written"])
    } catch let error as KafkaError {
      // No waiting heals it. The store has the decision.
      written.increment(["refused"])
      logger.error(
        "kafka.decision_refused",
        ["article": LogValue(decision.articleID), "reason": LogValue(error.description)])
    }
  }
}
