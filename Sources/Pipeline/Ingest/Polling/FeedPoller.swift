internal import Curl
internal import News
public import Runtime
internal import Synchronization
public import Telemetry
public import Time

/// Polls every followed feed when it is due, and puts what is new into the inbox. One bad feed never stops it.
public final class FeedPoller: Service {
  /// How much is done at once, and how long things are remembered.
  public struct Options: Sendable {
    /// Polls at once: each may hold a document of the largest size.
    public var pollsMax = 8
    /// Polls at once of one host.
    public var pollsPerHostMax = 2
    /// How long an identity that no document holds any more is remembered: a feed that comes back from an outage of
    /// that length tells nothing twice.
    public var identityRetention = Duration.seconds(60 * 24 * 3600)
    /// New items told after one poll, the newest; the others are only noted.
    public var newItemsMax = 50

    /// The usual bounds.
    public init() {}
  }

  /// Its name in log lines.
  public let name = "feeds"

  private let feeds: [FollowedFeed]
  private let check: FeedCheck
  private let rhythm: CheckRhythm
  private let store: any FeedStore
  private let bell: Wakeup
  private let options: Options
  private let clock: any WallClock
  private let logger: Logger
  private let metrics: PollMetrics
  private let dice: Mutex<any RandomNumberGenerator & Sendable>
  private let subscriber: WebSubSubscriber?
  private let events: AsyncStream<Event>
  private let sink: AsyncStream<Event>.Continuation

  /// - Parameters:
  ///   - bell: rung when the inbox has more.
  ///   - subscriber: told of the hubs that feeds name; nil to do without hubs.
  ///   - generator: dice for the jitter of checks.
  public init(
    feeds: [FollowedFeed], fetcher: FeedFetcher, store: any FeedStore, bell: Wakeup, rhythm: CheckRhythm,
    subscriber: WebSubSubscriber? = nil, options: Options = Options(), clock: any WallClock, logger: Logger,
    metrics: MetricRegistry,
    generator: sending any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    // Two subscriptions to one address share a state and its identities: the second would find nothing new.
    var addresses: Set<String> = []
    self.feeds = feeds.filter { feed in
      let isFirst = addresses.insert(feed.subscription.url).inserted
      if !isFirst { logger.warning("feed.repeated", ["feed": "\(feed.subscription.name)", "url": "\(feed.url.text)"]) }
      return isFirst
    }
    check = FeedCheck(fetcher: fetcher, rhythm: rhythm, newItemsMax: options.newItemsMax)
    self.rhythm = rhythm
    self.store = store
    self.bell = bell
    self.options = options
    self.clock = clock
    self.logger = logger
    self.metrics = PollMetrics(metrics)
    dice = Mutex(generator)
    self.subscriber = subscriber
    (events, sink) = AsyncStream.makeStream()
  }

  /// Polls the feed with that address soon, because it is said to have changed: at once, but no two times within
  /// a minute.
  public func hasten(_ url: String) { sink.yield(.hastened(url)) }

  private enum Event: Sendable {
    case ended(Int, FeedState, HostPause?)
    case hastened(String)
    case timer
  }

  private struct HostPause: Sendable {
    var host: String
    var until: Timestamp
  }

