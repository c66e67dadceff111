internal import CRdKafka
internal import Telemetry
internal import Time

/// The thread that reads for a consumer, and its place in the group.
///
/// Sendable because everything that changes is touched only by that thread: librdkafka calls back from the calls that
/// the thread makes.
final class ConsumerLoop: @unchecked Sendable {
  private let handle: ClientHandle
  private let queries: OffsetQueries
  private let intake: Intake
  private let events: ClientEvents
  private let options: KafkaConsumer.Options
  private let logger: Logger

  private var isPaused = false
  /// Whether the group has ever given this member its share.
  private var hasEverJoined = false
  /// What came although there was no room.
  private var early = EarlyRecords()
  /// Since when there has been no room.
  private var fullSince: ContinuousClock.Instant?
  private var nextCommit = ContinuousClock.now
  private var isCommitting = false
  private var nextProbe = ContinuousClock.now
  /// When a broker last gave a sign of life, and how many questions it has not answered since.
  private var lastSign = ContinuousClock.now
  private var unanswered = 0
  private var nextLook = ContinuousClock.now
  private var fault: (text: String, since: ContinuousClock.Instant)?
  /// The last record's topic by librdkafka's handle: neighbours share it, and making its text costs.
  private var lastTopic: (handle: OpaquePointer, name: String)?

  /// How long the thread waits for records at a time; what else it does is that much late.
  private static let waitMilliseconds: Int32 = 100
  /// How many records are handed over together: few enough that the first does not wait for the last.
  private static let batchMax = 512
  /// How often a broker that was missed is asked for; each time the thread waits so long for its answer at most.
  private static let probeInterval = Duration.seconds(1)
  private static let probeMilliseconds: Int32 = 500
  /// A broker that was silent for so long is asked for a sign of life, and missed after so many questions: librdkafka
  /// does not always say that the last one is gone.
  private static let silenceMax = Duration.seconds(5)
  private static let unansweredMax = 3
  /// How often it is looked how far the partitions are behind.
  private static let lookInterval = Duration.seconds(1)
  /// A fault that has not come again for so long is over: librdkafka repeats it with each refresh of the metadata.
  private static let faultMemory = Duration.seconds(30)
  /// How long commits wait for a rebalance to end that the brokers have spoken of; then the member joins anew.
  private static let rebalanceMax = Duration.seconds(10)

  init(
    _ handle: ClientHandle, intake: Intake, events: ClientEvents, options: KafkaConsumer.Options, logger: Logger
  ) {
    self.handle = handle
    queries = OffsetQueries(handle, startOfNewGroup: options.startOfNewGroup, logger: logger)
    self.intake = intake
    self.events = events
    self.options = options
    self.logger = logger
  }

  func run() {
    events.group = self
    while !intake.isClosed && events.fatalError == nil {
      turn()
    }
    if let error = events.fatalError { intake.fail(error) }
    leave()
    events.group = nil
  }

  private func turn() {
    let room = intake.room()
    let now = ContinuousClock.now
    if let room {
      fullSince = nil
      if early.isEmpty {
        setPaused(false)
        intake.deliver(poll(atMost: min(room.messages, Self.batchMax), bytes: room.bytes))
      } else {
        intake.deliver(early.take(atMost: room.messages, bytes: room.bytes) { intake.assignment(of: $0) })
      }
    } else {
      let since = fullSince ?? now
      fullSince = since
      if isPaused || now - since >= options.pauseAfter {
        setPaused(true)
        // Hardly anything comes; the group sees that the member lives.
        let records = poll(atMost: 1, bytes: 1)
        early.add(records)
        if !records.isEmpty { pauseAgain() }
      } else {
        intake.waitForRoom(milliseconds: Self.waitMilliseconds)
      }
    }
    if now >= nextCommit && !isCommitting && !events.joins.isJoining {
      nextCommit = now + options.commitInterval
      commitInBackground()
    }
    lookForBrokers(now)
    if now >= nextLook, events.unreachableReason == nil {
      nextLook = now + Self.lookInterval
      intake.noteEnds(queries.ends(of: intake.partitions, arePaused: isPaused))
    }
    if let fault, now - fault.since > Self.faultMemory { self.fault = nil }
    intake.report(unreachable: events.unreachableReason, fault: fault?.text, isPaused: isPaused)
  }

  // MARK: Records

