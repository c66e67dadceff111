import Synchronization
import TestKit

/// A hub like Azure's that is busy or away at times, and remembers what it took.
final class BusyHub: Sendable {
  private struct State {
    /// What it answers instead of taking anything, and until when.
    var refusal: (status: Int, until: ContinuousClock.Instant)?
    var refused = 0
    var taken: [SoakDelivery: Int] = [:]
  }

  private final class Memory: Sendable {
    let state = Mutex(State())

    func answer(_ request: RawServer.Request) -> RawServer.Answer {
      state.withLock { state in
        if let refusal = state.refusal, ContinuousClock.now < refusal.until {
          state.refused += 1
          return .status(refusal.status, ["Retry-After": "1"])
        }
        guard let delivery = SoakReader.delivery(in: request.body) else { return .status(400) }
        state.taken[delivery, default: 0] += 1
        return .status(201, ["Location": "/far/messages/NH-\(state.taken.count)"])
      }
    }
  }

  private let memory: Memory
  private let server: RawServer

  init() throws {
    let memory = Memory()
    self.memory = memory
    server = try RawServer(remembers: false) { memory.answer($0) }
  }

  var url: String { server.url() }
  /// How often it took each push.
  var taken: [SoakDelivery: Int] { memory.state.withLock { $0.taken } }
  /// How many requests it answered with something else.
  var refused: Int { memory.state.withLock { $0.refused } }

  /// Takes nothing for a while.
  func refuse(with status: Int, for duration: Duration) {
    memory.state.withLock { $0.refusal = (status, ContinuousClock.now + duration) }
  }

  /// Refuses connections for a while.
  func goAway(for duration: Duration) async throws {
    server.stop()
    try await Task.sleep(for: duration)
    try server.open()
  }

  func stop() { server.stop() }
}
