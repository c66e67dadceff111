import Glibc
import JSON
import Push
import Synchronization
import TestKit
import Testing

@Suite("Crash")
struct CrashTests {
  static func configuration(feed: String, store: String) -> String {
    """
    feeds:
      interval: 1s
      allowAddresses: [127.0.0.0/8]
      list: [{url: "\(feed)", category: Sports, language: en}]
    hub:
      accessRules:
        - {name: DefaultListenSharedAccessSignature, key: \(Worker.listenKey), rights: [Listen]}
        - {name: DefaultFullSharedAccessSignature, key: \(Worker.fullKey), rights: [Listen, Send, Manage]}
    store: {sqlite: "\(store)"}
    server: {port: 0, operationsPort: 0}
    logging: {level: debug, format: json}
    """
  }

  @Test("Fifty kills between the fetch and the mailbox lose nothing and repeat nothing", .timeLimit(.minutes(5)))
  func kills() async throws {
    let folder = try Folder()
    let items = 60
    let feed = try GrowingFeed(category: "sports", itemsMax: items)
    let configuration = try folder.write(
      Self.configuration(feed: feed.url, store: "\(folder.path)/tidings.db"), to: "tidings.yaml")
    let phones = [
      Phone(handle: "english-phone-of-the-crash-test", tags: ["Sports"], property: "News_English"),
      Phone(handle: "french-phone-of-the-crash-test-0", tags: ["Sports", "French"], property: "News_French"),
    ]

    // The first poll is the silent baseline: what it holds is not told.
    let first = try Worker(configuration: configuration)
    for phone in phones { try await phone.register(at: try await first.address()) }
    let baseline = try #require(
      await first.value(of: "feed.baseline") { record in record["items"]?.int })
    #expect(await first.stop() == .exited(0))

    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      let worker = try Worker(configuration: configuration)
      // A moment is a line of the log: of those that a run writes from its start to its first pushes.
      let moment = Int.random(in: 1...30, using: &generator)
      let lines = LineCount()
      _ = await worker.process.value(from: .errors) { _ in lines.next() == moment ? true : nil }
      worker.process.signal(SIGKILL)
      #expect(await worker.process.ending() == .killed(SIGKILL))
    }

    let last = try Worker(configuration: configuration)
    let hub = try await last.address()
    let expected = (baseline + 1...items).map { "sports \($0)" }
    _ = try await phones[0].mailbox(at: hub) { $0.count >= expected.count }
    // What comes after everything else shows that nothing came twice.
    try await Sender.send(["News_English": "end", "News_French": "end"], to: "Sports", at: hub)
    for (phone, text) in zip(phones, [{ $0 }, { "Flash Sports : \($0)" }] as [@Sendable (String) -> String]) {
      let bodies = try await phone.mailbox(at: hub) { $0.last?["message"]?.string == "end" }
      #expect(bodies.dropLast().compactMap { $0["message"]?.string }.sorted() == expected.map(text).sorted())
    }
    #expect(await last.stop() == .exited(0))
  }
}

/// Counts lines across calls.
final class LineCount: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
