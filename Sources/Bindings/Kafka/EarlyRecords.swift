/// Records that were handed out before there was room for them, in order. Pure.
///
/// librdkafka may hand out of a paused partition what it had fetched before. Asking for it again later could fail, and
/// then it would be lost; so it waits here, and what follows it waits for it. Bounded by what librdkafka fetches ahead.
struct EarlyRecords {
  private var records: [KafkaMessage] = []

  var isEmpty: Bool { records.isEmpty }

  mutating func add(_ more: [KafkaMessage]) { records += more }

  /// Takes the first records: at most so many, and until they fill so many bytes. Those of an assignment that has ended
  /// are dropped: whoever has the partition now reads them.
  mutating func take(
    atMost limit: Int, bytes bytesMax: Int, assignment: (TopicPartition) -> Int?
  ) -> [KafkaMessage] {
    records.removeAll { assignment(TopicPartition($0.place)) != $0.token.assignment }
    var count = 0
    var bytes = 0
    while count < min(limit, records.count), bytes < bytesMax {
      bytes += records[count].bytes
      count += 1
    }
    defer { records.removeFirst(count) }
    return Array(records.prefix(count))
  }
}
