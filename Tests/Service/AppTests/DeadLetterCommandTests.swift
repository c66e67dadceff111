import Ingest
import JSON
import Kafka
import Telemetry
import Testing
import Time

@testable import App

/// Needs librdkafka's mock cluster.
@Suite(.timeLimit(.minutes(1))) struct DeadLetterCommandTests {
  let cluster: MockCluster

  init() throws {
    cluster = try MockCluster()
    for topic in ["articles", "desk", "articles.dlq"] { try cluster.createTopic(topic, partitions: 2) }
  }

  private var settings: KafkaSettings { KafkaSettings(bootstrapServers: cluster.bootstrapServers) }

  private func run(_ words: String...) async throws -> (status: ExitCode, rows: [JSONValue], errors: String) {
    let memory = MemoryConsole()
    let status = await CommandTable.standard.run(
      ["dlq"] + words + ["--bootstrap-servers", cluster.bootstrapServers], memory.console)
    return (status, try memory.output.lines.map { try JSONValue(parsing: $0) }, memory.errors.text)
  }

  private static func letter(
    _ key: String?, _ value: [UInt8]?, from topic: String = "articles", stage: String = "decode", _ message: String,
    omitted: Bool = false
  ) -> KafkaRecord {
    var headers = [
      KafkaHeader("trace", "7"), KafkaHeader("binary", [0, 0xFF]), KafkaHeader("tidings.error.stage", stage),
      KafkaHeader("tidings.error.message", message), KafkaHeader("tidings.source.topic", topic),
      KafkaHeader("tidings.source.partition", "1"), KafkaHeader("tidings.source.offset", "42"),
      KafkaHeader("tidings.source.timestamp", "2026-11-30T12:00:00Z"), KafkaHeader("tidings.attempts", "1"),
    ]
    if omitted { headers.append(KafkaHeader("tidings.value.omitted", "9 bytes: more than the brokers take")) }
    return KafkaRecord(topic: "articles.dlq", key: key.map { Array($0.utf8) }, value: value, headers: headers)
  }

  private func write(_ records: [KafkaRecord]) async throws {
    let producer = try KafkaProducer(settings, logger: .silent)
    for record in records { try await producer.send(record) }
    await producer.close()
  }

  private func read(_ topic: String) async throws -> [KafkaMessage] {
    let (stream, records) = AsyncStream.makeStream(of: KafkaMessage.self)
    try await TopicReader(settings, topic: topic, logger: .silent).read { record in
      records.yield(record)
      return true
    }
    records.finish()
    return await stream.reduce(into: []) { $0.append($1) }
  }

  private static let letters = [
    letter("weather", Array("{\"a\": 1}".utf8), "categories[0]: \"Weather\" is none of World"),
    letter("bytes", [0xFF, 0], from: "desk", stage: "parse", "no JSON: 1:1"),
    letter(nil, nil, stage: "record", "no value and no key"),
    letter("large", [], "headline: is missing", omitted: true),
    KafkaRecord(topic: "articles.dlq", key: nil, value: Array("somebody else's".utf8)),
  ]

  @Test("Letters are told with their reasons; what is none is passed over, and an empty topic has none")
  func list() async throws {
    #expect(try await run("list").rows.isEmpty)
    try await write(Self.letters)
    let (status, rows, errors) = try await run("list")
    #expect(status == .done && errors == "")
    try #require(rows.count == 4)
    let weather = try #require(rows.first { $0["key"] == "weather" })
    #expect(weather["stage"] == "decode" && weather["source"] == "articles/1@42" && weather["bytes"] == 8)
    #expect(weather["message"]?.string?.contains("Weather") == true && weather["attempts"] == 1)
    #expect(weather["sourceTime"] == "2026-11-30T12:00:00Z" && weather["time"] != nil)
    #expect(weather["letter"]?.string?.hasPrefix("articles.dlq/") == true)
  }

  @Test(
    "Each filter leaves those that it names",
    arguments: [
      (["--stage", "parse"], ["bytes"]), (["--error", "weather"], ["weather"]), (["--source", "desk"], ["bytes"]),
      (["--key", "large"], ["large"]), (["--stage", "decode", "--error", "missing"], ["large"]),
      (["--since", "2999-01-01T00:00:00Z"], []), (["--until", "2026-11-30T00:00:00Z"], []),
      (["--since", "2026-11-30T00:00:00Z", "--source", "desk"], ["bytes"]),
    ] as [([String], [String])])
  func filters(_ words: [String], _ keys: [String]) async throws {
    try await write(Self.letters)
    let memory = MemoryConsole()
    let status = await CommandTable.standard.run(
      ["dlq", "list", "--bootstrap-servers", cluster.bootstrapServers] + words, memory.console)
    #expect(status == .done)
    let rows = try memory.output.lines.map { try JSONValue(parsing: $0) }
    #expect(rows.compactMap { $0["key"]?.string } == keys)
  }

  @Test("Letters go back as they came, once each; a dry run writes nothing; what lacks its value is refused")
  func redrive() async throws {
    try await write(Self.letters)
    let dry = try await run("redrive", "--dry-run")
    #expect(dry.rows.count == 3 && dry.status == .failed)
    #expect(dry.errors.contains("lacks its value") && dry.errors.contains("articles/1@42"))
    #expect(try await read("articles").isEmpty)

    let (status, rows, _) = try await run("redrive", "--key", "weather")
    #expect(status == .done && rows.count == 1)
    let back = try await read("articles")
    try #require(back.count == 1)
    #expect(rows[0]["redriven"]?.string == back[0].place.description)
    #expect(back[0].key == Array("weather".utf8) && back[0].value == Array("{\"a\": 1}".utf8))
    #expect(
      back[0].headers == [
        KafkaHeader("trace", "7"), KafkaHeader("binary", [0, 0xFF]), KafkaHeader("tidings.attempts", "1"),
      ])

    let rest = try await run("redrive")
    #expect(rest.rows.count == 2)
    #expect(try await run("redrive").rows.isEmpty)
    #expect(try await read("articles").count == 2)
    let desk = try await read("desk")
    #expect(desk.map(\.value) == [[0xFF, 0]])
    #expect(try await read("articles").last { $0.key == nil }?.value == nil)
    // What is left is what cannot be put back.
    #expect(try await run("list").rows.compactMap { $0["key"]?.string } == ["large"])
    #expect(try await run("list", "--all").rows.count == 4)
  }

  @Test("What makes no sense says what would")
  func usage() async throws {
    let memory = MemoryConsole()
    #expect(await CommandTable.standard.run(["dlq", "list"], memory.console) == .usage)
    let time = try await run("list", "--since", "yesterday")
    #expect(time.status == .usage && time.errors.contains("2026-11-30T19:22:00Z"))
    let topic = try await run("list", "--topic", "nowhere")
    #expect(topic.status == .done || topic.errors.contains("nowhere"))
  }
}
