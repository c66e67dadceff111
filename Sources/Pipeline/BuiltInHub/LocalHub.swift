// Brings a notification to every device whose tags match. Never knows an article.

import JSON
public import Push
public import Runtime
public import Telemetry
public import Time

/// All that a hub keeps.
public typealias HubStore = RegistrationStore & Outbox & Mailbox

/// The hub that is built in: devices register here, notifications are taken here, and listening devices read here.
///
/// It holds what it has taken in its store; its `services` do the rest, in this process or in another one that shares
/// the store.
public struct LocalHub: Hub {
  /// How a hub behaves, and the bounds within which it works.
  public struct Options: Sendable {
    /// Tags that begin like one of these, in whatever case, may only be set by a back end, since a device could claim
    /// with them to be somebody else's.
    public var reservedTags: [String] = []
    /// The bounds of what is rendered and kept in mailboxes.
    public var rendition = Rendition.Limits()
    /// What a notification's properties may amount to as JSON, in bytes: Azure's limit on a request.
    public var propertiesBytesMax = 64 << 10
    /// How many registrations a step of a fan-out takes: few enough that the store's one writer is soon free again.
    public var stepMax = 1000
    /// For how long a notification is a process's to fan out without a sign of life: much longer than a step takes, and
    /// short enough that nobody minds when the process was killed.
    public var lease = Duration.seconds(3)
    /// How often to look for what other processes did.
    public var pollInterval = Duration.seconds(1)
    /// After how much silence a listening device gets a sign of life: less than any proxy's patience, which is a minute
    /// at most of them.
    public var heartbeat = Duration.seconds(15)
    /// How many devices may listen to this process.
    public var listenersMax = 10_000
    /// How often to forget what nobody needs any more.
    public var upkeepInterval = Duration.seconds(60)
    /// How long a notification's id is known: longer than the ledger of whoever sends knows it (90 days), so that what
    /// is sent again is known as such.
    public var notificationRetention = Duration.seconds(120 * 24 * 3600)
    /// How to go on after the store failed.
    public var retry = RetryPolicy(first: .milliseconds(100), ceiling: .seconds(10))

    /// The usual behaviour.
    public init() {}
  }

  /// The name under which devices and senders know it.
  public let name: String
  private let store: any HubStore
  private let options: Options
  private let clock: any WallClock
  private let logger: Logger
  private let metrics: HubMetrics
  private let taken = Wakeup()
  private let listeners: Listeners
  private let templates = TemplateCache()

  /// A hub that keeps its state in `store`.
  public init(
    name: String, store: any HubStore, options: Options = Options(), clock: any WallClock = SystemClock(),
    logger: Logger, metrics: MetricRegistry
  ) {
    self.name = name
    self.store = store
    self.options = options
    self.clock = clock
    self.logger = logger.with(["hub": LogValue(name)])
    self.metrics = HubMetrics(metrics)
    listeners = Listeners(countMax: options.listenersMax)
  }

  /// What has to run, here or in a process that shares the store, so that devices get what the hub has taken.
  public var services: [any Service] {
    [
      fanOut,
      Lookout(
        store: store, listeners: listeners, interval: options.pollInterval, clock: clock, logger: logger,
        metrics: metrics),
      Upkeep(store: store, options: options, clock: clock, logger: logger, metrics: metrics),
    ]
  }

  /// The one of the services that delivers.
  public var fanOut: any Service {
    FanOut(
      store: store, taken: taken, listeners: listeners, templates: templates, options: options, clock: clock,
      logger: logger, metrics: metrics)
  }
}

// MARK: - Devices

extension LocalHub {
  /// Registers a device, in place of what it registered before. Reserved tags are refused unless the caller
  /// `isTrusted`: a back end, or whoever may manage the hub.
  public func put(_ installation: Installation, isTrusted: Bool = false) async throws(RegistrationError) {
    if !isTrusted, let tag = installation.firstTag(where: isReserved) { throw .reservedTag(tag) }
    try await attempt { try await store.put(installation, at: clock.now) }
    logger.debug(
      "hub.installation_put",
      [
        "installation": LogValue(installation.id), "platform": LogValue(installation.platform.rawValue),
        "device": "\(HandleDigest(of: installation.pushChannel.handle))",
      ])
  }

