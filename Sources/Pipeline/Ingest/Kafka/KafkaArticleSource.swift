public import Kafka
public import News
public import Runtime
internal import Synchronization
public import Telemetry
public import Time

/// The articles that editors, and other workers, put on Kafka's topics.
///
/// As a source it gives them; as a service it watches over its place in the group, and leaves it when cancelled.
public final class KafkaArticleSource: ArticleSource, Service {
  /// What is read, and where what cannot be read goes.
  public struct Options: Sendable {
    /// The group whose members share the topics.
    public var group: String
    /// The topics, with what the operator says of each.
    public var topics: [FollowedTopic]
    /// The topic of dead letters.
    public var deadLetters: String
    /// The `transactional.id` under which offsets are committed together with what was made of the records; nil to
    /// commit them by themselves.
    public var transactionalID: String?
    /// How many records may be read whose effect is not committed.
    public var recordsMax = 4_096
    /// How many bytes they may take.
    public var bytesMax = 32 << 20
    /// Whether the topics are read again: what cannot be read was put aside then, and is passed over.
    public var isReplay = false

    /// What is read, and where what cannot be read goes.
    public init(group: String, topics: [FollowedTopic], deadLetters: String, transactionalID: String? = nil) {
      self.group = group
      self.topics = topics
      self.deadLetters = deadLetters
      self.transactionalID = transactionalID
    }
  }

  /// Its name in log lines and decisions.
  public let name = "kafka"

  /// Writes what belongs to the records that are read, with their offsets where there are transactions.
  public let writer: TopicWriter

  private let consumer: KafkaConsumer
  private let transactions: KafkaTransactions?
  private let deadLetters: DeadLetters
  private let registry: SchemaRegistry?
  private let isReplay: Bool
  private let followed: [String: FollowedTopic]
  private let clock: any WallClock
  private let logger: Logger
  private let metrics: KafkaMetrics

  /// How often the metrics are brought up to date.
  private static let watchInterval = Duration.seconds(1)
  /// How often a line says that no broker is there.
  private static let complaintInterval = Duration.seconds(60)

  /// Joins the group. `registry` is asked for the schemas of records in Confluent's wire format. Does not wait for a
  /// broker. Throws where librdkafka refuses the settings.
  public init(
    _ settings: KafkaSettings, options: Options, registry: SchemaRegistry? = nil, clock: any WallClock, logger: Logger,
    metrics: MetricRegistry
  ) throws(KafkaError) {
    var reading = KafkaConsumer.Options(group: options.group, topics: options.topics.map(\.topic))
    reading.messagesMax = options.recordsMax
    reading.bytesMax = options.bytesMax
    reading.commitsByTransaction = options.transactionalID != nil
    consumer = try KafkaConsumer(settings, options: reading, logger: logger)
    if let id = options.transactionalID {
      var writing = KafkaTransactions.Options(id: id)
      writing.recordBytesMax = TopicWriter.recordBytesMax
      transactions = try KafkaTransactions(settings, options: writing, consumer: consumer, logger: logger)
    } else {
      transactions = nil
    }
    writer = try TopicWriter(settings, transactions: transactions, clock: clock, logger: logger)
    deadLetters = DeadLetters(topic: options.deadLetters, writer: writer, logger: logger, metrics: metrics)
    self.registry = registry
    isReplay = options.isReplay
    followed = Dictionary(options.topics.map { ($0.topic, $0) }, uniquingKeysWith: { first, _ in first })
    self.clock = clock
    self.logger = logger
    self.metrics = KafkaMetrics(metrics)
  }

  /// Why no articles come, in words; nil where the group has been joined and a broker is there.
  public var fault: String? {
    let status = consumer.status
    return status.unreachableReason ?? status.fault ?? transactions?.fault
      ?? (status.hasJoined ? nil : "the group is not joined yet")
  }

  /// Waits until everything that the topics hold is read and its effect committed.
  public func caughtUp() async throws {
    while true {
      let status = consumer.status
      let isAtEnd = status.lags.count == status.partitions && status.lags.allSatisfy { $0.records == 0 }
      if status.partitions > 0, status.inFlight == 0, isAtEnd { return }
      try await clock.sleep(for: Self.watchInterval)
    }
  }

  /// Waits for articles and returns some, at most `limit`. What cannot be read is a dead letter by then.
  public func next(limit: Int) async throws -> [Inbound]? {
    while let messages = try await consumer.next(limit: limit) {
      var inbound: [Inbound] = []
      var unreadable: [(KafkaMessage, UnreadableRecord)] = []
      for message in messages {
        var followed = followed[message.place.topic] ?? FollowedTopic(topic: message.place.topic)
        let feed = FeedRecord.origin(of: message)
        if let feed {
          followed.trust = .feed
          followed.category = feed.subscribed ?? followed.category
        }
        var schema: SchemaRegistry.Schema?
        if let number = ArticleRecord.schemaNumber(of: message) { schema = try await registry?.schema(number) }
        do throws(UnreadableRecord) {
          let content = try ArticleRecord.content(of: message, from: followed, schema: schema)
          inbound.append(self.inbound(content, message, followed, feed))
        } catch {
          unreadable.append((message, error))
        }
      }
      metrics.read(messages)
      if isReplay {
        for (message, _) in unreadable { consumer.acknowledge(message.token) }
      } else {
        try await putAside(unreadable)
      }
      if !inbound.isEmpty { return inbound }
    }
    return nil
  }

  /// Watches until cancelled, then commits what is done and leaves the group. Throws what ends the consumer for good.
  public func run() async throws {
    var nextComplaint = clock.now
    var failure: KafkaError?
    while !Task.isCancelled, failure == nil {
      let status = consumer.status
      metrics.note(status, registryFault: registry?.fault)
      if let reason = status.unreachableReason, clock.now >= nextComplaint {
        nextComplaint = clock.now + Self.complaintInterval
        logger.warning("kafka.unreachable", ["reason": LogValue(reason)])
      }
      failure = status.failure
      do { try await clock.sleep(for: Self.watchInterval) } catch { break }
    }
    // While it is a member still.
    await transactions?.close()
    await consumer.close()
    await writer.close()
    if let failure { throw failure }
  }

  private func inbound(
    _ content: Inbound.Content, _ message: KafkaMessage, _ followed: FollowedTopic, _ feed: FeedRecord.Origin?
  ) -> Inbound {
    let (consumer, token, now) = (consumer, message.token, clock.now)
    var inbound = Inbound(
      content, subscribed: followed.category, trust: followed.trust,
      // A producer's clock may be ahead; nothing is first seen later than now.
      firstSeen: (feed?.firstSeen ?? message.timestamp).map { min($0, now) } ?? now
    ) {
      consumer.acknowledge(token)
    }
    inbound.origin = message.token
    inbound.isUpdate = feed?.isUpdate ?? false
    inbound.isVersionedByPlace = inbound.article?.version == message.place.offset
    return inbound
  }

  private func putAside(_ unreadable: [(KafkaMessage, UnreadableRecord)]) async throws {
    guard !unreadable.isEmpty else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (message, reason) in unreadable {
        group.addTask { [deadLetters, consumer] in
          try await deadLetters.add(message, because: reason)
          consumer.acknowledge(message.token)
        }
      }
      try await group.waitForAll()
    }
  }
}
