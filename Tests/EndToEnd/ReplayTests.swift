import Files
import JSON
import Synchronization
import TestKit
import Testing

/// Topics that are read again. Needs noida-db, where a group without members can be set back.
@Suite("Replay")
struct ReplayTests {
  private static let script = "\(Program.root)/Tests/EndToEnd/editor.py"

  private static func editor(_ words: String...) async throws {
    let process = try ChildProcess(try #require(KafkaBroker.python), [script] + words)
    #expect(await process.ending() == .exited(0), "\(process.lines(.errors))")
  }

  private func configuration(
    _ broker: KafkaBroker, store: String, group: String = "tidings", topics: [String] = ["articles"]
  ) -> String {
    """
    kafka:
      bootstrapServers: \(broker.address)
      group: \(group)
      sources: [\(topics.map { "{topic: \($0)}" }.joined(separator: ", "))]
    publisher: {corrections: send}
    hub:
      accessRules:
        - {name: DefaultListenSharedAccessSignature, key: \(Worker.listenKey), rights: [Listen]}
        - {name: DefaultFullSharedAccessSignature, key: \(Worker.fullKey), rights: [Listen, Send, Manage]}
    store: {sqlite: "\(store)"}
    server: {port: 0, operationsPort: 0}
    logging: {level: debug, format: json}
    """
  }

  /// Runs a worker until it has decided about so many articles, of which one is written now; the ids that the reader has
  /// by then.
  private func told(
    _ folder: Folder, _ configuration: String, _ broker: KafkaBroker, _ phone: Phone, marker: String, decided: Int,
    told: Int
  ) async throws -> [String] {
    let file = try folder.write(configuration, to: "tidings.yaml")
    let worker = try Worker(configuration: file)
    let hub = try await worker.address()
    try await phone.register(at: hub)
    let article = try folder.write(
      #"{"id": "\#(marker)", "headline": "Headline \#(marker)", "language": "en", "categories": ["World"]}"#,
      to: "\(marker).json")
    let publishing = try ChildProcess(Program.path, ["publish", article, "--config", file])
    #expect(await publishing.ending() == .exited(0), "\(publishing.lines(.errors))")
    let count = Mutex(0)
    _ = await worker.process.value(from: .errors) { line -> Bool? in
      guard line.contains("\"article.decided\"") else { return nil }
      return count.withLock { count -> Bool? in
        count += 1
        return count == decided ? true : nil
      }
    }
    let bodies = try await phone.mailbox(at: hub) { $0.count >= told && $0.contains { $0["id"]?.string == marker } }
    #expect(await worker.stop() == .exited(0))
    return bodies.compactMap { $0["id"]?.string }
  }

  @Test(
    "A group that is set back, a copy of the topic and a lost store tell no reader anything again",
    .enabled(if: KafkaBroker.python != nil, "TIDINGS_PYTHON names no Python; deploy/test.sh sets it up"),
    .timeLimit(.minutes(5)))
  func replay() async throws {
    let folder = try Folder()
    let broker = try await KafkaBroker(python: try #require(KafkaBroker.python))
    let phone = Phone(
      handle: "phone-of-the-replay-tests",
      tags: [
        "World", "Politics", "Business", "Technology", "Science", "Sports",
      ], property: "News_English")
    try await Self.editor("publish", broker.address, "0")
    let first = try await told(
      folder, configuration(broker, store: "\(folder.path)/tidings.db"), broker, phone, marker: "first", decided: 80,
      told: 80)
    #expect(first.count == 80)
    #expect(Set(first).count == first.count)

    try await Self.editor("rewind", broker.address, "tidings")
    let rewound = try await told(
      folder, configuration(broker, store: "\(folder.path)/tidings.db"), broker, phone, marker: "rewound", decided: 81,
      told: 81)
    #expect(rewound.sorted() == (first + ["rewound"]).sorted())

    try await Self.editor("copy", broker.address, "mirror")
    let mirrored = try await told(
      folder, configuration(broker, store: "\(folder.path)/tidings.db", topics: ["articles", "mirror"]), broker,
      phone, marker: "mirrored", decided: 82, told: 82)
    #expect(mirrored.sorted() == (rewound + ["mirrored"]).sorted())

    // The store is lost. A group of its own reads all topics from the start.
    let fresh = configuration(broker, store: "\(folder.path)/new.db", group: "new")
    let file = try folder.write(fresh, to: "replay.yaml")
    let replaying = try ChildProcess(Program.path, ["run", "--config", file, "--replay"])
    #expect(await replaying.ending() == .exited(0), "\(replaying.lines(.errors).suffix(20))")
    let afresh = try await told(folder, fresh, broker, phone, marker: "afresh", decided: 1, told: 1)
    #expect(afresh == ["afresh"])
    await broker.end()
  }
}
