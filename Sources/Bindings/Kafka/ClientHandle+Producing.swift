internal import CRdKafka

extension ClientHandle {
  /// Hands a record to librdkafka, which copies it and reports it under this context in the end. Throws where it does not
  /// take it.
  func produce(_ record: KafkaRecord, context: UnsafeMutableRawPointer?) throws(KafkaError) {
    let headers = RecordHeaders(record.headers)
    let error: OpaquePointer? = record.topic.withCString { topic in
      Self.withBytes(record.key) { key in
        Self.withBytes(record.value) { value in
          var arguments = Arguments()
          arguments.add(RD_KAFKA_VTYPE_TOPIC) { $0.u.cstr = topic }
          arguments.add(RD_KAFKA_VTYPE_MSGFLAGS) { $0.u.i = RD_KAFKA_MSG_F_COPY }
          arguments.add(RD_KAFKA_VTYPE_OPAQUE) { $0.u.ptr = context }
          if let value { arguments.add(RD_KAFKA_VTYPE_VALUE, value) }
          if let key { arguments.add(RD_KAFKA_VTYPE_KEY, key) }
          if let pointer = headers.pointer { arguments.add(RD_KAFKA_VTYPE_HEADERS) { $0.u.headers = pointer } }
          return rd_kafka_produceva(pointer, arguments.values, arguments.values.count)
        }
      }
    }
    try KafkaError.check(error)
    headers.handOver()
  }

  /// Bytes for librdkafka, which copies them. Nil stays nil, and no bytes are not nil.
  private static func withBytes<Result>(
    _ bytes: [UInt8]?, _ body: ((base: UnsafeMutableRawPointer, count: Int)?) -> Result
  ) -> Result {
    guard let bytes else { return body(nil) }
    return bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else {
        var nothing: UInt8 = 0
        return withUnsafeMutablePointer(to: &nothing) { body((UnsafeMutableRawPointer($0), 0)) }
      }
      return body((UnsafeMutableRawPointer(mutating: base), buffer.count))
    }
  }

  private struct Arguments {
    var values: [rd_kafka_vu_t] = []

    mutating func add(_ type: rd_kafka_vtype_t, _ fill: (inout rd_kafka_vu_t) -> Void) {
      var value = rd_kafka_vu_t()
      value.vtype = type
      fill(&value)
      values.append(value)
    }

    mutating func add(_ type: rd_kafka_vtype_t, _ bytes: (base: UnsafeMutableRawPointer, count: Int)) {
      add(type) {
        $0.u.mem.ptr = bytes.base
        $0.u.mem.size = bytes.count
      }
    }
  }
}

/// Owns headers until a record takes them over.
private final class RecordHeaders {
  private(set) var pointer: OpaquePointer?

  init(_ headers: [KafkaHeader]) {
    guard !headers.isEmpty else { return }
    pointer = rd_kafka_headers_new(headers.count)
    for header in headers {
      var name = header.name
      name.withUTF8 { name in
        name.withMemoryRebound(to: CChar.self) { name in
          if let value = header.value {
            _ = value.withUnsafeBytes { value in
              // An empty value is not none: librdkafka takes a null pointer for that.
              rd_kafka_header_add(
                pointer, name.baseAddress, name.count, value.baseAddress ?? UnsafeRawPointer(bitPattern: 1), value.count
              )
            }
          } else {
            rd_kafka_header_add(pointer, name.baseAddress, name.count, nil, 0)
          }
        }
      }
    }
  }

  deinit {
    if let pointer { rd_kafka_headers_destroy(pointer) }
  }

  func handOver() { pointer = nil }
}