  /// Polls until cancelled.
  public func run() async throws {
    var states = try await loadStates()
    var schedule = PollSchedule(
      zip(feeds, states).map { ($0.url(now: $1).host, $1.due) }, runningMax: options.pollsMax,
      runningPerHostMax: options.pollsPerHostMax)
    var nextCleaning = clock.now + Self.cleaningInterval
    metrics.followed.set(Double(feeds.count))
    var failing = states.count { $0.failures > 0 }
    var disabled = states.count { $0.disabledReason != nil }
    metrics.failing.set(Double(failing))
    metrics.disabled.set(Double(disabled))

    let places = Dictionary(
      feeds.enumerated().map { ($1.subscription.url, $0) }, uniquingKeysWith: { first, _ in first })
    var alarm = Alarm(clock: clock) { [sink] in sink.yield(.timer) }
    defer { alarm.stop() }
    await withDiscardingTaskGroup { group in
      var incoming = events.makeAsyncIterator()
      while !Task.isCancelled {
        let now = clock.now
        if nextCleaning <= now {
          nextCleaning = now + Self.cleaningInterval
          group.addTask { await self.forgetOldIdentities(now) }
        }
        switch schedule.next(now: now) {
        case .poll(let index):
          let state = states[index]
          group.addTask {
            guard let event = await self.poll(index, state) else { return }
            self.sink.yield(event)
          }
          continue
        case .postpone(let index, let until):
          states[index] = await postpone(feeds[index], states[index], until)
          schedule.postponed(index, due: states[index].nextCheck)
          continue
        case .wait(let until):
          alarm.set(for: min(until ?? nextCleaning, nextCleaning))
        }
        switch await incoming.next() {
        case .ended(let index, let state, let pause):
          let before = states[index]
          failing += (state.failures > 0 ? 1 : 0) - (before.failures > 0 ? 1 : 0)
          disabled += (state.disabledReason != nil ? 1 : 0) - (before.disabledReason != nil ? 1 : 0)
          states[index] = state
          if let pause { schedule.pause(pause.host, until: pause.until) }
          schedule.ended(index, due: state.due, host: feeds[index].url(now: state).host)
          metrics.failing.set(Double(failing))
          metrics.disabled.set(Double(disabled))
        case .hastened(let url):
          guard let index = places[url], states[index].disabledReason == nil else { break }
          let earliest = states[index].lastAttempt.map { $0 + Self.hasteInterval } ?? clock.now
          schedule.hasten(index, to: max(earliest, clock.now))
        case .timer, nil: break
        }
      }
      group.cancelAll()
    }
  }

  /// Identities forgotten in one transaction, which keeps all other writers waiting.
  private static let forgottenAtOnce = 1000
  /// Whoever says that a feed has changed does not make it be polled more often.
  private static let hasteInterval = Duration.seconds(60)
  /// How often old identities are looked for.
  private static let cleaningInterval = Duration.seconds(24 * 3600)

  /// What is known of each followed feed, in their order. Never polled is due now.
  private func loadStates() async throws -> [FeedState] {
    let known = Dictionary(try await store.feedStates().map { ($0.url, $0) }, uniquingKeysWith: { $1 })
    let now = clock.now
    return feeds.map { feed in
      var state =
        known[feed.subscription.url] ?? FeedState(url: feed.subscription.url, nextCheck: now, nextCheckReason: "new")
      // A shorter interval in the configuration counts from the last look.
      if state.failures == 0, let last = state.lastAttempt, let own = feed.subscription.interval,
        last + own < state.nextCheck
      {
        state.nextCheck = last + own
      }
      return state
    }
  }

  /// One poll, to its commit; nil if it was cancelled.
  private func poll(_ index: Int, _ known: FeedState) async -> Event? {
    let feed = feeds[index]
    let logger = logger.with(["feed": "\(feed.subscription.name)", "url": "\(feed.url.text)"])
    let state = known.lastAttempt == nil ? nil : known
    let look: FeedCheck.Look
    do { look = try await check.look(at: feed, state: state) } catch { return nil }
    let now = clock.now
    let isPushed = subscriber?.isLive(feed.subscription.url) ?? false
    let poll = dice.withLock { check.poll(from: look, state: state, isPushed: isPushed, now: now, using: &$0) }
    do {
      let newCount = try await store.commit(poll)
      report(look, poll, newCount, logger)
      await subscriber?.polled(look, newCount: poll.isBaseline ? 0 : newCount, lastPoll: known.lastSuccess)
      if newCount > 0, !poll.isBaseline { bell.ring() }
      return .ended(index, poll.state, pause(look, poll))
    } catch is CancellationError {
      return nil
    } catch {
      // Nothing is stored, so nothing is lost: the same validators ask again.
      metrics.polls.increment(["store_failed"])
      logger.error("feed.not_stored", ["error": "\(String(describing: error))"])
      var unchanged = known
      unchanged.nextCheck = now + Self.storeRetry
      return .ended(index, unchanged, nil)
    }
  }

  /// How long a poll waits that the store has not taken.
  private static let storeRetry = Duration.seconds(30)

