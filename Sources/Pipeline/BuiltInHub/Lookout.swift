import Runtime
import Telemetry
import Time

/// Looks, once a while, for what nobody rings for: the steps of other processes, and listeners whose patience ends.
struct Lookout: Service {
  let name = "hub.lookout"
  let store: any HubStore
  let listeners: Listeners
  let interval: Duration
  let clock: any WallClock
  let logger: Logger
  let metrics: HubMetrics

  func run() async throws {
    while !Task.isCancelled {
      do { try await clock.sleep(for: interval) } catch { return }
      listeners.tick(clock.now)
      metrics.listeners.set(Double(listeners.count))
      guard listeners.count > 0 else { continue }
      do {
        listeners.look(try await store.latestSequence())
      } catch {
        // Listeners of this process's own steps are woken all the same.
        logger.warning("hub.lookout_failed", ["reason": "\(error)"])
      }
    }
  }
}
