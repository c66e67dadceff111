internal import BuiltInHub
internal import Files
internal import JSON
internal import Push
internal import Runtime
internal import SQLiteStore
internal import Telemetry
internal import Time

/// `bench match`: how soon a notification for many devices is matched and rendered, and how soon it is in all of their
/// mailboxes, on a store in a file.
struct MatchBenchmark: Benchmark {
  let name = "match"
  let summary = "matches, renders and delivers over 100,000 registrations in six categories and three locales"

  private static let devices = 100_000
  private static let categories = ["World", "Politics", "Business", "Technology", "Science", "Sports"]
  private static let locales = ["English", "French", "Mandarin"]
  private static let audiences = [
    "World", "World || Politics", "(World || Politics) && !Sports", "World && $UserId:{reader-77777}",
    "World || Politics || Business || Technology || Science || Sports",
  ]

  func run(on files: [String], _ console: Console) async throws -> BenchmarkReport {
    guard files.isEmpty else { throw CommandFailure.usage("this benchmark makes its own input") }
    let folder = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(folder) }
    let store = try await SQLiteStore.open(path: folder + "/match.db", logger: .silent)
    let hub = try await store.hub(named: "news")
    console.say("bench match: registering \(Self.devices) devices")
    var measurements = [
      try await Measurement.of("register") {
        try await Self.register(in: hub)
        return [.init(count: Double(Self.devices), unit: "devices")]
      }
    ]
    for (number, audience) in Self.audiences.enumerated() {
      let notification = try Self.notification(number, to: audience)
      console.say("bench match: \(audience)")
      measurements += try await Self.match(notification, in: hub)
    }
    console.say("bench match: delivering to mailboxes")
    measurements.append(try await Self.deliver(try Self.notification(99, to: "World || Politics"), from: hub))
    await store.close()
    return BenchmarkReport(
      input: [
        "devices": .number(JSONNumber(Self.devices)), "platform": "sse", "registrationsPerDevice": 2,
        "categories": .array(Self.categories.map { .string($0) }), "categoriesPerDevice": "1 to 6, 3 on average",
        "locales": .array(Self.locales.map { .string($0) }), "store": "SQLite, write-ahead log",
      ],
      measurements: measurements)
  }

  // MARK: - Input

  private static func register(in hub: SQLiteHubStore) async throws {
    // As many at once as clients might ask for; the store writes what waits in one commit.
    let width = 64
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<width {
        group.addTask {
          for number in stride(from: lane, to: devices, by: width) {
            try await hub.put(try device(number), at: SystemClock().now)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func device(_ number: Int) throws -> Installation {
    // Every non-empty choice of categories equally often, mixed so that neighbours differ.
    let choice = (number &* 2_654_435_761 >> 7) % 63 + 1
    let tags = categories.indices.filter { choice >> $0 & 1 == 1 }.map { JSONValue.string(categories[$0]) }
    let locale = locales[number % locales.count]
    return try Installation(json: [
      "installationId": .string("device-\(number)"), "platform": "sse",
      "pushChannel": .string("benchmark-handle-of-the-device-\(number)"), "userId": .string("reader-\(number)"),
      "tags": .array(tags),
      "templates": ["news": ["body": .string(#"{"aps":{"alert":"$(News_\#(locale))"},"url":"$(url)"}"#)]],
    ])
  }

  private static func notification(_ number: Int, to audience: String) throws -> Notification {
    var properties: Properties = ["url": "https://news.example/quake"]
    for locale in locales {
      properties["News_\(locale)"] = "Breaking World News: strong quake off Hokkaido (\(locale))"
    }
    return Notification(
      id: NotificationID(at: SystemClock().now), properties: properties,
      audience: .matching(try TagExpression(parsing: audience)))
  }

  // MARK: - Measurements

  private static let pageMax = LocalHub.Options().stepMax

  /// Matches and renders for a whole audience: the first page, and all of them.
  private static func match(_ notification: Notification, in hub: SQLiteHubStore) async throws -> [Measurement] {
    var rendition = Rendition(of: notification, templates: TemplateCache())
    var cursor: RegistrationID?
    func page() async throws -> Int {
      let page = try await hub.matches(notification.audience, after: cursor, limit: pageMax, at: SystemClock().now)
      let step = rendition.step(for: page, after: cursor, at: SystemClock().now)
      cursor = step.cursor
      return step.entries.count
    }
    let audience = "\(notification.audience)"
    var count = 0
    let first = try await Measurement.of("first batch: \(audience)") {
      count = try await page()
      return [.init(count: Double(count), unit: "devices")]
    }
    guard count == pageMax else { return [first] }
    let rest = try await Measurement.of("match and render: \(audience)") {
      var total = 0
      while case let count = try await page(), count > 0 { total += count }
      return [.init(count: Double(total), unit: "devices")]
    }
    return [first, rest]
  }

  /// Brings a notification into all mailboxes of its audience, as the worker does.
  private static func deliver(_ notification: Notification, from store: SQLiteHubStore) async throws -> Measurement {
    let hub = LocalHub(name: "news", store: store, logger: .silent, metrics: MetricRegistry())
    let fanOut = Task { try await hub.fanOut.run() }
    defer { fanOut.cancel() }
    return try await Measurement.of("deliver to mailboxes: \(notification.audience)") {
      _ = try await hub.send(notification)
      while true {
        if let progress = try await hub.progress(of: notification.id), progress.state.isFinal {
          return [.init(count: Double(progress.tally.count(of: .success)), unit: "devices")]
        }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }
}
