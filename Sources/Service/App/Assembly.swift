internal import API
internal import BuiltInHub
internal import Classify
internal import Curl
internal import Files
internal import Ingest
internal import Kafka
internal import MicroHTTP
internal import News
internal import Publish
internal import Push
internal import Runtime
internal import SQLiteStore
internal import Synchronization
internal import Telemetry
internal import Time

/// The worker, put together: reads from top to bottom as an article travels. The only place where the stages meet.
struct Assembly: Sendable {
  /// Where the hub's routes are served, and hubs of feeds call back; nil where there are neither.
  let serviceAddress: String?
  /// Where `/healthz`, `/readyz` and `/metrics` are served.
  let operationsAddress: String

  /// What a worker does.
  enum Mode {
    /// Everything that its roles say.
    case work
    /// Reads its topics up to their end, and notes in the ledger that all of it has been told; sends nothing.
    case replay
  }

  private let services: [any Service]
  private let editors: KafkaArticleSource?
  private let store: SQLiteStore
  private let logger: Logger

  /// Services stop one after the other within this: requests under way and articles under way have time to end.
  private static let stopDeadline = Duration.seconds(25)

  /// Opens the store and the listeners, and puts together what the roles of the configuration need.
  init(
    _ loaded: LoadedConfiguration, mode: Mode = .work, share: Share, clock: any WallClock, logger: Logger
  ) async throws {
    var options = loaded.options
    if mode == .replay {
      guard options.kafka.settings != nil else {
        throw Problem("there is no topic to replay", remedy: "kafka.bootstrapServers names the brokers")
      }
      options.roles = [.publish]
    }
    let metrics = MetricRegistry()
    metrics.gauge("tidings_build_info", help: "1, labelled with the version.", labels: ["version"])
      .set(1, [Program.version])
    let store = try await SQLiteStore.open(path: options.path(options.store.sqlite), logger: logger)
    let readiness = Readiness()
    let inboxFilled = Wakeup()
    let editors =
      try options.roles.contains(.publish)
      ? Self.editors(loaded, mode, clock: clock, logger: logger, metrics: metrics) : nil

    let operations = try Self.listener(portOption: "server.operationsPort") { () throws(HTTPServerError) in
      try Listener(
        name: "operations", address: options.server.address, port: UInt16(options.server.operationsPort),
        router: Router(
          OperationsRoutes(
            health: [.store(store)],
            readiness: [.readiness(readiness), .store(store)] + (editors.map { [.editors($0)] } ?? []),
            metrics: metrics
          ).routes),
        logger: logger, metrics: metrics)
    }
    var services: [any Service] = [operations]

    var hub: LocalHub?
    if let builtIn = options.builtInHub {
      hub = LocalHub(
        name: builtIn.name, store: try await store.hub(named: builtIn.name), options: builtIn.localOptions,
        clock: clock, logger: logger, metrics: metrics)
    }
    let intake =
      try await options.roles.contains(.ingest)
      ? FeedIntake(loaded, store: store, inboxFilled: inboxFilled, clock: clock, logger: logger, metrics: metrics) : nil
    let servedHub = options.roles.contains(.hub) ? hub : nil
    var serviceAddress: String?
    if servedHub != nil || intake?.callback != nil {
      let service = try Self.serviceListener(
        loaded, servedHub, callback: intake?.callback, share: share, clock: clock, logger: logger, metrics: metrics)
      serviceAddress = Self.address(of: service, options.server, isSecure: options.server.tls != nil)
      services += (servedHub?.services ?? []) + [service]
    }
    if options.roles.contains(.publish) {
      services += try Self.desks(
        loaded, mode, store: store, hub: hub, inboxFilled: inboxFilled, editors: editors, clock: clock,
        logger: logger, metrics: metrics)
    }
    services += intake?.services ?? []
    // The last to start and the first to stop.
    services.append(readiness)

    self.services = services
    self.editors = editors
    self.store = store
    self.logger = logger
    self.serviceAddress = serviceAddress
    operationsAddress = Self.address(of: operations, options.server, isSecure: false)
  }

  /// Works until cancelled, until a signal asks for the end or `end` returns, or until a part cannot go on; then stops everything in
  /// order and closes the store.
  func run(
    stoppingOn signals: [ProcessSignal], orAfter end: (@Sendable () async throws -> Void)? = nil,
    with others: [any Service] = []
  ) async throws {
    logger.info("worker.started", ["version": LogValue(Program.version)])
    let group = ServiceGroup(services + others, stopDeadline: Self.stopDeadline, logger: logger)
    do { try await group.run(stoppingOn: signals, orAfter: end) } catch {
      await store.close()
      throw error
    }
    await store.close()
    logger.info("worker.stopped")
  }

  /// Reads the topics up to their end, or until a signal asks for the end, and closes the store.
  func replay(stoppingOn signals: [ProcessSignal]) async throws {
    try await run(stoppingOn: signals, orAfter: { try await editors?.caughtUp() })
  }

