import Kafka
import Telemetry
import TestKit
import Testing

/// Needs noida-db, which enforces transactions.
@Suite(
  .enabled(if: KafkaBroker.python != nil, "TIDINGS_PYTHON names no Python with noida-db; deploy/test.sh sets it up"),
  .timeLimit(.minutes(2)))
struct KafkaTransactionsTests {
  private func settings(_ broker: KafkaBroker, _ properties: [String: String] = [:]) -> KafkaSettings {
    KafkaSettings(bootstrapServers: broker.address, properties: properties.mapValues { Secret($0) })
  }

  private func consumer(_ broker: KafkaBroker) throws -> KafkaConsumer {
    var options = KafkaConsumer.Options(group: "group", topics: ["articles"])
    options.commitsByTransaction = true
    return try KafkaConsumer(settings(broker, ["group.instance.id": "one"]), options: options, logger: .silent)
  }

  /// The values that one sees who reads committed records only, or all.
  private func values(
    _ topic: String, _ broker: KafkaBroker, isolation: String = "read_committed", count: Int
  ) async throws -> [String] {
    let reader = try KafkaConsumer(
      settings(broker, ["isolation.level": isolation, "group.instance.id": "reader"]),
      options: .init(group: "reader-\(isolation)-\(count)", topics: [topic]), logger: .silent)
    let messages = try await reader.read(count)
    await reader.close()
    return messages.map(\.text)
  }

  private func fill(_ broker: KafkaBroker, _ numbers: Range<Int>) async throws {
    let producer = try KafkaProducer(settings(broker), logger: .silent)
    for number in numbers {
      try await producer.send(KafkaRecord(topic: "articles", key: bytes("key"), value: bytes("\(number)")))
    }
    await producer.close()
  }

  private func answer(_ message: KafkaMessage) -> KafkaRecord {
    KafkaRecord(topic: "answers", key: nil, value: bytes("answer to \(message.text)"))
  }

  @Test("An answer is seen when the group has gone past what it answers, and what was not committed comes again")
  func together() async throws {
    let broker = try await KafkaBroker(python: try #require(KafkaBroker.python))
    try await fill(broker, 0..<6)
    let first = try consumer(broker)
    let writing = try KafkaTransactions(
      settings(broker), options: .init(id: "one"), consumer: first, logger: .silent)
    let messages = try await first.read(6)
    for message in messages where message.text != "3" {
      writing.write(answer(message), with: message.token)
      first.acknowledge(message.token)
    }
    try await eventually("committed") { first.status.uncommitted == 0 }
    // It waits for what stands before it, in its partition.
    #expect(try await values("answers", broker, count: 3) == ["answer to 0", "answer to 1", "answer to 2"])
    await writing.close()
    await first.close()

    let second = try consumer(broker)
    let again = try KafkaTransactions(
      settings(broker), options: .init(id: "one"), consumer: second, logger: .silent)
    let rest = try await second.read(3)
    #expect(rest.map(\.text) == ["3", "4", "5"])
    for message in rest {
      again.write(answer(message), with: message.token)
      second.acknowledge(message.token)
    }
    await again.close()
    await second.close()
    #expect(try await values("answers", broker, count: 6) == (0..<6).map { "answer to \($0)" })
    await broker.end()
  }

  @Test("Of two processes that write under one id the earlier is ended, and nothing of its last transaction is seen")
  func fenced() async throws {
    let broker = try await KafkaBroker(python: try #require(KafkaBroker.python))
    try await fill(broker, 0..<2)
    let first = try consumer(broker)
    let writing = try KafkaTransactions(
      settings(broker), options: .init(id: "one"), consumer: first, logger: .silent)
    try await writing.write(KafkaRecord(topic: "answers", key: nil, value: bytes("first")))
    let second = try KafkaConsumer(
      settings(broker), options: .init(group: "other", topics: ["articles"]), logger: .silent)
    let other = try KafkaTransactions(
      settings(broker), options: .init(id: "one"), consumer: second, logger: .silent)
    try await other.write(KafkaRecord(topic: "answers", key: nil, value: bytes("second")))
    await #expect(throws: KafkaError.self) {
      try await writing.write(KafkaRecord(topic: "answers", key: nil, value: bytes("late")))
    }
    #expect(writing.failure != nil)
    #expect(first.status.failure == writing.failure)
    try await other.write(KafkaRecord(topic: "answers", key: nil, value: bytes("third")))
    #expect(try await values("answers", broker, count: 3) == ["first", "second", "third"])
    await other.close()
    await writing.close()
    await second.close()
    await first.close()
    await broker.end()
  }
}
