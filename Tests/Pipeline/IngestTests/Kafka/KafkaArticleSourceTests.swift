import Ingest
import Kafka
import News
import Synchronization
import Telemetry
import TestKit
import Testing
import Time

/// Needs librdkafka's mock cluster.
@Suite(.timeLimit(.minutes(2))) struct KafkaArticleSourceTests {
  let cluster: MockCluster
  let clock = SystemClock()
  let metrics = MetricRegistry()

  init() throws {
    cluster = try MockCluster()
    for topic in ["articles", "french", "articles.dlq"] { try cluster.createTopic(topic, partitions: 2) }
  }

  private func source(
    _ topics: [FollowedTopic] = [FollowedTopic(topic: "articles")], brokers: String? = nil,
    clock: (any WallClock)? = nil,
    logger: Logger = .silent
  ) throws -> KafkaArticleSource {
    try KafkaArticleSource(
      KafkaSettings(
        bootstrapServers: brokers ?? cluster.bootstrapServers,
        // The mock lets a member wait for the session less a second once another has left.
        properties: ["session.timeout.ms": Secret("3000"), "heartbeat.interval.ms": Secret("200")]),
      options: .init(group: "tidings", topics: topics, deadLetters: "articles.dlq"), clock: clock ?? self.clock,
      logger: logger, metrics: metrics)
  }

  private func publish(_ records: [KafkaRecord]) async throws {
    var options = KafkaProducer.Options()
    options.recordBytesMax = 4 << 20
    let producer = try KafkaProducer(
      KafkaSettings(bootstrapServers: cluster.bootstrapServers), options: options, logger: .silent)
    for record in records { try await producer.send(record) }
    await producer.close()
  }

  /// Reads so many, acknowledged.
  private func read(_ count: Int, from source: KafkaArticleSource) async throws -> [Inbound] {
    var read: [Inbound] = []
    while read.count < count, let more = try await source.next(limit: 100) {
      read += more
      for inbound in more { try await inbound.acknowledge() }
    }
    return read
  }

  @Test("Poison goes to the dead letters as it came, with its reason, and the articles around it flow")
  func poison() async throws {
    let headers = [KafkaHeader("trace", "7"), KafkaHeader("binary", [0, 0xFF])]
    let poison: [(key: String?, value: [UInt8]?, stage: String)] = [
      ("bytes", [0xFF, 0x00], "parse"), ("shape", Array(#"{"id": 1}"#.utf8), "decode"), (nil, nil, "record"),
      ("large", Array(repeating: 0x41, count: 2 << 20), "record"),
      ("weather", Array(#"{"id": "w", "headline": "h", "categories": ["Weather"]}"#.utf8), "decode"),
    ]
    var records = [Self.article("first")]
    for (key, value, _) in poison {
      records.append(
        KafkaRecord(topic: "articles", key: key.map { Array($0.utf8) }, value: value, headers: headers))
      records.append(Self.article("after-\(key ?? "nothing")"))
    }
    try await publish(records)

    let source = try source()
    let articles = try await read(6, from: source)
    #expect(
      Set(articles.map(\.articleID)) == [
        "first", "after-bytes", "after-shape", "after-nothing", "after-large", "after-weather",
      ])
    let letters = try await deadLetters(5)
    for (key, value, stage) in poison {
      let letter = try #require(letters.first { $0.key == key.map { Array($0.utf8) } })
      #expect(letter.value == value)
      #expect(Array(letter.headers.prefix(2)) == headers)
      #expect(letter.text("tidings.error.stage") == stage)
      #expect(letter.text("tidings.source.topic") == "articles")
      #expect(letter.text("tidings.attempts") == "1")
    }
    #expect(
      letters.first { $0.key == Array("weather".utf8) }?.text("tidings.error.message")?.contains("Weather") == true)
    let exposition = metrics.exposition()
    #expect(exposition.contains(#"tidings_kafka_dead_letters_total{topic="articles",stage="decode"} 2"#))
    #expect(exposition.contains(#"tidings_kafka_records_total{topic="articles"} 11"#))
    await stop(source)

    // All of it is done: a new member finds nothing but what is new.
    try await publish([Self.article("last")])
    let next = try self.source()
    #expect(try await read(1, from: next).map(\.articleID) == ["last"])
    await stop(next)
  }

  @Test("Each topic's articles carry its hints")
  func topics() async throws {
    try await publish([
      Self.article("a"), Self.article("b", topic: "french"),
      KafkaRecord(topic: "articles", key: Array("gone".utf8), value: nil),
    ])
    let source = try source([
      FollowedTopic(topic: "articles"),
      FollowedTopic(topic: "french", category: .politics, language: "fr", trust: .feed),
    ])
    let read = try await read(3, from: source)
    let byID = Dictionary(uniqueKeysWithValues: read.map { ($0.articleID, $0) })
    #expect(byID["a"]?.trust == .editor)
    #expect(byID["a"]?.subscribed == nil)
    #expect(byID["b"]?.trust == .feed)
    #expect(byID["b"]?.subscribed == .politics)
    #expect(byID["b"]?.article?.language == "fr")
    #expect(byID["gone"]?.content == .withdrawal(articleID: "gone"))
    #expect(read.allSatisfy { $0.firstSeen <= clock.now })
    await stop(source)
  }

  @Test("What is not acknowledged comes again to the next member")
  func again() async throws {
    try await publish([Self.article("a")])
    let first = try source()
    let unfinished = try await first.next(limit: 1)
    #expect(unfinished?.map(\.articleID) == ["a"])
    await stop(first)
    let second = try source()
    #expect(try await read(1, from: second).map(\.articleID) == ["a"])
    await stop(second)
  }

  @Test("While no broker is there, the fault says so and a line a minute does")
  func noBroker() async throws {
    let clock = ManualClock()
    let lines = Mutex(0)
    let source = try source(
      brokers: "127.0.0.1:9", clock: clock,
      logger: Logger { record in if record.event == "kafka.unreachable" { lines.withLock { $0 += 1 } } })
    while source.fault != "no broker at 127.0.0.1:9" { await Task.yield() }
    let running = Task { try await source.run() }
    for _ in 0..<119 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    await clock.waitForSleepers()
    #expect(lines.withLock { $0 } == 2)
    #expect(metrics.exposition().contains("tidings_kafka_broker_reachable 0"))
    running.cancel()
    try await running.value
    #expect(try await source.next(limit: 1) == nil)
  }

  private static func article(_ id: String, topic: String = "articles") -> KafkaRecord {
    KafkaRecord(
      topic: topic, key: Array(id.utf8), value: Array(#"{"id": "\#(id)", "headline": "Headline of \#(id)"}"#.utf8))
  }

  private func deadLetters(_ count: Int) async throws -> [KafkaMessage] {
    let reader = try KafkaConsumer(
      KafkaSettings(bootstrapServers: cluster.bootstrapServers),
      options: .init(group: "person", topics: ["articles.dlq"]), logger: .silent)
    var letters: [KafkaMessage] = []
    while letters.count < count, let more = try await reader.next(limit: count) { letters += more }
    await reader.close()
    return letters
  }

  /// Ends a source as the worker does.
  private func stop(_ source: KafkaArticleSource) async {
    let running = Task { try await source.run() }
    running.cancel()
    _ = await running.result
  }
}

extension KafkaMessage {
  fileprivate func text(_ name: String) -> String? {
    headers.last { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
  }
}