  /// A listener; if it cannot be had, the error says which option names its port.
  private static func listener(
    portOption: String, _ open: () throws(HTTPServerError) -> Listener
  ) throws -> Listener {
    do { return try open() } catch {
      guard case .socket = error else { throw error }
      throw Problem("\(error)", remedy: "\(portOption) names another port, server.address another address")
    }
  }

  private static func address(of listener: Listener, _ server: Configuration.Server, isSecure: Bool) -> String {
    let host = server.address.contains(":") ? "[\(server.address)]" : server.address
    return "\(isSecure ? "https" : "http")://\(host):\(listener.port)"
  }
}

// MARK: - From a feed to the inbox

/// What brings feeds into the inbox: the poller, and where a public address is configured the subscriber at their hubs.
private struct FeedIntake {
  let services: [any Service]
  /// Where hubs call back; nil without a public address.
  let callback: WebSubRoutes?

  init(
    _ loaded: LoadedConfiguration, store: SQLiteStore, inboxFilled: Wakeup, clock: any WallClock, logger: Logger,
    metrics: MetricRegistry
  ) async throws {
    let feeds = loaded.options.feeds
    let client = feeds.client
    var relay: FeedRelay?
    let kafka = loaded.options.kafka
    if let settings = kafka.settings, let topic = kafka.feedTopic {
      relay = FeedRelay(
        source: InboxSource(store: store, bell: inboxFilled, clock: clock), topic: topic,
        writer: try TopicWriter(settings, clock: clock, logger: logger), clock: clock, logger: logger,
        metrics: metrics)
    }
    var subscriber: WebSubSubscriber?
    if let callback = loaded.options.server.callbackBase {
      var options = WebSubSubscriber.Options(callbackBase: callback, userAgent: feeds.agent)
      options.newItemsMax = feeds.limits.newItems
      subscriber = try await .open(
        feeds: loaded.feeds, store: store, client: client, bell: inboxFilled, options: options, clock: clock,
        logger: logger, metrics: metrics)
    }
    let poller = FeedPoller(
      feeds: loaded.feeds, fetcher: FeedFetcher(feeds, client: client, clock: clock), store: store,
      bell: inboxFilled, rhythm: CheckRhythm(interval: feeds.interval), subscriber: subscriber,
      options: feeds.pollerOptions, clock: clock, logger: logger, metrics: metrics)
    services = [poller] + (subscriber.map { [$0] } ?? []) + (relay.map { [$0] } ?? [])
    callback = subscriber.map { WebSubRoutes(subscriber: $0, poller: poller) }
  }
}

extension Configuration.Server {
  /// The callback's address without a subscription's token.
  fileprivate var callbackBase: WebURL? {
    publicUrl.flatMap { url in
      var base = url.text
      while base.hasSuffix("/") { base.removeLast() }
      return try? WebURL(base + WebSubRoutes.path)
    }
  }
}

// MARK: - From the editors

extension Assembly {
  private static func editors(
    _ loaded: LoadedConfiguration, _ mode: Mode, clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) throws -> KafkaArticleSource? {
    let kafka = loaded.options.kafka
    guard let settings = kafka.settings else { return nil }
    var options = kafka.sourceOptions
    if mode == .replay {
      options.isReplay = true
      options.transactionalID = nil
    }
    return try KafkaArticleSource(
      settings, options: options, registry: registry(loaded.options, clock: clock, logger: logger), clock: clock,
      logger: logger, metrics: metrics)
  }

  private static func registry(
    _ options: Configuration, clock: any WallClock, logger: Logger
  ) -> SchemaRegistry? {
    guard let registry = options.kafka.schemaRegistry, let url = registry.url else { return nil }
    var user: (name: String, password: Secret)?
    if let name = registry.username, let password = registry.password { user = (name, password) }
    return SchemaRegistry(url, user: user, caFile: registry.caFile.map(options.path), clock: clock, logger: logger)
  }
}

// MARK: - From the inbox and the editors to the hub

