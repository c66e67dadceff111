internal import Files
internal import Ingest
internal import JSON
internal import Kafka
internal import Publish
internal import Push
internal import Runtime
internal import SQLiteStore
internal import Synchronization
internal import Telemetry
internal import Time

/// `bench consume`: how fast articles on a topic become decisions in the ledger and notifications at a hub that accepts
/// at once. All parts are the worker's own, but for the hub and the broker, which runs in this process.
struct ConsumeBenchmark: Benchmark {
  let name = "consume"
  let summary = "takes 60,000 articles of 1 KiB from a topic through the ledger to a hub that accepts at once"

  private static let articles = 60_000
  private static let articleBytes = 1024
  /// The broker in the process keeps some 5 MB a partition.
  private static let partitions = 32

  func run(on files: [String], _ console: Console) async throws -> BenchmarkReport {
    guard files.isEmpty else { throw CommandFailure.usage("this benchmark makes its own input") }
    let folder = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(folder) }
    let loaded = try LoadedConfiguration(share: console.share())
    let store = try await SQLiteStore.open(path: folder + "/consume.db", logger: .silent)
    let cluster = try MockCluster()
    for topic in ["articles", "articles.dlq"] { try cluster.createTopic(topic, partitions: Self.partitions) }
    let settings = KafkaSettings(bootstrapServers: cluster.bootstrapServers)

    console.say("bench consume: writing \(Self.articles) articles")
    try await Self.fill(settings)
    console.say("bench consume: joining the group")
    let source = try KafkaArticleSource(
      settings, options: loaded.options.kafka.sourceOptions, clock: console.clock, logger: .silent,
      metrics: MetricRegistry())
    let watching = Task { try await source.run() }
    while source.fault != nil { try await Task.sleep(for: .milliseconds(10)) }

    console.say("bench consume: reading")
    let measurement = try await Measurement.of("consume") {
      try await Self.consume(source, store: store, loaded, clock: console.clock)
      return [
        .init(count: Double(Self.articles), unit: "articles"),
        .init(count: Double(Self.articles * Self.articleBytes) / 1e6, unit: "MB"),
      ]
    }
    watching.cancel()
    try await watching.value
    await store.close()
    return BenchmarkReport(
      input: [
        "articles": .number(JSONNumber(Self.articles)), "bytesPerArticle": .number(JSONNumber(Self.articleBytes)),
        "partitions": .number(JSONNumber(Self.partitions)), "categories": "by the editor", "locales": 3,
        "store": "SQLite, write-ahead log, every commit on the disk",
        "broker": "in this process: its processor time and the articles that it keeps are counted as well",
      ],
      measurements: [measurement])
  }

  // MARK: - Input

  private static func fill(_ settings: KafkaSettings) async throws {
    let producer = try KafkaProducer(settings, logger: .silent)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<articles {
        // What is under way is kept twice, here and by the client.
        if number >= 1_000 { try await group.next() }
        let text = article(number)
        group.addTask {
          try await producer.send(
            KafkaRecord(topic: "articles", key: Array("urn:bench:\(number)".utf8), value: Array(text.utf8)))
        }
      }
      try await group.waitForAll()
    }
    await producer.close()
  }

  /// An article with two translations, filled up to its size by its summary.
  private static func article(_ number: Int) -> String {
    let category = ["World", "Politics", "Business", "Technology", "Science", "Sports"][number % 6]
    let start =
      #"{"id":"urn:bench:\#(number)","version":1,"headline":"Strong quake off Hokkaido, report \#(number)","language":"en","#
      + #""translations":{"fr":{"headline":"Fort séisme au large de Hokkaido"},"zh":{"headline":"北海道附近海域发生强烈地震"}},"#
      + #""categories":["\#(category)"],"urgency":3,"url":"https://news.example/quake/\#(number)","#
      + #""source":"newsroom","summary":""#
    return start + String(repeating: "x", count: max(0, articleBytes - start.utf8.count - 2)) + #""}"#
  }

  // MARK: - Work

  private static func consume(
    _ source: KafkaArticleSource, store: SQLiteStore, _ loaded: LoadedConfiguration, clock: any WallClock
  ) async throws {
    let metrics = MetricRegistry()
    let hub = AcceptingHub(expected: articles)
    let outlet = Outlet(
      name: "bench", composer: loaded.composer, hub: hub,
      gate: HubGate(hub: "bench", clock: clock, logger: .silent, metrics: metrics))
    let desk = Desk(
      source: source, editing: loaded.editing(), ledger: store,
      publisher: Publisher(outlets: [outlet], ledger: store, clock: clock, logger: .silent, metrics: metrics),
      heldAnew: Wakeup(), clock: clock, logger: .silent, metrics: metrics)
    let working = Task { try await desk.run() }
    await hub.done.wait()
    // What is under way is settled before it ends.
    working.cancel()
    try await working.value
  }
}

/// Takes every notification at once.
private final class AcceptingHub: Hub {
  let repeatsSafely = true
  /// Rings when all have come.
  let done = Wakeup()
  private let left: Atomic<Int>

  init(expected: Int) { left = Atomic(expected) }

  func send(_ notification: Notification) async throws(HubError) -> Receipt {
    if left.subtract(1, ordering: .relaxed).newValue == 0 { done.ring() }
    return Receipt(notificationID: notification.id.description)
  }
}
