internal import CRdKafka
internal import Runtime
public import Telemetry

/// What a group has committed, asked by somebody who is no member of it.
public final class GroupOffsets: Sendable {
  private let handle: ClientHandle

  /// Does not wait for a broker. Throws where librdkafka refuses the settings.
  public init(_ settings: KafkaSettings, group: String, logger: Logger) throws(KafkaError) {
    let configuration = try settings.configuration(
      defaults: ["client.id": "tidings"], fixed: ["group.id": group, "enable.auto.commit": "false"])
    handle = try ClientHandle(
      RD_KAFKA_CONSUMER, configuration, events: ClientEvents(brokers: settings.bootstrapServers, logger: logger))
  }

  /// The offset that each of a topic's first partitions would be read from, by partition; those are left out of which
  /// nothing is committed. Throws where the brokers do not say in time.
  public func committed(
    in topic: String, partitions: Int, within limit: Duration = .seconds(3)
  ) async throws(KafkaError) -> [Int32: Int64] {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<[Int32: Int64], KafkaError>, Never>) in
      // librdkafka's call blocks.
      startThread { [handle] in
        let list = PartitionList()
        for partition in 0..<Int32(partitions) { list.add(topic, partition) }
        let code = rd_kafka_committed(handle.pointer, list.pointer, milliseconds(limit))
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
          return continuation.resume(returning: .failure(KafkaError(code)))
        }
        var offsets: [Int32: Int64] = [:]
        for element in list.pointer.elements where element.err == RD_KAFKA_RESP_ERR_NO_ERROR && element.offset >= 0 {
          offsets[element.partition] = element.offset
        }
        continuation.resume(returning: .success(offsets))
      }
    }
    return try result.get()
  }
}
