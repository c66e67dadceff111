import Curl
import Glibc
import JSON
import SQLite
import Synchronization
import TestKit
import Testing

@Suite("Azure's hub")
struct AzureTests {
  private static func configuration(feed: String, store: String, hub: String) -> String {
    """
    feeds:
      interval: 1s
      allowAddresses: [127.0.0.0/8]
      list: [{url: "\(feed)", category: Sports, language: en}]
    hub:
      kind: azure
      connectionString: "Endpoint=\(hub);SharedAccessKeyName=Send;SharedAccessKey=\(Worker.fullKey);EntityPath=News"
    store: {sqlite: "\(store)"}
    server: {port: 0, operationsPort: 0}
    logging: {level: debug, format: json}
    """
  }

  /// The headlines of the requests that a hub got.
  private static func headlines(_ hub: RawServer) -> [String] {
    hub.requests.compactMap { request in
      let body = try? JSONValue(parsing: request.body)
      return body?["News_English"]?.string
    }
  }

  private static let created = RawServer.Answer.status(201, ["Location": "/News/messages/NH-1"])

  /// How many publications the ledger has settled, by outcome.
  static func outcomes(in store: String) async throws -> [String: Int] {
    let database = try await Database.open(store)
    let rows = try await database.read { db in
      try db.rows("SELECT outcome, count(*) FROM publication WHERE outcome IS NOT NULL GROUP BY outcome") { row in
        (try row[0] as String, try row[1] as Int)
      }
    }
    await database.close()
    return Dictionary(uniqueKeysWithValues: rows)
  }

  @Test(
    "Kills before a hub that knows nothing again: no story is told twice, and each is told or noted as unknown",
    .timeLimit(.minutes(5)))
  func kills() async throws {
    let folder = try Folder()
    let store = "\(folder.path)/tidings.db"
    let items = 40
    let feed = try GrowingFeed(category: "sports", itemsMax: items)
    // Whom the hub kills as soon as it has a request of his, which it then leaves without an answer.
    let victim = Mutex<ChildProcess?>(nil)
    let hub = try RawServer { _ in
      guard let process = victim.withLock({ $0.take() }) else { return Self.created }
      process.signal(SIGKILL)
      return [.close]
    }
    let configuration = try folder.write(
      Self.configuration(feed: feed.url, store: store, hub: hub.url()), to: "tidings.yaml")
    let first = try Worker(configuration: configuration)
    let baseline = try #require(await first.value(of: "feed.baseline") { record in record["items"]?.int })
    #expect(await first.stop() == .exited(0))

    let killedByHub = 5
    for _ in 0..<killedByHub {
      let worker = try Worker(configuration: configuration)
      victim.withLock { $0 = worker.process }
      #expect(await worker.process.ending() == .killed(SIGKILL))
    }
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<10 {
      let worker = try Worker(configuration: configuration)
      let moment = Int.random(in: 1...12, using: &generator)
      let lines = LineCount()
      _ = await worker.process.value(from: .errors) { _ in lines.next() == moment ? true : nil }
      worker.process.signal(SIGKILL)
      #expect(await worker.process.ending() == .killed(SIGKILL))
    }
    let last = try Worker(configuration: configuration)
    _ = try await last.address(of: "operations")
    while try await Self.outcomes(in: store).values.reduce(0, +) < items - baseline {
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(await last.stop() == .exited(0))

    let told = Self.headlines(hub)
    #expect(Set(told).count == told.count, "told twice: \(told.sorted())")
    let outcomes = try await Self.outcomes(in: store)
    let unknown = outcomes["unknown"] ?? 0
    #expect(unknown >= killedByHub)
    #expect(outcomes["sent"] == items - baseline - unknown)
    // What is unknown was told, or the kill came between the note that it leaves and its leaving.
    #expect(told.count <= items - baseline && told.count >= items - baseline - (unknown - killedByHub))
  }

  @Test(
    "A refused key pauses the worker visibly; with a key that is right everything is sent once", .timeLimit(.minutes(1))
  )
  func refusedKey() async throws {
    let folder = try Folder()
    let feed = try GrowingFeed(category: "sports", itemsMax: 5)
    let isRefused = Mutex(true)
    let hub = try RawServer { _ in isRefused.withLock { $0 } ? .status(401) : Self.created }
    let configuration = try folder.write(
      Self.configuration(feed: feed.url, store: "\(folder.path)/tidings.db", hub: hub.url()), to: "tidings.yaml")
    let worker = try Worker(configuration: configuration)
    let reason = await worker.value(of: "hub.paused") { record in
      record["level"]?.string == "error" ? record["reason"]?.string : nil
    }
    #expect(reason?.contains("the key of Send is not valid") == true)
    let operations = try await worker.address(of: "operations")
    let metrics = try await HTTPClient().send(HTTPRequest("GET", try WebURL("\(operations)/metrics")))
    #expect(
      String(decoding: metrics.body, as: UTF8.self).contains("tidings_hub_paused{hub=\"News\",cause=\"access\"} 1\n"))
    #expect(await worker.stop() == .exited(0))
    #expect(!worker.process.lines(.errors).joined().contains(Worker.fullKey))

    isRefused.withLock { $0 = false }
    let refused = hub.requests.count
    let second = try Worker(configuration: configuration)
    while Set(Self.headlines(hub).dropFirst(refused)).count < 4 { try await Task.sleep(for: .milliseconds(50)) }
    #expect(await second.stop() == .exited(0))
    let told = Self.headlines(hub).dropFirst(refused)
    #expect(Set(told).count == told.count)
    let request = try #require(hub.requests.last)
    #expect(request.target == "/News/messages?api-version=2020-06")
    #expect(request["ServiceBusNotification-Tags"] == "Sports")
  }
}
