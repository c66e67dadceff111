internal import CRdKafka
internal import Synchronization

/// Sees when a member joins its group anew, which librdkafka does by itself and does not tell.
///
/// A broker takes the requests of a connection one after the other, so a commit that is sent behind a request to join
/// is looked at in the group's next generation and answered ILLEGAL_GENERATION, for which librdkafka gives the whole
/// assignment up. Commits therefore wait until the member has its new share.
final class JoinWatch: Sendable {
  private let joining = Atomic(false)

  /// Keys of requests (https://kafka.apache.org/protocol#protocol_api_keys).
  private enum Request {
    static let joinGroup: Int16 = 11
    static let syncGroup: Int16 = 14
  }

  private static let name = "join-watch"

  /// Whether a request to join is under way, or its new share has not come yet.
  var isJoining: Bool { joining.load(ordering: .acquiring) }

  /// Makes the client of a configuration tell. The watch has to live longer than the client.
  func watch(_ configuration: ClientConfiguration) {
    let opaque = Unmanaged.passUnretained(self).toOpaque()
    configuration.with { conf in
      rd_kafka_conf_interceptor_add_on_new(
        conf, Self.name,
        { client, _, opaque, _, _ in
          let code = rd_kafka_interceptor_add_on_request_sent(
            client, JoinWatch.name,
            { _, _, _, _, request, _, _, _, opaque in
              if request == Request.joinGroup { JoinWatch.from(opaque).joining.store(true, ordering: .releasing) }
              return RD_KAFKA_RESP_ERR_NO_ERROR
            }, opaque)
          guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { return code }
          return rd_kafka_interceptor_add_on_response_received(
            client, JoinWatch.name,
            { _, _, _, _, request, _, _, _, _, _, opaque in
              if request == Request.syncGroup { JoinWatch.from(opaque).joining.store(false, ordering: .releasing) }
              return RD_KAFKA_RESP_ERR_NO_ERROR
            }, opaque)
        }, opaque)
    }
  }

  private static func from(_ opaque: UnsafeMutableRawPointer?) -> JoinWatch {
    Unmanaged<JoinWatch>.fromOpaque(opaque!).takeUnretainedValue()
  }
}