  /// Waits for records and takes some: at most `limit`, and until they fill so many bytes.
  private func poll(atMost limit: Int, bytes bytesMax: Int) -> [KafkaMessage] {
    var messages: [KafkaMessage] = []
    var bytes = 0
    var wait = Self.waitMilliseconds
    while messages.count < limit, bytes < bytesMax, let pointer = rd_kafka_consumer_poll(handle.pointer, wait) {
      defer { rd_kafka_message_destroy(pointer) }
      wait = 0
      if pointer.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
        sawBroker()
        if let message = message(pointer) {
          messages.append(message)
          bytes += message.bytes
        }
      } else {
        note(pointer)
      }
    }
    return messages
  }

  /// Takes a record over, with copies of its bytes.
  private func message(_ pointer: UnsafeMutablePointer<rd_kafka_message_t>) -> KafkaMessage? {
    let message = pointer.pointee
    guard let topicHandle = message.rkt else { return nil }
    let topic: String
    if let lastTopic, lastTopic.handle == topicHandle {
      topic = lastTopic.name
    } else {
      topic = String(cString: rd_kafka_topic_name(topicHandle))
      lastTopic = (topicHandle, topic)
    }
    // Of a partition that was taken meanwhile.
    guard let assignment = intake.assignment(of: TopicPartition(topic: topic, partition: message.partition)) else {
      return nil
    }
    return KafkaMessage(copying: pointer, topic: topic, assignment: assignment)
  }

  /// What comes instead of a record: something that a broker refuses.
  private func note(_ message: UnsafeMutablePointer<rd_kafka_message_t>) {
    let error = KafkaError(message.pointee.err, rd_kafka_message_errstr(message).map { String(cString: $0) })
    if error.isRetriable { return logger.debug("kafka.fault", ["reason": LogValue(error.description)]) }
    let isNew = fault?.text != error.description
    fault = (error.description, .now)
    if isNew { logger.warning("kafka.refused", ["reason": LogValue(error.description)]) }
  }

  private func setPaused(_ shallPause: Bool) {
    guard shallPause != isPaused else { return }
    isPaused = shallPause
    let count = withAssignment { list in
      if shallPause {
        rd_kafka_pause_partitions(handle.pointer, list)
      } else {
        rd_kafka_resume_partitions(handle.pointer, list)
      }
      return Int(list.pointee.cnt)
    }
    if let count {
      logger.info(shallPause ? "kafka.paused" : "kafka.resumed", ["partitions": LogValue(count)])
    }
  }

  /// Makes sure that no more comes than what was on the way when the partitions were paused.
  private func pauseAgain() {
    logger.debug("kafka.came_early")
    _ = withAssignment { rd_kafka_pause_partitions(handle.pointer, $0) }
  }

  private func withAssignment<Result>(
    _ body: (UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) -> Result
  ) -> Result? {
    var list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
    guard rd_kafka_assignment(handle.pointer, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { return nil }
    defer { rd_kafka_topic_partition_list_destroy(list) }
    return body(list)
  }

  private func lookForBrokers(_ now: ContinuousClock.Instant) {
    let isMissed = events.unreachableReason != nil
    guard now >= nextProbe, isMissed || now - lastSign > Self.silenceMax else { return }
    nextProbe = now + Self.probeInterval
    var metadata: UnsafePointer<rd_kafka_metadata>?
    let code = rd_kafka_metadata(handle.pointer, 0, nil, &metadata, Self.probeMilliseconds)
    if code == RD_KAFKA_RESP_ERR_NO_ERROR {
      rd_kafka_metadata_destroy(metadata)
      sawBroker()
    } else if !isMissed {
      unanswered += 1
      if unanswered >= Self.unansweredMax { events.miss() }
    }
  }

  private func sawBroker() {
    lastSign = .now
    unanswered = 0
    events.reached()
  }

  // MARK: The group

  /// librdkafka's word that partitions come or go.
  func rebalance(_ code: rd_kafka_resp_err_t, _ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) {
    let isCooperative = rd_kafka_rebalance_protocol(handle.pointer).map { String(cString: $0) } == "COOPERATIVE"
    let partitions = list.partitions
    let error: KafkaError?
    switch code {
    case RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS:
      sawBroker()
      hasEverJoined = true
      if !partitions.isEmpty { nextCommit = .now }
      intake.assign(partitions, from: queries.resolveStart(of: list))
      error =
        isCooperative
        ? rd_kafka_incremental_assign(handle.pointer, list).map { KafkaError(owning: $0) }
        : Self.error(rd_kafka_assign(handle.pointer, list))
      if isPaused { rd_kafka_pause_partitions(handle.pointer, list) }
      logger.info("kafka.assigned", ["partitions": LogValue(partitions.description(limit: 20))])
    case RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS:
      // Lost partitions are another's already: to commit would set back what he has committed.
      let isLost = rd_kafka_assignment_lost(handle.pointer) != 0
      if !isLost { commitNow() }
      // A cooperative member joins anew now.
      nextCommit = .now + Self.rebalanceMax
      intake.revoke(partitions, isLost: isLost)
      error =
        isCooperative
        ? rd_kafka_incremental_unassign(handle.pointer, list).map { KafkaError(owning: $0) }
        : Self.error(rd_kafka_assign(handle.pointer, nil))
      logger.info(
        isLost ? "kafka.lost" : "kafka.revoked", ["partitions": LogValue(partitions.description(limit: 20))])
    default:
      intake.revoke(intake.partitions, isLost: true)
      error = Self.error(rd_kafka_assign(handle.pointer, nil)) ?? KafkaError(code)
    }
    if let error { logger.warning("kafka.rebalance_failed", ["reason": LogValue(error.description)]) }
  }

  private static func error(_ code: rd_kafka_resp_err_t) -> KafkaError? {
    code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(code)
  }

  // MARK: Offsets

  private func uncommitted() -> PartitionList {
    let list = PartitionList()
    for (partition, offset) in intake.uncommitted() { list.add(partition.topic, partition.partition, offset: offset) }
    return list
  }

  private func commitInBackground() {
    let list = uncommitted()
    guard !options.commitsByTransaction, list.count > 0 else { return }
    isCommitting = rd_kafka_commit(handle.pointer, list.pointer, 1) == RD_KAFKA_RESP_ERR_NO_ERROR
  }

  /// The brokers' word on a commit; what they did not take is tried again with the next.
  func committed(_ code: rd_kafka_resp_err_t, _ offsets: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) {
    isCommitting = false
    if code == RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS
      || offsets.elements.contains(where: { $0.err == RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS })
    {
      nextCommit = .now + Self.rebalanceMax
      return logger.debug("kafka.commit_postponed", ["reason": "the group is being rebalanced"])
    }
    for element in offsets.elements where element.offset >= 0 {
      let failure = element.err == RD_KAFKA_RESP_ERR_NO_ERROR ? code : element.err
      if failure == RD_KAFKA_RESP_ERR_NO_ERROR {
        sawBroker()
        intake.confirm(
          TopicPartition(topic: String(cString: element.topic), partition: element.partition), element.offset)
      } else {
        logger.warning(
          "kafka.commit_failed",
          [
            "topic": LogValue(String(cString: element.topic)), "partition": LogValue(element.partition),
            "offset": LogValue(element.offset), "reason": LogValue(KafkaError(failure).description),
          ])
      }
    }
  }

  /// Commits what is acknowledged before partitions go, and waits for the answer within bounds: the group waits as
  /// well.
  private func commitNow() {
    let list = uncommitted()
    guard !options.commitsByTransaction, list.count > 0, let queue = rd_kafka_queue_new(handle.pointer) else { return }
    defer { rd_kafka_queue_destroy(queue) }
    let code = rd_kafka_commit_queue(
      handle.pointer, list.pointer, queue,
      { _, code, offsets, opaque in
        guard let offsets else { return }
        ClientEvents.from(opaque)?.group?.committed(code, offsets)
      }, Unmanaged.passUnretained(events).toOpaque())
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { return }
    rd_kafka_queue_poll_callback(queue, milliseconds(options.closeTimeout))
  }

  /// Whether the client can be ended. librdkafka before 2.3 aborts the process where a member ends between joining and
  /// its first share (https://github.com/confluentinc/librdkafka/issues/4312), so that share is waited for.
  private func canEnd() -> Bool {
    let deadline = ContinuousClock.now + options.closeTimeout
    while !hasEverJoined && events.unreachableReason == nil && ContinuousClock.now < deadline {
      if let message = rd_kafka_consumer_poll(handle.pointer, Self.waitMilliseconds) {
        rd_kafka_message_destroy(message)
      }
    }
    return hasEverJoined || events.unreachableReason != nil
  }

  /// Commits and leaves the group, within bounds even if no broker answers.
  private func leave() {
    guard canEnd() else {
      handle.abandon()
      return logger.warning(
        "kafka.not_left", ["reason": "the group was not joined in time; it forgets this member by itself"])
    }
    commitNow()
    guard let queue = rd_kafka_queue_new(handle.pointer) else { return }
    defer { rd_kafka_queue_destroy(queue) }
    if let error = rd_kafka_consumer_close_queue(handle.pointer, queue) {
      return logger.warning("kafka.not_left", ["reason": LogValue(KafkaError(owning: error).description)])
    }
    let deadline = ContinuousClock.now + options.closeTimeout
    while rd_kafka_consumer_closed(handle.pointer) == 0 && ContinuousClock.now < deadline {
      // Records that are still on their way come to this queue as well: a poll for callbacks only ends the process.
      if let record = rd_kafka_consume_queue(queue, Self.waitMilliseconds) { rd_kafka_message_destroy(record) }
    }
    if rd_kafka_consumer_closed(handle.pointer) == 0 {
      logger.warning(
        "kafka.not_left",
        ["reason": "no broker has answered in time; the group notices when the session has timed out"])
    }
  }
}

extension [TopicPartition] {
  /// `articles/0, articles/3`, the first ones.
  fileprivate func description(limit: Int) -> String {
    let shown = prefix(limit).map { "\($0.topic)/\($0.partition)" }.joined(separator: ", ")
    return count > limit ? "\(shown), and \(count - limit) more" : shown
  }
}
