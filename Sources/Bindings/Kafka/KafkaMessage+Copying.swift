internal import CRdKafka
internal import Time

extension KafkaMessage {
  /// Takes a record over, with copies of its bytes.
  init(copying pointer: UnsafeMutablePointer<rd_kafka_message_t>, topic: String, assignment: Int) {
    let message = pointer.pointee
    var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
    let timestamp = rd_kafka_message_timestamp(pointer, &kind)
    self.init(
      token: Token(
        place: KafkaPlace(topic: topic, partition: message.partition, offset: message.offset), assignment: assignment),
      timestamp: kind == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || timestamp < 0
        ? nil : Timestamp(millisecondsSince1970: timestamp),
      key: Self.bytes(message.key, message.key_len), value: Self.bytes(message.payload, message.len),
      headers: Self.headers(of: pointer))
  }

  private static func bytes(_ base: UnsafeMutableRawPointer?, _ count: Int) -> [UInt8]? {
    base.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) }
  }

  private static func headers(of message: UnsafeMutablePointer<rd_kafka_message_t>) -> [KafkaHeader] {
    var list: OpaquePointer?
    guard rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list else { return [] }
    var headers: [KafkaHeader] = []
    var name: UnsafePointer<CChar>?
    var value: UnsafeRawPointer?
    var count = 0
    while rd_kafka_header_get_all(list, headers.count, &name, &value, &count) == RD_KAFKA_RESP_ERR_NO_ERROR {
      headers.append(
        KafkaHeader(
          name.map { String(cString: $0) } ?? "",
          value.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) }))
    }
    return headers
  }
}
