internal import Curl
internal import Files
internal import JSON
internal import Kafka
internal import News
internal import OpenSSL
internal import Publish
internal import Push
internal import Runtime
internal import Synchronization
internal import Telemetry
internal import Time

/// `demo`: all of it on one machine.
struct DemoCommand: Command {
  private static let once = CommandOption.flag("once", "end when every sample has arrived on every device")
  private static let table = CommandOption.flag("table", "a table instead of JSON Lines; the default on a terminal")
  private static let config = CommandOption(
    name: "config", value: "FILE", help: "another configuration than the demo's own (config/demo.yaml)")

  let usage = CommandUsage(
    name: "demo", summary: "shows everything at work: sample feeds, a broker, the worker, its hub and three devices",
    options: [once, table, config],
    explanation: """
      Serves sample feeds on loopback, one for each category, runs the worker on them, and registers three devices:
      English, French and Mandarin, each with all six categories. Every push is shown as it arrives. The reader's page
      is served as well. What each article is about, with the model's score and the reason, is told on standard error. And a broker that speaks Kafka's protocol: whoever writes an article to its topic "articles"
      is an editor. Their addresses are printed. Keeps nothing.
      """,
    examples: ["tidings demo", "tidings demo --once"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let share = try console.share()
    let clock = SystemClock()
    let samples = try SampleServer(directory: share.path("samples"), clock: clock)
    let broker = try Self.broker()
    let folder = try FileSystem.makeTemporaryDirectory()
    defer { Self.remove(folder) }
    let listenKey = Base64.standard.encode(try randomBytes(count: 32))
    let environment = [
      "DEMO_FEEDS": samples.base, "DEMO_BROKER": broker.bootstrapServers, "DEMO_STORE": "\(folder)/tidings.db",
      "DEMO_LISTEN_KEY": listenKey,
      "DEMO_FULL_KEY": Base64.standard.encode(try randomBytes(count: 32)),
    ]
    let loaded = try LoadedConfiguration(
      file: arguments.value(Self.config) ?? share.path("demo.yaml"),
      environment: console.environment.merging(environment) { $1 }, share: share)
    let worker = try await Assembly(
      loaded, share: share, clock: clock, logger: Self.logger(loaded.options.logging, console))
    guard let address = worker.serviceAddress else {
      throw CommandFailure.failed("the demo's devices need the role hub")
    }
    console.say("The reader's page: \(address)/")
    console.say(
      """
      An editor's broker: \(broker.bootstrapServers), for example
        echo '\(Self.exampleArticle.text())' | kcat -P -b \(broker.bootstrapServers) -t articles
        tidings publish ARTICLE.json --bootstrap-servers \(broker.bootstrapServers)
      """)

    let devices = try Self.devices(loaded, address: address, key: Secret(listenKey), clock: clock)
    let board = ArrivalBoard(
      console.output, asTable: arguments.isSet(Self.table) || console.output.isTerminal, clock: clock)
    let done = Wakeup()
    let isOnce = arguments.isSet(Self.once)
    // Each category's sample, and the editor's article.
    let expected = isOnce ? devices.count * (Category.allCases.count + 1) : nil
    let tally = ArrivalTally()
    let readers = devices.map { name, device in
      ClosureService("device-\(name)") {
        try await device.register()
        try await device.listen { arrival in
          try board.show(arrival, on: name)
          tally.add(name, arrival.notificationID)
          if tally.count == expected { done.ring() }
        }
      }
    }
    let editor = ClosureService("editor") { [settings = loaded.options.kafka.settings] in
      guard isOnce, let settings else { return }
      let producer = try KafkaProducer(settings, logger: .silent)
      try await producer.send(
        KafkaRecord(topic: "articles", key: nil, value: Self.exampleArticle.serialized()))
      await producer.close()
    }
    let everything: @Sendable () async -> Void = { await done.wait() }
    try await worker.run(
      stoppingOn: ProcessSignal.allCases, orAfter: expected == nil ? nil : everything,
      with: [samples] + readers + [editor])
    if tally.count == expected { console.say("Every sample has arrived in every language.") }
  }

  /// The worker's log, and of each article that is told what it is about and why, whatever the log's level.
  private static func logger(_ options: Configuration.Logging, _ console: Console) -> Logger {
    let log = options.logger(console)
    return Logger(level: min(.info, options.level)) { record in
      func text(_ name: String) -> String {
        guard case .text(let text)? = record.fields.last(where: { $0.name == name })?.value else { return "" }
        return text
      }
      if record.event == "article.decided", text("action") == "push" {
        console.say("\(text("categories")): \(text("headline"))\n    \(text("evidence"))")
      }
      log.pass(record)
    }
  }

  /// A broker in this process, with the topics of the demo's configuration.
  private static func broker() throws -> MockCluster {
    let broker = try MockCluster()
    for topic in ["articles", "articles.dlq"] { try broker.createTopic(topic, partitions: 4) }
    return broker
  }

  /// What an editor may write; `--once` writes it.
  private static let exampleArticle: JSONValue = [
    "id": "urn:demo:bridge", "headline": "Old harbour bridge opens to walkers", "language": "en",
    "translations": [
      "fr": ["headline": "Le vieux pont du port s’ouvre aux piétons"], "zh": ["headline": "老港大桥向行人开放"],
    ],
    "categories": ["World"],
  ]

  private static func devices(
    _ loaded: LoadedConfiguration, address: String, key: Secret, clock: any WallClock
  ) throws -> [(String, ReaderDevice)] {
    guard let rule = loaded.options.hub.accessRules.first(where: { $0.rights == [.listen] }) else {
      throw CommandFailure.failed("the demo's devices need an access rule with the right Listen")
    }
    let connection = try ConnectionString(
      parsing: "Endpoint=\(address)/;SharedAccessKeyName=\(rule.name);SharedAccessKey=\(rule.key.reveal())")
    let client = HTTPClient()
    return try loaded.locales.map { locale in
      (
        locale.name,
        try ReaderDevice(
          connection: connection, hub: loaded.options.hub.name, categories: Category.allCases, locale: locale.name,
          client: client, clock: clock)
      )
    }
  }

  private static func remove(_ folder: String) {
    for name in (try? FileSystem.names(inDirectory: folder)) ?? [] { try? FileSystem.remove("\(folder)/\(name)") }
    try? FileSystem.remove(folder)
  }
}

/// Which notifications have arrived on which devices.
private final class ArrivalTally: Sendable {
  private let arrived = Mutex<Set<[String]>>([])

  /// How many different ones there were.
  var count: Int { arrived.withLock { $0.count } }

  func add(_ device: String, _ notificationID: String) {
    arrived.withLock { _ = $0.insert([device, notificationID]) }
  }
}
