internal import Kafka
public import News
public import Runtime
public import Telemetry
public import Time

/// Puts the feeds' articles onto a topic, where the workers of a group share them, each until it stands there.
///
/// A crash between the topic and the inbox repeats a record; its article's id tells the reader that it is known.
public struct FeedRelay: Service {
  /// Its name in log lines.
  public let name = "feed-relay"

  private let source: any ArticleSource
  private let topic: String
  private let writer: TopicWriter
  private let logger: Logger
  private let clock: any WallClock
  private let relayed: Counter
  private let retry = RetryPolicy(first: .milliseconds(200), ceiling: .seconds(30))

  /// So many articles are under way at a time.
  private static let batchMax = 256

  /// A relay from the inbox to this topic.
  public init(
    source: any ArticleSource, topic: String, writer: TopicWriter, clock: any WallClock, logger: Logger,
    metrics: MetricRegistry
  ) {
    self.source = source
    self.topic = topic
    self.writer = writer
    self.clock = clock
    self.logger = logger
    relayed = metrics.counter(
      "tidings_kafka_feed_articles_total", help: "Articles of feeds that were put onto the topic.", labels: ["topic"])
  }

  /// Works until cancelled. What was not written by then stays in the inbox.
  public func run() async throws {
    while let batch = await next() {
      await withTaskGroup(of: Void.self) { group in
        for inbound in batch { group.addTask { await relay(inbound) } }
      }
    }
    await writer.close()
  }

  /// What the inbox gives next, however long it cannot be read; nil when cancelled.
  private func next() async -> [Inbound]? {
    try? await retry.run(
      clock: clock,
      judge: { error in
        logger.error("feed_relay.waiting", ["reason": LogValue(String(describing: error))])
        return .zero
      }, { try await source.next(limit: Self.batchMax) })
  }

  private func relay(_ inbound: Inbound) async {
    guard let record = FeedRecord.record(of: inbound, to: topic) else { return }
    do {
      let place = try await writer.write(record, substitute: FeedRecord.shortRecord(of: inbound, to: topic))
      try await inbound.acknowledge()
      relayed.increment([topic])
      logger.debug(
        "feed_relay.written",
        ["article": LogValue(inbound.articleID), "record": LogValue(place?.description ?? topic)])
    } catch is CancellationError {
      return
    } catch {
      // It stays in the inbox, and is tried again at the latest when the worker starts anew.
      logger.error(
        "feed_relay.failed", ["article": LogValue(inbound.articleID), "reason": LogValue(String(describing: error))])
    }
  }
}
