import Runtime
import Telemetry
import Time

/// Forgets what nobody needs any more, a little at a time, and counts what is there.
struct Upkeep: Service {
  let name = "hub.upkeep"
  let store: any HubStore
  let options: LocalHub.Options
  let clock: any WallClock
  let logger: Logger
  let metrics: HubMetrics

  func run() async throws {
    while !Task.isCancelled {
      do {
        try await purge()
        metrics.registrations.set(Double(try await store.registrationCount()))
        metrics.mailboxRows.set(Double(try await store.mailboxCount()))
      } catch {
        logger.warning("hub.upkeep_failed", ["reason": "\(error)"])
      }
      do { try await clock.sleep(for: options.upkeepInterval) } catch { return }
    }
  }

  private func purge() async throws {
    let now = clock.now
    let installations = try await repeated { try await store.purgeInstallations(expiredAt: now, limit: $0) }
    let rows = try await repeated { try await store.purgeMailbox(expiredAt: now, limit: $0) }
    let notifications = try await repeated {
      try await store.purgeNotifications(takenBefore: now - options.notificationRetention, limit: $0)
    }
    guard installations + rows + notifications > 0 else { return }
    logger.info(
      "hub.purged",
      [
        "installations": LogValue(installations), "mailboxRows": LogValue(rows),
        "notifications": LogValue(notifications),
      ])
  }

  /// Purges in pieces, so that a delivery never waits long for the store's one writer.
  private func repeated(_ purge: (Int) async throws -> Int) async throws -> Int {
    var count = 0
    while !Task.isCancelled {
      let purged = try await purge(Self.pieceMax)
      count += purged
      if purged < Self.pieceMax { break }
    }
    return count
  }

  private static let pieceMax = 500
}
