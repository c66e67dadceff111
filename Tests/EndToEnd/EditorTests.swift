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

  static func configuration(brokers: String, store: String) -> String {
    """
    kafka:
      bootstrapServers: \(brokers)
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
    .timeLimit(.minutes(5)))
  func kills() async throws {
    let python = try #require(Self.python)
    let folder = try Folder()
    let broker = try await Broker(python: python)
    let configuration = try folder.write(
      Self.configuration(brokers: broker.address, store: "\(folder.path)/tidings.db"), to: "tidings.yaml")
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
    #expect(articles.count == 6 * 3 * 4 + 4)

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

    let poison = written["poison"]?.array ?? []
    let reader = try ChildProcess(python, [script, "letters", broker.address, "\(poison.count)"])
    #expect(await reader.ending() == .exited(0), "\(reader.lines(.errors))")
    let letters = try JSONValue(parsing: reader.lines().joined()).array ?? []
    for bad in poison {
      let letter = letters.first { $0["key"] == bad["key"] && $0["desk"] == bad["desk"] }
      #expect(letter?["headers"]?["tidings.error.stage"] == bad["stage"], "\(bad.text())")
      #expect(letter?["headers"]?["tidings.source.topic"]?.string == "articles")
      #expect(letter?["headers"]?["tidings.error.message"]?.string?.isEmpty == false)
    }
    #expect(letters.count == poison.count)
    #expect(await last.stop() == .exited(0))
    await broker.end()
  }
}

/// A broker in a process of its own, which ends with it.
private final class Broker: Sendable {
  let address: String
  private let process: ChildProcess
  private let folder: String

  init(python: String) async throws {
    folder = try FileSystem.makeTemporaryDirectory()
    // The program itself: what pip puts on the path starts it as a child of its own, which would outlive a kill.
    let found = try ChildProcess(python, ["-c", "import noida_db; print(noida_db.__path__[0])"])
    #expect(await found.ending() == .exited(0), "\(found.lines(.errors))")
    let program = found.lines().joined() + "/noida-db"
    var generator = SystemRandomNumberGenerator()
    while true {
      let port = Int.random(in: 20_000..<32_000, using: &generator)
      let process = try ChildProcess(
        program, ["start", "--only", "kafka", "--kafka-port", "\(port)", "--data-dir", folder])
      // It says so when it listens; where the port is taken it ends.
      guard await process.value(select: { $0.contains("127.0.0.1:\(port)") ? true : nil }) == true else { continue }
      address = "127.0.0.1:\(port)"
      self.process = process
      return
    }
  }

  func end() async {
    process.signal(SIGKILL)
    _ = await process.ending()
    _ = try? await ChildProcess("/bin/rm", ["-r", folder]).ending()
  }
}
