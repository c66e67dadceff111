internal import CRdKafka

/// A partition of a topic.
struct TopicPartition: Hashable, Sendable {
  let topic: String
  let partition: Int32

  init(topic: String, partition: Int32) {
    self.topic = topic
    self.partition = partition
  }

  /// The partition in which a record stands.
  init(_ place: KafkaPlace) { self.init(topic: place.topic, partition: place.partition) }
}

/// Owns a list of partitions, each with an offset.
struct PartitionList: ~Copyable {
  let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

  init() { pointer = rd_kafka_topic_partition_list_new(8) }

  deinit { rd_kafka_topic_partition_list_destroy(pointer) }

  func add(_ topic: String, _ partition: Int32 = RD_KAFKA_PARTITION_UA, offset: Int64? = nil) {
    let element = rd_kafka_topic_partition_list_add(pointer, topic, partition)
    if let offset { element?.pointee.offset = offset }
  }

  var count: Int { Int(pointer.pointee.cnt) }
}

extension UnsafeMutablePointer<rd_kafka_topic_partition_list_t> {
  /// The elements, which stay the list's.
  var elements: UnsafeBufferPointer<rd_kafka_topic_partition_t> {
    UnsafeBufferPointer(start: pointee.elems, count: Int(pointee.cnt))
  }

  /// The partitions, without their offsets.
  var partitions: [TopicPartition] {
    elements.map { TopicPartition(topic: String(cString: $0.topic), partition: $0.partition) }
  }
}
