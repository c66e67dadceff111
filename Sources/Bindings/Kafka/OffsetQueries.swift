internal import CRdKafka
internal import Telemetry

/// Where reading of a partition begins.
struct StartPosition: Hashable, Sendable {
  let offset: Int64
  /// Whether the group has committed it.
  let isCommitted: Bool
}

/// What a consumer's thread asks the brokers about offsets.
struct OffsetQueries {
  let handle: ClientHandle
  /// Where a group begins that has committed nothing, as a logical offset; nil where that is an error.
  let startOfNewGroup: Int64?
  let logger: Logger

  /// How long the brokers may take to say where reading begins; a member that waits longer than a session is put out.
  private static let startMilliseconds: Int32 = 3_000
  /// How long they may take to say where partitions end, which nobody waits for.
  private static let endMilliseconds: Int32 = 500

  init(_ handle: ClientHandle, startOfNewGroup: Int64?, logger: Logger) {
    self.handle = handle
    self.startOfNewGroup = startOfNewGroup
    self.logger = logger
  }

  /// Where reading of these partitions begins: at what the group has committed, else at the start of a new group. The
  /// latter is written into the list, so that librdkafka begins at the very offset that is committed. Empty where the
  /// brokers do not say in time.
  func resolveStart(
    of list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>
  ) -> [TopicPartition: StartPosition] {
    guard list.pointee.cnt > 0, let startOfNewGroup else { return [:] }
    let committed = PartitionList()
    for partition in list.partitions { committed.add(partition.topic, partition.partition) }
    let code = rd_kafka_committed(handle.pointer, committed.pointer, Self.startMilliseconds)
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
      logger.debug("kafka.start_unknown", ["reason": LogValue(KafkaError(code).description)])
      return [:]
    }
    var starts: [TopicPartition: StartPosition] = [:]
    let fresh = PartitionList()
    for (partition, element) in zip(committed.pointer.partitions, committed.pointer.elements)
    where element.err == RD_KAFKA_RESP_ERR_NO_ERROR {
      if element.offset >= 0 {
        starts[partition] = StartPosition(offset: element.offset, isCommitted: true)
      } else {
        fresh.add(partition.topic, partition.partition, offset: startOfNewGroup)
      }
    }
    for (partition, offset) in offsets(behind: fresh, timeoutMilliseconds: Self.startMilliseconds) {
      starts[partition] = StartPosition(offset: offset, isCommitted: false)
      rd_kafka_topic_partition_list_set_offset(list, partition.topic, partition.partition, offset)
    }
    return starts
  }

  /// Where the partitions end, those of which that is known. Each answer with records says so; while they are paused
  /// none comes, and the brokers are asked.
  func ends(of partitions: [TopicPartition], arePaused: Bool) -> [TopicPartition: Int64] {
    guard !arePaused else {
      let list = PartitionList()
      for partition in partitions {
        list.add(partition.topic, partition.partition, offset: Int64(RD_KAFKA_OFFSET_END))
      }
      return offsets(behind: list, timeoutMilliseconds: Self.endMilliseconds)
    }
    var ends: [TopicPartition: Int64] = [:]
    for partition in partitions {
      var (low, high): (Int64, Int64) = (-1, -1)
      let code = rd_kafka_get_watermark_offsets(handle.pointer, partition.topic, partition.partition, &low, &high)
      if code == RD_KAFKA_RESP_ERR_NO_ERROR, high >= 0 { ends[partition] = high }
    }
    return ends
  }

  /// The offsets behind the logical ones of a list (its partitions' beginnings or ends), those that the brokers say in
  /// time. They are asked as for a time, which Kafka's protocol allows for these two (KIP-79), so that one request a
  /// broker serves all partitions.
  private func offsets(
    behind list: borrowing PartitionList, timeoutMilliseconds: Int32
  ) -> [TopicPartition: Int64] {
    guard list.count > 0 else { return [:] }
    // What it returns beside the offsets says only that some are missing.
    _ = rd_kafka_offsets_for_times(handle.pointer, list.pointer, timeoutMilliseconds)
    var offsets: [TopicPartition: Int64] = [:]
    for (partition, element) in zip(list.pointer.partitions, list.pointer.elements)
    where element.err == RD_KAFKA_RESP_ERR_NO_ERROR && element.offset >= 0 {
      offsets[partition] = element.offset
    }
    return offsets
  }
}