extension Assembly {
  private static func desks(
    _ loaded: LoadedConfiguration, _ mode: Mode, store: SQLiteStore, hub: LocalHub?, inboxFilled: Wakeup,
    editors: KafkaArticleSource?, clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) throws -> [any Service] {
    let heldAnew = Wakeup()
    var sources: [any ArticleSource] = []
    // What is due now has not been told: it waits for a worker that sends.
    if mode == .work { sources.append(HeldSource(ledger: store, heldAnew: heldAnew, clock: clock)) }
    // With a topic for feeds' articles they come back from there, to whichever worker of the group has the partition.
    if mode == .work, loaded.options.kafka.feedTopic == nil {
      sources.append(InboxSource(store: store, bell: inboxFilled, clock: clock))
    }
    // Its desk leans on it: it leaves its group only when what was begun is done.
    var services: [any Service] = []
    if let editors {
      sources.append(editors)
      services.append(editors)
    }
    let publisher = Publisher(
      outlets: try loaded.outlets(builtIn: hub, clock: clock, logger: logger, metrics: metrics),
      isReplaying: mode == .replay, ledger: store,
      onUnknown: loaded.options.publisher.onUnknown, clock: clock, logger: logger, metrics: metrics)
    let editing = loaded.editing(HintRecord(logger: logger, metrics: metrics))
    let decisions = editors.flatMap { editors in
      // A replay decides nothing anew.
      (mode == .work ? loaded.options.kafka.decisions : nil).map {
        DecisionTopic(topic: $0, writer: editors.writer, logger: logger, metrics: metrics)
      }
    }
    let desks = sources.map { source in
      Desk(
        source: source, editing: editing, ledger: store, publisher: publisher, decisions: decisions,
        heldAnew: heldAnew,
        clock: clock, logger: logger, metrics: metrics)
    }
    return services + [LedgerUpkeep(ledger: store, clock: clock, logger: logger)] + desks
  }
}

// MARK: - The service's routes

extension Assembly {
  private static func serviceListener(
    _ loaded: LoadedConfiguration, _ hub: LocalHub?, callback: WebSubRoutes?, share: Share, clock: any WallClock,
    logger: Logger, metrics: MetricRegistry
  ) throws -> Listener {
    let options = loaded.options
    let trusted = options.server.trustedProxies
    let isTrusted: @Sendable (String) -> Bool = { host in
      IPAddress(host).map { address in trusted.contains { $0.contains(address) } } ?? false
    }
    var limits = Limits()
    limits.isShared = { $0.isLoopback || isTrusted($0.host) }
    var routes: [Route] = []
    if let callback {
      routes += callback.routes
      limits.bodyBytesMaxAt = callback.bodyBytesMax
    }
    if let hub, let builtIn = options.builtInHub {
      routes += try hubRoutes(
        loaded, builtIn, hub, proxies: Proxies(isTrusted: isTrusted), share: share, clock: clock, logger: logger)
    }
    let router = Router(routes, clock: clock)
    return try listener(portOption: "server.port") { () throws(HTTPServerError) in
      try Listener(
        name: "service", address: options.server.address, port: UInt16(options.server.port),
        tls: options.server.tls.map {
          TLSIdentity(certificate: $0.certificate.reveal(), key: $0.key.reveal())
        },
        limits: limits, router: router, logger: logger, metrics: metrics)
    }
  }
}

extension Assembly {
  private static func hubRoutes(
    _ loaded: LoadedConfiguration, _ settings: HubSettings, _ hub: LocalHub, proxies: Proxies, share: Share,
    clock: any WallClock, logger: Logger
  ) throws -> [Route] {
    let accessRules = settings.accessRules.map(\.rule)
    let routes =
      DeviceRoutes(hub: hub, logger: logger).routes
      + AzureRoutes(hub: hub, accessRules: accessRules, proxies: proxies, clock: clock, logger: logger).routes
    guard loaded.options.server.page else { return routes }
    let page = try PageRoutes(
      html: try FileSystem.read(share.path("page/index.html"), bytesMax: 1 << 20), hub: hub,
      categories: Category.allCases.map(\.rawValue), locales: loaded.locales.map(\.pageLocale),
      accessRules: accessRules, proxies: proxies, clock: clock)
    return page.routes + routes
  }
}

extension Locale {
  fileprivate var pageLocale: PageRoutes.Locale {
    PageRoutes.Locale(
      name: name, language: language,
      categoryNames: Dictionary(uniqueKeysWithValues: Category.allCases.map { ($0.rawValue, self.name(of: $0)) }))
  }
}

// MARK: - Health

/// Whether the worker takes work: from when everything has started until it is told to stop.
private final class Readiness: Service {
  let name = "readiness"
  private let phase = Mutex("starting")

  var fault: String? { phase.withLock { $0 == "ready" ? nil : $0 } }

  func run() async throws {
    phase.withLock { $0 = "ready" }
    _ = await BoundedChannel<Never>(capacity: 1).receive()
    phase.withLock { $0 = "draining" }
  }
}

extension HealthCheck {
  fileprivate static func editors(_ source: KafkaArticleSource) -> HealthCheck {
    HealthCheck("kafka") { source.fault }
  }

  fileprivate static func readiness(_ readiness: Readiness) -> HealthCheck {
    HealthCheck("phase") { readiness.fault }
  }

  /// The store answers and its file is where it was: its threads turn. That an answer comes in time is the asker's to
  /// judge.
  fileprivate static func store(_ store: SQLiteStore) -> HealthCheck {
    HealthCheck("store") {
      do {
        try await store.check()
        return nil
      } catch {
        return "\(error)"
      }
    }
  }
}
