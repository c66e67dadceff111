import Testing

@testable import Kafka

@Suite struct PendingRecordsTests {
  private let partition = TopicPartition(topic: "articles", partition: 0)

  private func token(_ offset: Int64, assignment: Int = 1) -> KafkaMessage.Token {
    KafkaMessage.Token(
      place: KafkaPlace(topic: partition.topic, partition: partition.partition, offset: offset),
      assignment: assignment)
  }

  private func record(_ text: String) -> KafkaRecord { KafkaRecord(topic: "out", key: nil, value: bytes(text)) }

  private func mark(_ next: Int64, assignment: Int = 1) -> [TopicPartition: PendingRecords.Mark] {
    [partition: PendingRecords.Mark(next: next, assignment: assignment)]
  }

  @Test("What belongs to a record leaves with the mark that goes past it; what belongs to none leaves at once")
  func due() {
    var pending = PendingRecords()
    _ = pending.add(record("0"), substitute: nil, origin: token(0))
    _ = pending.add(record("2"), substitute: nil, origin: token(2))
    _ = pending.add(record("free"), substitute: nil, origin: nil)
    let nothingDone = pending.due(mark(0))
    #expect(nothingDone.map(\.record) == [record("free")])
    let twoDone = pending.due(mark(2))
    #expect(twoDone.map(\.record) == [record("0"), record("free")])
    let last = pending.due(mark(3))
    #expect(last.map(\.record) == [record("0"), record("2"), record("free")])
    pending.remove(Set(last.map(\.number)))
    #expect(pending.entries.isEmpty)
  }

  @Test("What belongs to a partition that went to another is forgotten, also where it has come back")
  func otherHands() {
    var pending = PendingRecords()
    _ = pending.add(record("0"), substitute: nil, origin: token(0))
    _ = pending.add(record("1"), substitute: nil, origin: token(1, assignment: 2))
    _ = pending.add(record("free"), substitute: nil, origin: nil)
    let comeBack = pending.due(mark(9, assignment: 2))
    #expect(comeBack.map(\.record) == [record("1"), record("free")])
    let gone = pending.due([:])
    #expect(gone.map(\.record) == [record("free")])
    #expect(pending.entries.count == 1)
  }

  @Test("What is too large gives way to its substitute, once, and then to nothing")
  func shorten() {
    var pending = PendingRecords()
    let number = pending.add(record("long"), substitute: record("short"), origin: nil)
    let hasSubstitute = pending.shorten(number)
    #expect(hasSubstitute)
    #expect(pending.entries.map(\.record) == [record("short")])
    let hasAnother = pending.shorten(number)
    #expect(!hasAnother)
    #expect(pending.entries.isEmpty)
  }
}
