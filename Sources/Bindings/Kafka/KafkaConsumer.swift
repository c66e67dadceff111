internal import CRdKafka
internal import Synchronization
public import Telemetry

/// Reads the topics of a group, each record until it is acknowledged.
///
/// Records are read on a thread of the consumer's own, a bounded number ahead of who asks for them. A slow reader keeps
/// his place in the group: the partitions are paused and the thread goes on. What is acknowledged is committed in the
/// background, as the low-water mark of each partition, so that a record comes again, here or at another member,
/// unless it and all before it were acknowledged.
public final class KafkaConsumer: Sendable {
  /// What a consumer reads, and its bounds.
  public struct Options: Sendable {
    /// The group whose members share the topics.
    public var group: String
    /// The topics.
    public var topics: [String]
    /// How many records may be read and not acknowledged.
    public var messagesMax = 4_096
    /// How many bytes they may take.
    public var bytesMax = 32 << 20
    /// How often acknowledged offsets are committed: so much is read again after a crash.
    public var commitInterval = Duration.seconds(1)
    /// How long the bounds may be reached before the partitions are paused. Pausing throws away what librdkafka has
    /// fetched ahead, so a short stop does without; a long one would cost the place in the group.
    public var pauseAfter = Duration.seconds(1)
    /// How long closing may take: the last commit, and leaving the group.
    public var closeTimeout = Duration.seconds(5)
    /// Whether acknowledged offsets are committed by `KafkaTransactions`, with the records that belong to them.
    public var commitsByTransaction = false
    /// Where a group begins that has committed nothing, as librdkafka counts it; nil where that is an error.
    var startOfNewGroup: Int64?

    /// Reads these topics as a member of this group, within the usual bounds.
    public init(group: String, topics: [String]) {
      self.group = group
      self.topics = topics
    }
  }

  /// How a consumer stands.
  public struct Status: Sendable, Hashable {
    /// Why no broker is reached, in words; nil where one is, or none has been missed so far.
    public var unreachableReason: String?
    /// What a broker refuses, such as a topic that is not there, in words.
    public var fault: String?
    /// Whether the group has given this member its share, which may be empty.
    public var hasJoined = false
    /// How many partitions are assigned.
    public var partitions = 0
    /// How many records are read and not acknowledged.
    public var inFlight = 0
    /// How many partitions have acknowledged records that no broker has confirmed yet.
    public var uncommitted = 0
    /// What ended the consumer for good.
    public var failure: KafkaError?
    /// Whether the partitions are paused, because the bounds have been reached for some time.
    public var isPaused = false
    /// How far this member's partitions are behind, those of which that is known.
    public var lags: [Lag] = []
    /// How often partitions came and went so far.
    public var rebalances = Rebalances()

    /// How one stands that has just begun.
    public init() {}
  }

  /// How far a partition is behind.
  public struct Lag: Sendable, Hashable {
    /// The topic.
    public var topic: String
    /// The topic's partition, from 0.
    public var partition: Int32
    /// From the first record that is not acknowledged to the partition's end.
    public var records: Int
  }

  /// How often partitions came and went.
  public struct Rebalances: Sendable, Hashable {
    /// Shares that the group gave this member, empty ones as well.
    public var assigned = 0
    /// Shares that it took back.
    public var revoked = 0
    /// Shares that it had given to another before this member knew.
    public var lost = 0
  }

  let intake: Intake
  private let ended: EndSignal

  /// Joins a group. Does not wait for a broker. Throws where librdkafka refuses the settings.
  public init(_ settings: KafkaSettings, options: Options, logger: Logger) throws(KafkaError) {
    let logger = logger.with(["client": "consumer", "group": LogValue(options.group)])
    var options = options
    options.startOfNewGroup = settings.startOfNewGroup
    let configuration = try settings.configuration(
      defaults: [
        "client.id": "tidings", "partition.assignment.strategy": "cooperative-sticky",
        // A new group starts with what waits in the topic: nothing is lost.
        "auto.offset.reset": "earliest",
        // What librdkafka fetches ahead of the bounds here: so much unpacked, and one more answer of each broker, which
        // counts as it is packed. With its own sizes (64 MiB, 50 MiB, 1 MiB a partition) a backlog that packs well
        // filled 1.6 GiB. Less than a second's flow starves the reader: so long it waits where the queue was full.
        "queued.max.messages.kbytes": String(32 << 10), "fetch.max.bytes": String(4 << 20),
        "fetch.message.max.bytes": String(128 << 10),
        // A topic that is made later is found within so long; librdkafka's default is five minutes.
        "topic.metadata.refresh.interval.ms": "10000",
      ],
      fixed: [
        "group.id": options.group, "enable.auto.commit": "false", "enable.auto.offset.store": "false",
        "enable.partition.eof": "false",
      ])
    let events = ClientEvents(brokers: settings.bootstrapServers, logger: logger)
    configuration.with { conf in
      rd_kafka_conf_set_rebalance_cb(conf) { _, code, partitions, opaque in
        guard let partitions else { return }
        ClientEvents.from(opaque)?.group?.rebalance(code, partitions)
      }
      rd_kafka_conf_set_offset_commit_cb(conf) { _, code, offsets, opaque in
        guard let offsets else { return }
        ClientEvents.from(opaque)?.group?.committed(code, offsets)
      }
    }
    events.joins.watch(configuration)
    let handle = try ClientHandle(RD_KAFKA_CONSUMER, configuration, events: events)
    try KafkaError.check(rd_kafka_poll_set_consumer(handle.pointer))
    let topics = PartitionList()
    for topic in options.topics { topics.add(topic) }
    try KafkaError.check(rd_kafka_subscribe(handle.pointer, topics.pointer))

    intake = Intake(messagesMax: options.messagesMax, bytesMax: options.bytesMax, wake: ConsumerWaker(handle))
    if options.commitsByTransaction { intake.client = handle }
    ended = EndSignal()
    startThread { [intake, ended, options] in
      ConsumerLoop(handle, intake: intake, events: events, options: options, logger: logger).run()
      intake.client = nil
      ended.signal()
    }
  }

  deinit { intake.close() }

  /// How it stands now.
  public var status: Status { intake.status }

  /// Waits for records and returns some, at most `limit`, each partition's in order; nil once the consumer is closed.
  /// Throws `CancellationError` when cancelled while waiting, and the `KafkaError` that ended the consumer for good.
  public func next(limit: Int) async throws -> [KafkaMessage]? {
    try await intake.next(limit: limit)
  }

  /// Says that a record's effect is committed: it will not come again, once all before it are acknowledged as well.
  public func acknowledge(_ message: KafkaMessage.Token) { intake.acknowledge(message) }

  /// Stops reading, commits what is acknowledged and leaves the group; `next` returns nil from now on.
  public func close() async {
    intake.close()
    await ended.wait()
  }
}

/// Lets others wait until a thread has ended.
final class EndSignal: Sendable {
  private struct State {
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func signal() {
    let waiters = state.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiters.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}