  /// What a device registered; nil when there is no such installation.
  public func installation(_ id: String) async throws(RegistrationError) -> Installation? {
    try await attempt { try await store.installation(id, at: clock.now) }
  }

  /// Forgets a device; nothing more is delivered to it. Returns whether there was one.
  @discardableResult
  public func deleteInstallation(_ id: String) async throws(RegistrationError) -> Bool {
    let existed = try await attempt { try await store.deleteInstallation(id) }
    if existed { logger.debug("hub.installation_deleted", ["installation": LogValue(id)]) }
    return existed
  }

  /// What the device with this handle reads, from the event after `lastEventID` on; without one, or when the mailbox
  /// does not hold it any more, all that is retained.
  public func listen(handle: String, lastEventID: String? = nil) async throws(ListenError) -> MailboxStream {
    let device: DeviceID?
    var position: MailboxPosition?
    do {
      device = try await store.device(HandleDigest(of: handle))
      if let device, let event = lastEventID.flatMap({ MailboxEventID($0) }) {
        position = try await store.position(of: event, in: device)
      }
    } catch {
      throw .unavailable(failed(error))
    }
    guard let device else { throw .unknownDevice }
    guard let listener = listeners.join(device) else { throw .tooManyListeners }
    return MailboxStream(
      store: store, listeners: listeners, listener: listener, after: position, heartbeat: options.heartbeat,
      clock: clock)
  }

  private func isReserved(_ tag: Tag) -> Bool {
    options.reservedTags.contains { tag.folded.hasPrefix($0.lowercased()) }
  }

  private func attempt<Value>(_ body: () async throws -> Value) async throws(RegistrationError) -> Value {
    do { return try await body() } catch { throw .unavailable(failed(error)) }
  }

  /// Says to the operator what the client is not told: why the store did not do it.
  private func failed(_ error: any Error) -> String {
    if !(error is CancellationError) { logger.error("hub.store_failed", ["reason": "\(error)"]) }
    return "\(error)"
  }
}

extension Installation {
  fileprivate func firstTag(where isMeant: (Tag) -> Bool) -> Tag? {
    for registration in registrations {
      if let tag = registration.tags.first(where: isMeant) { return tag }
    }
    return nil
  }
}

/// Why a device is not registered.
public enum RegistrationError: Error, Hashable, Sendable {
  /// The tag may only be set by a back end.
  case reservedTag(Tag)
  /// The store failed; another time it may go well.
  case unavailable(String)
}

// MARK: - Notifications

extension LocalHub {
  /// An id is known to the store for longer than anybody sends again.
  public var repeatsSafely: Bool { true }

  /// Takes a notification for good. One that was taken before under its id is the same one.
  public func send(_ notification: Notification) async throws(HubError) -> Receipt {
    let size = notification.properties.json.serialized().count
    guard size <= options.propertiesBytesMax else {
      throw .refused(why: "the properties are \(size) bytes long; at most \(options.propertiesBytesMax) are taken")
    }
    let result: Enqueueing
    do {
      result = try await store.enqueue(notification, at: clock.now)
    } catch {
      throw .retry(after: options.pollInterval, why: failed(error))
    }
    taken.ring()
    let isNew = result == .taken
    metrics.accepted.increment([isNew ? "taken" : "known"])
    logger.info(
      isNew ? "hub.notification_taken" : "hub.notification_known",
      ["notification": "\(notification.id)", "audience": "\(notification.audience)"])
    return Receipt(notificationID: notification.id.description)
  }

  /// How far a notification has got; nil when the hub does not know it, or no longer.
  public func progress(of id: NotificationID) async throws -> NotificationProgress? {
    try await store.progress(of: id)
  }
}
