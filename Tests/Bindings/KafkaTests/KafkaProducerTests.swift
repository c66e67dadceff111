import Kafka
import Telemetry
import Testing

/// Needs librdkafka's mock cluster.
@Suite(.timeLimit(.minutes(1))) struct KafkaProducerTests {
  let cluster: MockCluster

  init() throws { cluster = try MockCluster() }

  @Test("A record's place is known once the broker has it")
  func places() async throws {
    try cluster.createTopic("articles", partitions: 1)
    let producer = try KafkaProducer(cluster.settings, logger: .silent)
    for offset in 0..<3 as Range<Int64> {
      let place = try await producer.send(KafkaRecord(topic: "articles", key: nil, value: bytes("v")))
      #expect(place == KafkaPlace(topic: "articles", partition: 0, offset: offset))
    }
    await producer.close()
  }

  @Test(
    "A key's partition is the one that clients on the JVM and kafka-python choose",
    // kafka.partitioner.default.murmur2(key) & 0x7FFFFFFF % 8
    arguments: [("a", 4), ("urn:newsroom:quake-20261130", 6), ("b-2", 6)] as [(String, Int32)])
  func partitions(_ key: String, _ partition: Int32) async throws {
    try cluster.createTopic("articles", partitions: 8)
    let producer = try KafkaProducer(cluster.settings, logger: .silent)
    #expect(try await producer.send(KafkaRecord(topic: "articles", key: bytes(key), value: nil)).partition == partition)
    await producer.close()
  }

  @Test("A record is sent when the broker that was away is back")
  func brokerBack() async throws {
    try cluster.createTopic("articles", partitions: 1)
    try cluster.setBroker(1, isUp: false)
    let producer = try KafkaProducer(cluster.settings, logger: .silent)
    let sending = Task { try await producer.send(KafkaRecord(topic: "articles", key: nil, value: bytes("v"))) }
    try await eventually("missed") { producer.unreachableReason != nil }
    try cluster.setBroker(1, isUp: true)
    #expect(try await sending.value.offset == 0)
    #expect(producer.unreachableReason == nil)
    await producer.close()
  }

  @Test("Sending ends when its task is cancelled")
  func cancelled() async throws {
    try cluster.setBroker(1, isUp: false)
    let producer = try KafkaProducer(cluster.settings, logger: .silent)
    let sending = Task { try await producer.send(KafkaRecord(topic: "articles", key: nil, value: bytes("v"))) }
    try await eventually("missed") { producer.unreachableReason != nil }
    sending.cancel()
    await #expect(throws: CancellationError.self) { try await sending.value }
    await producer.close(timeout: .milliseconds(100))
  }

  @Test("What has not arrived when a producer closes fails, and so does what comes after")
  func closed() async throws {
    try cluster.setBroker(1, isUp: false)
    let producer = try KafkaProducer(cluster.settings, logger: .silent)
    let record = KafkaRecord(topic: "articles", key: nil, value: bytes("v"))
    let sending = Task { try await producer.send(record) }
    try await eventually("missed") { producer.unreachableReason != nil }
    await producer.close(timeout: .milliseconds(100))
    await #expect(throws: KafkaError.self) { try await sending.value }
    await #expect(throws: KafkaError.self) { try await producer.send(record) }
  }

  @Test("A record that is too long is told apart from other failures")
  func tooLong() async throws {
    let producer = try KafkaProducer(cluster.settings, logger: .silent)
    let error = await #expect(throws: KafkaError.self) {
      try await producer.send(KafkaRecord(topic: "articles", key: nil, value: Array(repeating: 0, count: 2_000_000)))
    }
    #expect(error?.isTooLarge == true)
    #expect(error?.isRetriable == false)
    await producer.close()
  }

  @Test("A request that fails in a way that heals is repeated, and the record is there once")
  func repeated() async throws {
    try cluster.createTopic("articles", partitions: 1)
    // Produce requests: not the leader, twice.
    cluster.failRequests(apiKey: 0, with: [6, 6])
    try await cluster.fill("articles", count: 5)
    let consumer = try KafkaConsumer(
      cluster.settings, options: .init(group: "group", topics: ["articles"]), logger: .silent)
    #expect(try await consumer.read(5).map(\.place.offset) == [0, 1, 2, 3, 4])
    await consumer.close()
  }

  @Test("More records than may be under way wait for their turn")
  func bounded() async throws {
    try cluster.createTopic("articles", partitions: 1)
    var options = KafkaProducer.Options()
    options.recordsMax = 5
    let producer = try KafkaProducer(cluster.settings, options: options, logger: .silent)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { try await producer.send(KafkaRecord(topic: "articles", key: nil, value: bytes("\(number)"))) }
      }
      try await group.waitForAll()
    }
    let last = try await producer.send(KafkaRecord(topic: "articles", key: nil, value: nil))
    #expect(last.offset == 100)
    await producer.close()
  }
}