  /// A host that is throttling one feed will throttle the next. A 503 without a time is that feed's own trouble.
  private func pause(_ look: FeedCheck.Look, _ poll: Poll) -> HostPause? {
    guard case .fetch(.throttled(let status, let wait)) = look.problem, status == 429 || wait != nil else { return nil }
    return HostPause(host: look.fetch.finalURL.host, until: poll.state.nextCheck)
  }

  private func postpone(_ feed: FollowedFeed, _ state: FeedState, _ until: Timestamp) async -> FeedState {
    var state = state
    state.schedule(NextCheck(time: until, reason: "its host asked for a pause"))
    // Stored, so that it shows and survives a restart; if that fails, this process knows at least.
    let poll = Poll(state: state, articles: [], subscribed: nil, time: clock.now, isBaseline: state.lastSuccess == nil)
    do {
      _ = try await store.commit(poll)
      logger.debug("feed.postponed", ["url": "\(feed.url.text)", "until": LogValue(until)])
    } catch {
      logger.error("feed.not_stored", ["url": "\(feed.url.text)", "error": "\(String(describing: error))"])
    }
    return state
  }

  private func report(_ look: FeedCheck.Look, _ poll: Poll, _ newCount: Int, _ logger: Logger) {
    metrics.fetchSeconds.observe(look.fetch.fetchTime.inSeconds)
    let next: LogValue = LogValue(poll.state.nextCheck)
    let reason = LogValue(poll.state.nextCheckReason)
    if let problem = look.problem {
      metrics.polls.increment([problem.label])
      logger.warning(
        "feed.failed",
        [
          "error": LogValue(problem.description), "failures": LogValue(poll.state.failures), "next": next,
          "reason": reason,
        ])
      if let reason = poll.state.disabledReason { logger.error("feed.disabled", ["reason": LogValue(reason)]) }
      return
    }
    if let target = look.fetch.movedTo {
      let isConfirmed = poll.state.address == target.text
      logger.warning("feed.moved", ["to": LogValue(target.text), "confirmed": .flag(isConfirmed)])
    }
    guard let document = look.document else {
      metrics.polls.increment(["unchanged"])
      logger.debug("feed.unchanged", ["next": next, "reason": reason])
      return
    }
    metrics.polls.increment(["read"])
    if !poll.isBaseline {
      metrics.newItems.increment(by: Double(newCount))
      if newCount > poll.newItemsMax {
        logger.warning(
          "feed.flooded", ["new": LogValue(newCount), "told": LogValue(poll.newItemsMax)])
      }
    }
    if !document.repairs.isEmpty {
      logger.debug("feed.repaired", ["repairs": LogValue(document.repairs.joined(separator: "; "))])
    }
    if document.items.count > poll.articles.count {
      logger.debug(
        "feed.items_left_out", ["items": LogValue(document.items.count), "kept": LogValue(poll.articles.count)])
    }
    logger.info(
      poll.isBaseline ? "feed.baseline" : "feed.read",
      ["items": LogValue(poll.articles.count), "new": LogValue(newCount), "next": next, "reason": reason])
  }

  private func forgetOldIdentities(_ now: Timestamp) async {
    do {
      let cutoff = now - options.identityRetention
      while try await store.forgetIdentities(unseenSince: cutoff, limit: Self.forgottenAtOnce) == Self.forgottenAtOnce {
      }
    } catch {
      logger.warning("feed.identities_kept", ["error": LogValue(String(describing: error))])
    }
  }
}

extension FeedState {
  /// When to poll; nil for never.
  var due: Timestamp? { disabledReason == nil ? nextCheck : nil }
}

extension FeedCheck.Problem {
  /// A metric's label value: few, and stable.
  fileprivate var label: String {
    switch self {
    case .fetch(.unreachable(.refusedAddress(_, _))): "refused_address"
    case .fetch(.unreachable(.timedOut(_, _))): "timed_out"
    case .fetch(.unreachable): "unreachable"
    case .fetch(.throttled): "throttled"
    case .fetch(.gone): "gone"
    case .fetch: "refused"
    case .document: "no_feed"
    }
  }
}
