import Files
import Glibc
import JSON
import Push
import TestKit
import Testing

/// Needs noida-db, which moves a static member's partitions at once; the mock cluster takes half a minute for each.
@Suite("Editors")
struct EditorTests {
  /// A Python with kafka-python and noida-db, as `deploy/test.sh` sets it up.
  static let python = ProcessEnvironment.variables["TIDINGS_PYTHON"]

  static func configuration(brokers: String, store: String, transactionalID: String? = nil) -> String {
    """
    kafka:
      bootstrapServers: \(brokers)
      transactionalId: \(transactionalID ?? "null")
      properties: {group.instance.id: worker-1}
    hub:
      accessRules:
        - {name: DefaultListenSharedAccessSignature, key: \(Worker.listenKey), rights: [Listen]}
        - {name: DefaultFullSharedAccessSignature, key: \(Worker.fullKey), rights: [Listen, Send, Manage]}
    store: {sqlite: "\(store)"}
    server: {port: 0, operationsPort: 0}
    logging: {level: debug, format: json}
    """
  }

  @Test(
    "Ten kills lose and repeat nothing of what editors write in all compressions, and all poison is put aside",
    .enabled(if: python != nil, "TIDINGS_PYTHON names no Python with kafka-python; deploy/test.sh sets it up"),
    .timeLimit(.minutes(5)), arguments: [nil, "worker-1"])
  func kills(transactionalID: String?) async throws {
    let python = try #require(Self.python)
    let folder = try Folder()
    let broker = try await KafkaBroker(python: python)
    let configuration = try folder.write(
      Self.configuration(brokers: broker.address, store: "\(folder.path)/tidings.db", transactionalID: transactionalID),
      to: "tidings.yaml")
    let categories = ["World", "Politics", "Business", "Technology", "Science", "Sports"]
    let phones = ["English", "French", "Mandarin"].map { name in
      Phone(handle: "phone-of-the-editors-test-\(name)", tags: categories + [name], property: "News_\(name)")
    }
    let first = try Worker(configuration: configuration)
    for phone in phones { try await phone.register(at: try await first.address()) }
    #expect(await first.stop() == .exited(0))

    let script = "\(Program.root)/Tests/EndToEnd/editor.py"
    let editor = try ChildProcess(python, [script, "publish", broker.address, "0.1"])
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<10 {
      let worker = try Worker(configuration: configuration)
      let moment = Int.random(in: 5...80, using: &generator)
      let lines = LineCount()
      // One that has nothing left to write is killed as well.
      let killing = Task {
        try await Task.sleep(for: .seconds(3))
        worker.process.signal(SIGKILL)
      }
      defer { killing.cancel() }
      _ = await worker.process.value(from: .errors) { _ in lines.next() == moment ? true : nil }
      worker.process.signal(SIGKILL)
      #expect(await worker.process.ending() == .killed(SIGKILL))
    }
    #expect(await editor.ending() == .exited(0), "\(editor.lines(.errors))")
    let written = try JSONValue(parsing: editor.lines().joined())
    let articles = written["articles"]?.array?.compactMap(\.string) ?? []
    #expect(articles.count == 79)

    let last = try Worker(configuration: configuration)
    let hub = try await last.address()
    _ = try await phones[0].mailbox(at: hub) { $0.count >= articles.count }
    // What comes after everything else shows that nothing came twice.
    try await Sender.send(["News_English": "end", "News_French": "end", "News_Mandarin": "end"], to: "Sports", at: hub)
    for phone in phones {
      let bodies = try await phone.mailbox(at: hub) { $0.last?["message"]?.string == "end" }
      #expect(bodies.dropLast().compactMap { $0["id"]?.string }.sorted() == articles.sorted())
      let french = bodies.first { $0["id"]?.string == "zstd-Sports-fr" }?["message"]?.string
      let isOwn = phone.property == "News_French"
      #expect(french?.hasSuffix("Headline zstd-Sports-fr") == true)
      #expect((french == "Headline zstd-Sports-fr") == isOwn)
    }

    // A push is there before the decision about it is.
    while Set(try await Self.decided(at: broker)) != Set(articles) {}
    #expect(await last.stop() == .exited(0))
    let poison = written["poison"]?.array ?? []
    let letters = try await Self.read("articles.dlq", at: broker)
    for bad in poison {
      let letter = letters.first { $0["key"] == bad["key"] && $0["desk"] == bad["desk"] }
      #expect(letter?["headers"]?["tidings.error.stage"] == bad["stage"], "\(bad.text())")
      #expect(letter?["headers"]?["tidings.source.topic"]?.string == "articles")
      #expect(letter?["headers"]?["tidings.error.message"]?.string?.isEmpty == false)
    }
    // Without transactions a crash between the topic and the offset may repeat a record.
    let told = try await Self.decided(at: broker)
    #expect((transactionalID == nil ? Array(Set(told)) : told).sorted() == articles.sorted())
    if transactionalID != nil {
      #expect(letters.count == poison.count)
      try await Self.redrive(configuration, poison: poison)
    }
    await broker.end()
  }

  /// Puts the letters about an unknown category back, which become letters again.
  private static func redrive(_ configuration: String, poison: [JSONValue]) async throws {
    func command(_ words: String...) async throws -> [JSONValue] {
      let process = try ChildProcess(Program.path, ["dlq"] + words + ["--config", configuration])
      #expect(await process.ending() == .exited(0), "\(process.lines(.errors))")
      return try process.lines().map { try JSONValue(parsing: $0) }
    }
    #expect(try await command("list").count == poison.count)
    let weather = poison.count { $0["key"]?.string?.hasSuffix("-category") == true }
    #expect(try await command("redrive", "--error", "Weather").count == weather)
    #expect(try await command("redrive", "--error", "Weather").isEmpty)
    let worker = try Worker(configuration: configuration)
    while try await command("list", "--error", "Weather").count < weather {}
    #expect(try await command("list", "--error", "Weather").allSatisfy { $0["attempts"] == 2 })
    #expect(await worker.stop() == .exited(0))
  }

  /// The articles of which a decision is told.
  private static func decided(at broker: KafkaBroker) async throws -> [String] {
    let decisions = try await read("tidings.decisions", at: broker).map {
      try JSONValue(parsing: $0["value"]?.string ?? "")
    }
    #expect(decisions.allSatisfy { $0["action"] == "push" && $0["notificationId"] != nil && $0["record"] != nil })
    return decisions.compactMap { $0["articleId"]?.string }
  }

  /// All committed records of a topic, as another client sees them.
  private static func read(_ topic: String, at broker: KafkaBroker) async throws -> [JSONValue] {
    let python = try #require(python)
    let reader = try ChildProcess(
      python, ["\(Program.root)/Tests/EndToEnd/editor.py", "read", broker.address, topic])
    #expect(await reader.ending() == .exited(0), "\(reader.lines(.errors))")
    return try JSONValue(parsing: reader.lines().joined()).array ?? []
  }
}
