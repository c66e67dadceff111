import Kafka
import Synchronization
import Telemetry
import Testing

/// Needs librdkafka's mock cluster.
@Suite(.timeLimit(.minutes(2))) struct KafkaConsumerTests {
  let cluster: MockCluster

  init() throws { cluster = try MockCluster() }

  private func consumer(
    _ properties: [String: String] = [:], logger: Logger = .silent,
    _ change: (inout KafkaConsumer.Options) -> Void = { _ in }
  ) throws -> KafkaConsumer {
    var options = KafkaConsumer.Options(group: "group", topics: ["articles"])
    options.commitInterval = .milliseconds(50)
    change(&options)
    return try KafkaConsumer(cluster.settings(properties), options: options, logger: logger)
  }

  @Test("A record comes out as it went in: key, value, headers, and none of them")
  func wholeRecords() async throws {
    try cluster.createTopic("articles", partitions: 1)
    let producer = try KafkaProducer(cluster.settings, logger: .silent)
    let headers = [
      KafkaHeader("a", "first"), KafkaHeader("a", "second"), KafkaHeader("none", nil), KafkaHeader("empty", []),
      KafkaHeader("bytes", [0, 0xFF]),
    ]
    let records = [
      KafkaRecord(topic: "articles", key: bytes("k"), value: bytes("v"), headers: headers),
      KafkaRecord(topic: "articles", key: nil, value: [0xFF, 0]),
      KafkaRecord(topic: "articles", key: bytes("tombstone"), value: nil),
      KafkaRecord(topic: "articles", key: [], value: []),
      KafkaRecord(topic: "articles", key: nil, value: nil),
      KafkaRecord(topic: "articles", key: bytes("long"), value: Array(repeating: 7, count: 900_000)),
    ]
    for record in records { try await producer.send(record) }
    let consumer = try consumer()
    let messages = try await consumer.read(records.count)
    #expect(messages.map(\.key) == records.map(\.key))
    #expect(messages.map(\.value) == records.map(\.value))
    #expect(messages.map(\.headers) == records.map(\.headers))
    #expect(messages.map(\.place.offset) == [0, 1, 2, 3, 4, 5])
    #expect(messages.allSatisfy { $0.timestamp != nil })
    await consumer.close()
  }

  @Test(
    "A restarted member begins at the first record that was not acknowledged",
    arguments: ["range", "cooperative-sticky"])
  func lowWaterMark(_ strategy: String) async throws {
    try cluster.createTopic("articles", partitions: 1)
    try await cluster.fill("articles", count: 10)
    let properties = ["partition.assignment.strategy": strategy]
    let first = try consumer(properties)
    let messages = try await first.read(10)
    for message in messages where message.place.offset != 4 { first.acknowledge(message.token) }
    await first.close()
    #expect(try await first.next(limit: 1) == nil)

    let second = try consumer(properties)
    let again = try await second.read(6)
    #expect(again.map(\.place.offset) == [4, 5, 6, 7, 8, 9])
    for message in again { second.acknowledge(message.token) }
    await second.close()
    try await cluster.fill("articles", count: 1)
    let third = try consumer(properties)
    #expect(try await third.read(1).map(\.place.offset) == [10])
    await third.close()
  }

  @Test(
    "A group begins once: its start is committed when the first member comes, and what is written while it has none is read",
    arguments: ["latest", "earliest"])
  func startPosition(_ policy: String) async throws {
    try cluster.createTopic("articles", partitions: 2)
    try await cluster.fill("articles", count: 3)
    let properties = ["auto.offset.reset": policy]
    let first = try consumer(properties)
    try await eventually("committed") { first.status.lags.count == 2 && first.status.uncommitted == 0 }
    #expect(first.status.lags.map(\.records).reduce(0, +) == (policy == "latest" ? 0 : 3))
    await first.close()
    try await cluster.fill("articles", count: 2, from: 3)
    let second = try consumer(properties)
    let expected = policy == "latest" ? ["3", "4"] : ["0", "1", "2", "3", "4"]
    let messages = try await second.read(expected.count)
    #expect(messages.map(\.text).sorted() == expected)
    #expect(second.status.rebalances.assigned == 1)
    #expect(second.status.rebalances.lost == 0)
    await second.close()
    #expect(second.status.lags.isEmpty)
  }

  @Test("A member knows how far each partition is behind, paused or not")
  func lag() async throws {
    try cluster.createTopic("articles", partitions: 1)
    try await cluster.fill("articles", count: 30)
    let consumer = try consumer {
      $0.messagesMax = 10
      $0.pauseAfter = .milliseconds(100)
    }
    let messages = try await consumer.read(10)
    try await eventually("paused") { consumer.status.isPaused }
    try await cluster.fill("articles", count: 12, from: 30)
    try await eventually("behind by all") { consumer.status.lags.map(\.records) == [42] }
    for message in messages { consumer.acknowledge(message.token) }
    for _ in 0..<32 { for message in try await consumer.read(1) { consumer.acknowledge(message.token) } }
    try await eventually("behind by none") { consumer.status.lags.map(\.records) == [0] }
    await consumer.close()
  }

  @Test("What is acknowledged is committed in the background, without waiting for the end")
  func backgroundCommit() async throws {
    try cluster.createTopic("articles", partitions: 1)
    try await cluster.fill("articles", count: 3)
    let first = try consumer { $0.closeTimeout = .milliseconds(200) }
    for message in try await first.read(3) { first.acknowledge(message.token) }
    try await eventually("committed") { first.status.uncommitted == 0 }
    #expect(first.status.inFlight == 0)
    // It leaves as one that is killed: without a word.
    try cluster.setBroker(1, isUp: false)
    await first.close()
    try cluster.setBroker(1, isUp: true)
    try await cluster.fill("articles", count: 1, from: 3)
    let second = try consumer()
    #expect(try await second.read(1).map(\.text) == ["3"])
    await second.close()
  }

  @Test("Only so many records are read ahead; a reader that stays slow keeps his place, paused, and goes on later")
  func backPressure() async throws {
    try cluster.createTopic("articles", partitions: 2)
    let consumer = try consumer {
      $0.messagesMax = 10
      $0.pauseAfter = .milliseconds(300)
    }
    try await cluster.fill("articles", count: 100)
    var messages = try await consumer.read(1)
    try await eventually("paused") { consumer.status.isPaused }
    #expect(consumer.status.inFlight == 10)
    #expect(consumer.status.hasJoined)
    while messages.count < 100 {
      messages += try await consumer.next(limit: 3) ?? []
      #expect(consumer.status.inFlight <= 10)
      for message in messages.suffix(3) { consumer.acknowledge(message.token) }
    }
    #expect(Set(messages.map(\.text)) == Set((0..<100).map(String.init)))
    #expect(messages.count == 100)
    await consumer.close()
  }

  @Test("A bound on bytes holds as the one on records does, and what librdkafka had fetched beyond it is not lost")
  func byteBound() async throws {
    try cluster.createTopic("articles", partitions: 1)
    let producer = try KafkaProducer(cluster.settings, logger: .silent)
    for _ in 0..<20 {
      try await producer.send(KafkaRecord(topic: "articles", key: nil, value: Array(repeating: 1, count: 100_000)))
    }
    let consumer = try consumer { $0.bytesMax = 350_000 }
    var messages = try await consumer.read(1)
    try await eventually("paused") { consumer.status.isPaused }
    #expect(consumer.status.inFlight == 4)
    #expect(consumer.status.hasJoined)
    consumer.acknowledge(messages[0].token)
    while messages.count < 20 {
      let more = try await consumer.read(1)
      // The last one may exceed the bound.
      #expect(consumer.status.inFlight <= 4)
      for message in more { consumer.acknowledge(message.token) }
      messages += more
    }
    #expect(messages.map(\.place.offset) == Array(0..<20))
    await consumer.close()
  }

  @Test("Of two members each reads a share, and when one leaves the other reads all, nothing lost")
  func twoMembers() async throws {
    try cluster.createTopic("articles", partitions: 4)
    let seen = Seen()
    let log = Log()
    let first = try consumer(logger: log.logger)
    let firstTask = Task { try await seen.collect(from: first) }
    try await eventually("the first has all") { first.status.partitions == 4 }
    try await cluster.fill("articles", count: 100)
    // The mock takes no commit from when a member asks to join.
    try await eventually("the first has done all") {
      seen.texts.count == 100 && first.status.inFlight == 0 && first.status.uncommitted == 0
    }
    let second = try consumer(logger: log.logger)
    let secondTask = Task { try await seen.collect(from: second) }
    try await eventually(within: .seconds(60), "they share") {
      first.status.partitions == 2 && second.status.partitions == 2
    }
    try await cluster.fill("articles", count: 100, from: 100)
    try await eventually("all is done") { seen.texts.count == 200 && first.status.inFlight == 0 }
    await first.close()
    try await cluster.fill("articles", count: 100, from: 200)
    try await eventually(within: .seconds(60), "the second reads on") { seen.texts.count == 300 }
    #expect(second.status.partitions == 4)
    await second.close()
    try await firstTask.value
    try await secondTask.value
    // All was committed before the one handover and at the other, so nothing came twice.
    #expect(seen.count == 300)
    #expect(log.events("kafka.lost").isEmpty)
  }

  @Test("A broker that goes away is missed and found again, and no record is lost")
  func brokerDown() async throws {
    try cluster.createTopic("articles", partitions: 1)
    let log = Log()
    let consumer = try KafkaConsumer(
      cluster.settings, options: .init(group: "group", topics: ["articles"]), logger: log.logger)
    try await eventually("joined") { consumer.status.hasJoined }
    #expect(consumer.status.unreachableReason == nil)
    try cluster.setBroker(1, isUp: false)
    try await eventually("missed") { consumer.status.unreachableReason != nil }
    #expect(consumer.status.unreachableReason?.contains(cluster.bootstrapServers) == true)
    try cluster.setBroker(1, isUp: true)
    try await cluster.fill("articles", count: 5)
    #expect(try await consumer.read(5).count == 5)
    try await eventually("found") { consumer.status.unreachableReason == nil }
    #expect(log.events("kafka.reached").count == 1)
    await consumer.close()
  }

  @Test("A member that leaves while records are on their way to it leaves at once, and another reads on")
  func leavingInFullFlow() async throws {
    try cluster.createTopic("articles", partitions: 4)
    try await cluster.fill("articles", count: 4_000)
    for _ in 0..<3 {
      let log = Log()
      let consumer = try consumer(logger: log.logger) { $0.messagesMax = 10 }
      _ = try await consumer.read(1)
      await consumer.close()
      #expect(log.events("kafka.not_left").isEmpty)
    }
    let last = try consumer()
    #expect(try await last.read(4_000).count == 4_000)
    await last.close()
  }

  @Test("Closing takes no longer than it may, whether a broker answers or not")
  func closingWithoutBroker() async throws {
    let consumer = try consumer { $0.closeTimeout = .seconds(1) }
    try await eventually("joined") { consumer.status.hasJoined }
    try cluster.setBroker(1, isUp: false)
    let begun = ContinuousClock.now
    await consumer.close()
    #expect(ContinuousClock.now - begun < .seconds(5))
  }

  @Test("A member that is closed while it joins leaves once it has joined, or is left alone", arguments: [1, 20])
  func closedWhileJoining(seconds: Int) async throws {
    try cluster.createTopic("articles", partitions: 1)
    let started = ContinuousClock.now
    // The mock lets the first member wait for 3 s.
    let consumer = try consumer { $0.closeTimeout = .seconds(seconds) }
    await consumer.close()
    #expect(ContinuousClock.now - started < .seconds(seconds + 10))
    #expect(try await consumer.next(limit: 1) == nil)
  }

  @Test("A consumer that never had a broker says so, waits, and closes")
  func neverABroker() async throws {
    let consumer = try KafkaConsumer(
      KafkaSettings(bootstrapServers: "127.0.0.1:9"), options: .init(group: "group", topics: ["articles"]),
      logger: .silent)
    try await eventually("missed") { consumer.status.unreachableReason == "no broker at 127.0.0.1:9" }
    #expect(!consumer.status.hasJoined)
    let waiting = Task { try await consumer.next(limit: 1) }
    await consumer.close()
    #expect(try await waiting.value == nil)
  }

  @Test("Waiting for records ends when its task is cancelled, and the records are not lost")
  func cancelled() async throws {
    try cluster.createTopic("articles", partitions: 1)
    let consumer = try consumer()
    let waiting = Task { try await consumer.next(limit: 10) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    try await cluster.fill("articles", count: 2)
    #expect(try await consumer.read(2).map(\.text).sorted() == ["0", "1"])
    await consumer.close()
  }

  @Test("A topic that is not there yet is waited for")
  func topicLater() async throws {
    let consumer = try consumer(["topic.metadata.refresh.interval.ms": "500"])
    try await cluster.fill("articles", count: 3)
    #expect(try await consumer.read(3).count == 3)
    await consumer.close()
  }
}

/// What members have read and acknowledged.
private final class Seen: Sendable {
  private let messages = Mutex<[String]>([])

  var texts: Set<String> { messages.withLock { Set($0) } }
  var count: Int { messages.withLock { $0.count } }

  func collect(from consumer: KafkaConsumer) async throws {
    while let batch = try await consumer.next(limit: 10) {
      messages.withLock { $0 += batch.map(\.text) }
      for message in batch { consumer.acknowledge(message.token) }
    }
  }
}

/// Log lines, kept.
final class Log: Sendable {
  private let records = Mutex<[LogRecord]>([])

  var logger: Logger { Logger(level: .debug) { record in self.records.withLock { $0.append(record) } } }
  func events(_ name: String) -> [LogRecord] { records.withLock { $0.filter { $0.event == name } } }
}
