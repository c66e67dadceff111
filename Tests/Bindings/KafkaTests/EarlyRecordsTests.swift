import Testing

@testable import Kafka

@Suite struct EarlyRecordsTests {
  private func record(_ partition: Int32, _ offset: Int64, assignment: Int = 1, bytes: Int = 100) -> KafkaMessage {
    KafkaMessage(
      token: .init(place: KafkaPlace(topic: "articles", partition: partition, offset: offset), assignment: assignment),
      timestamp: nil, key: nil, value: Array(repeating: 0, count: bytes), headers: [])
  }

  @Test(
    "As many come out as there is room for, in order, and the rest later",
    arguments: [
      (limit: 2, bytes: 1_000_000, taken: 2), (limit: 10, bytes: 1_000_000, taken: 5), (limit: 0, bytes: 10, taken: 0),
      // Each takes 300 bytes; the last one may exceed the bound.
      (limit: 10, bytes: 1, taken: 1), (limit: 10, bytes: 300, taken: 1), (limit: 10, bytes: 301, taken: 2),
      (limit: 10, bytes: 0, taken: 0),
    ])
  func room(limit: Int, bytes: Int, taken: Int) {
    var early = EarlyRecords()
    early.add([record(0, 0), record(1, 0), record(0, 1)])
    early.add([record(1, 1), record(0, 2)])
    let all = [record(0, 0), record(1, 0), record(0, 1), record(1, 1), record(0, 2)]
    #expect(early.take(atMost: limit, bytes: bytes) { _ in 1 } == Array(all.prefix(taken)))
    #expect(early.take(atMost: 10, bytes: 1_000_000) { _ in 1 } == Array(all.dropFirst(taken)))
    #expect(early.isEmpty)
  }

  @Test("What was read before its partition was taken away, or given anew, is dropped")
  func assignments() {
    var early = EarlyRecords()
    early.add([record(0, 7), record(1, 3), record(2, 5), record(2, 6)])
    let assignments = [
      TopicPartition(topic: "articles", partition: 1): 2, TopicPartition(topic: "articles", partition: 2): 1,
    ]
    let taken = early.take(atMost: 1, bytes: 1_000_000) { assignments[$0] }
    #expect(taken == [record(2, 5)])
    #expect(early.take(atMost: 9, bytes: 1_000_000) { assignments[$0] } == [record(2, 6)])
    #expect(early.isEmpty)
  }
}
