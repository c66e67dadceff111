import Files
import JSON
import Kafka
import Telemetry
import Testing

@testable import App

/// Needs librdkafka's mock cluster.
@Suite(.timeLimit(.minutes(1))) struct PublishCommandTests {
  let cluster: MockCluster
  let folder: String

  init() throws {
    cluster = try MockCluster()
    folder = try FileSystem.makeTemporaryDirectory()
    for topic in ["articles", "desk"] { try cluster.createTopic(topic, partitions: 1) }
  }

  private func run(_ arguments: String...) async -> (status: ExitCode, console: MemoryConsole) {
    let console = MemoryConsole(input: #"{"id": "from-input", "headline": "h"}"#)
    return (await CommandTable.standard.run(arguments, console.console), console)
  }

  private func file(_ name: String, _ text: String) throws -> String {
    try FileSystem.write(Array(text.utf8), to: "\(folder)/\(name)")
    return "\(folder)/\(name)"
  }

  private func read(_ count: Int, from topic: String) async throws -> [KafkaMessage] {
    let consumer = try KafkaConsumer(
      KafkaSettings(bootstrapServers: cluster.bootstrapServers), options: .init(group: "readers", topics: [topic]),
      logger: .silent)
    var messages: [KafkaMessage] = []
    while messages.count < count, let more = try await consumer.next(limit: count) { messages += more }
    await consumer.close()
    return messages
  }

  @Test("Articles go onto the topic as they were written, each under its id")
  func publishes() async throws {
    let text = #"{"id": "a", "headline": "h",  "house-field": [1, 2]}"#
    let (status, console) = await run(
      "publish", try file("a.json", text), "-", "--bootstrap-servers", cluster.bootstrapServers)
    #expect(status == .done)
    #expect(
      console.output.lines == [
        #"{"id":"a","topic":"articles","partition":0,"offset":0}"#,
        #"{"id":"from-input","topic":"articles","partition":0,"offset":1}"#,
      ])
    let messages = try await read(2, from: "articles")
    #expect(messages.map(\.key) == [Array("a".utf8), Array("from-input".utf8)])
    #expect(messages[0].value == Array(text.utf8))
  }

  @Test("Nothing is published when one article cannot be read, and each fault is named with its path")
  func faults() async throws {
    let (status, console) = await run(
      "publish", try file("good.json", #"{"id": "a", "headline": "h"}"#),
      try file("empty.json", #"{"id": "b", "translations": {"fr": {"headline": ""}}}"#), try file("broken.json", "{"),
      "--bootstrap-servers", cluster.bootstrapServers)
    #expect(status == .failed)
    #expect(console.output.text == "")
    #expect(console.errors.text.contains("empty.json: translations.fr.headline: empty"))
    #expect(console.errors.text.contains("broken.json:1:2: "))
    #expect(console.errors.lines.last == "tidings publish: nothing was published")
  }

  @Test("A configuration names the brokers and the topic of its editors; retracting writes a tombstone")
  func configured() async throws {
    let configuration = try file(
      "tidings.yaml",
      """
      kafka:
        bootstrapServers: \(cluster.bootstrapServers)
        sources: [{topic: agency, trust: feed}, {topic: desk}]
      """)
    #expect(await run("publish", "-", "--config", configuration).status == .done)
    #expect(await run("retract", "from-input", "--config", configuration).status == .done)
    let messages = try await read(2, from: "desk")
    #expect(messages.map(\.key) == [Array("from-input".utf8), Array("from-input".utf8)])
    #expect(messages[1].value == nil)
  }

  @Test(
    "Without brokers, with two ways to them, or with an id that none is, it says how to call it",
    arguments: [
      ["publish", "-"], ["publish", "-", "--config", "x", "--bootstrap-servers", "y"], ["publish"],
      ["retract", "", "--bootstrap-servers", "127.0.0.1:9"],
    ])
  func usage(_ arguments: [String]) async {
    #expect(await CommandTable.standard.run(arguments, MemoryConsole().console) == .usage)
  }
}
