internal import CRdKafka
public import Telemetry

/// Reads a topic up to where it ends when reading begins. Joins no group and commits nothing.
public struct TopicReader: Sendable {
  private let settings: KafkaSettings
  private let topic: String
  private let logger: Logger

  /// How long the brokers may take to say what there is.
  private static let answerMilliseconds: Int32 = 10_000
  /// How long they may be silent while there is more to read.
  private static let silenceMax = Duration.seconds(30)
  private static let waitMilliseconds: Int32 = 200

  /// A reader of this topic.
  public init(_ settings: KafkaSettings, topic: String, logger: Logger) {
    self.settings = settings
    self.topic = topic
    self.logger = logger
  }

  /// Hands over the records, each partition's in order, until there are no more or `body` returns false. It is called on
  /// a thread of the reader's own.
  ///
  /// - Throws: the `KafkaError` of a topic or brokers that are not there, and what `body` throws.
  public func read(
    _ body: @escaping @Sendable (KafkaMessage) throws -> Bool
  ) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      startThread {
        continuation.resume(with: Result { try readAll(body) })
      }
    }
  }

  private func readAll(_ body: (KafkaMessage) throws -> Bool) throws {
    let configuration = try settings.configuration(
      defaults: ["client.id": "tidings", "queued.max.messages.kbytes": String(16 << 10)],
      fixed: [
        // Wanted by the client although it joins none.
        "group.id": "tidings-reader", "enable.auto.commit": "false", "enable.auto.offset.store": "false",
        "auto.offset.reset": "earliest", "enable.partition.eof": "true",
      ])
    let events = ClientEvents(brokers: settings.bootstrapServers, logger: logger)
    let handle = try ClientHandle(RD_KAFKA_CONSUMER, configuration, events: events)
    try KafkaError.check(rd_kafka_poll_set_consumer(handle.pointer))
    var ends = try ends(of: handle)
    var sign = ContinuousClock.now
    while !ends.isEmpty {
      guard let pointer = rd_kafka_consumer_poll(handle.pointer, Self.waitMilliseconds) else {
        if ContinuousClock.now - sign > Self.silenceMax {
          throw KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT, events.unreachableReason ?? "no more comes from \(topic)")
        }
        continue
      }
      defer { rd_kafka_message_destroy(pointer) }
      sign = .now
      let partition = pointer.pointee.partition
      switch pointer.pointee.err {
      case RD_KAFKA_RESP_ERR_NO_ERROR:
        guard let end = ends[partition] else { continue }
        if pointer.pointee.offset < end {
          guard try body(KafkaMessage(copying: pointer, topic: topic, assignment: 0)) else { return }
        }
        if pointer.pointee.offset + 1 >= end { ends[partition] = nil }
      // Its last records may be marks of transactions, which are not handed over.
      case RD_KAFKA_RESP_ERR__PARTITION_EOF: ends[partition] = nil
      case let code: throw KafkaError(code)
      }
    }
  }

  /// Where each partition ends that has something to read, once they are assigned.
  private func ends(of handle: ClientHandle) throws(KafkaError) -> [Int32: Int64] {
    let list = PartitionList()
    var ends: [Int32: Int64] = [:]
    for partition in try partitions(handle) {
      var (low, high): (Int64, Int64) = (0, 0)
      try KafkaError.check(
        rd_kafka_query_watermark_offsets(handle.pointer, topic, partition, &low, &high, Self.answerMilliseconds))
      guard high > low else { continue }
      list.add(topic, partition, offset: low)
      ends[partition] = high
    }
    guard list.count > 0 else { return [:] }
    try KafkaError.check(rd_kafka_assign(handle.pointer, list.pointer))
    return ends
  }

  private func partitions(_ handle: ClientHandle) throws(KafkaError) -> [Int32] {
    let topicHandle = rd_kafka_topic_new(handle.pointer, topic, nil)
    defer { if let topicHandle { rd_kafka_topic_destroy(topicHandle) } }
    var metadata: UnsafePointer<rd_kafka_metadata>?
    try KafkaError.check(
      rd_kafka_metadata(handle.pointer, 0, topicHandle, &metadata, Self.answerMilliseconds))
    defer { rd_kafka_metadata_destroy(metadata) }
    guard let found = metadata?.pointee, found.topic_cnt > 0, let topics = found.topics else { return [] }
    let description = topics[0]
    try KafkaError.check(description.err)
    guard let partitions = description.partitions else { return [] }
    return (0..<Int(description.partition_cnt)).map { partitions[$0].id }
  }
}
