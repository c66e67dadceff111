import JSON
import Push
import Runtime
import Telemetry
import Time

/// Brings what the outbox holds to the devices: matches a page of the audience, renders, records, and so on to the end.
///
/// Each step is recorded whole or not at all, so wherever this is stopped, the next one goes on where the last step
/// ended, and nothing is delivered twice.
struct FanOut: Service {
  let name = "hub.fanout"
  let store: any HubStore
  let taken: Wakeup
  let listeners: Listeners
  let templates: TemplateCache
  let options: LocalHub.Options
  let clock: any WallClock
  let logger: Logger
  let metrics: HubMetrics

  func run() async throws {
    var generator = SystemRandomNumberGenerator()
    var failures = 0
    while !Task.isCancelled {
      do {
        try await drain()
        failures = 0
        // Others may have taken something, or left it half done, without ringing here.
        try await taken.wait(until: clock.now + options.pollInterval, clock: clock)
      } catch is CancellationError {
        return
      } catch {
        failures += 1
        logger.error("hub.fanout_failed", ["reason": "\(error)", "failures": LogValue(failures)])
        let delay = options.retry.delay(afterFailures: failures, using: &generator) ?? options.retry.ceiling
        try? await clock.sleep(for: delay)
      }
    }
  }

  /// Works until nothing is left to do.
  private func drain() async throws {
    while !Task.isCancelled,
      let lease = try await store.lease(until: clock.now + options.lease, at: clock.now)
    {
      try await fanOut(lease)
    }
  }

  private func fanOut(_ lease: OutboxLease) async throws {
    var lease = lease
    let notification = lease.notification
    let logger = logger.with(["notification": "\(notification.id)"])
    var rendition = Rendition(of: notification, templates: templates, limits: options.rendition)
    while true {
      guard !Task.isCancelled else { return try await store.release(lease) }
      let now = clock.now
      let step = try await nextStep(of: lease, &rendition, at: now)
      guard let recorded = try await store.record(step, under: lease, until: now + options.lease, at: now) else {
        // Another process took over. What it does is right whatever we did.
        logger.warning("hub.lease_lost")
        return
      }
      lease.cursor = step.cursor
      lease.tally.add(recorded.tally)
      listeners.wake(recorded.delivered, after: recorded.sequence)
      metrics.count(recorded.tally)
      if step.state.isFinal {
        metrics.fanOutSeconds.observe(lease.taken.distance(to: clock.now).inSeconds)
        log(step.state, of: lease, to: logger)
        return
      }
    }
  }

  private func nextStep(
    of lease: OutboxLease, _ rendition: inout Rendition, at now: Timestamp
  ) async throws -> FanOutStep {
    if let expires = lease.notification.expires, expires <= now {
      var step = FanOutStep(after: lease.cursor, expires: expires, mailboxMax: options.rendition.mailboxMax)
      step.state = .abandoned
      return step
    }
    let page = try await store.matches(
      lease.notification.audience, after: lease.cursor, limit: options.stepMax, at: now)
    var step = rendition.step(for: page, after: lease.cursor, at: now)
    if page.matches.count < options.stepMax {
      let isNobody = page.matches.isEmpty && lease.tally.matched == 0
      step.state = isNobody ? .noTargetFound : .completed
    }
    return step
  }

  private func log(_ state: NotificationState, of lease: OutboxLease, to logger: Logger) {
    let tally = lease.tally
    switch state {
    case .noTargetFound:
      logger.warning("hub.no_target_found", ["audience": "\(lease.notification.audience)"])
    case .abandoned:
      logger.warning(
        "hub.notification_expired",
        ["matched": LogValue(tally.matched), "delivered": LogValue(tally.count(of: .success))])
    case .completed, .enqueued, .processing:
      var outcomes: [String] = []
      tally.forEach { outcome, platform, count in
        outcomes.append("\(platform.rawValue) \(outcome.rawValue) \(count)")
      }
      logger.info(
        "hub.notification_delivered",
        [
          "matched": LogValue(tally.matched), "delivered": LogValue(tally.count(of: .success)),
          "outcomes": LogValue(outcomes.joined(separator: ", ")),
          "seconds": LogValue(lease.taken.distance(to: clock.now)),
        ])
    }
  }
}
