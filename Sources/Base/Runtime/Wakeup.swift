internal import Synchronization
public import Time

/// Lets one part tell others in the same process that there is something to do, so that they need not look often.
///
/// A ring that nobody waits for is kept, so that none is lost between looking and waiting; several are one.
public final class Wakeup: Sendable {
  private struct State {
    var hasRung = false
    var nextID = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// A bell that nobody has rung.
  public init() {}

  /// Wakes who waits; else the next who does.
  public func ring() {
    let waiters = state.withLock { state in
      state.hasRung = state.waiters.isEmpty
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when the bell rings, at the latest at the deadline. Throws `CancellationError` when cancelled.
  public func wait(until deadline: Timestamp, clock: any WallClock) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait() }
      group.addTask { try await clock.sleep(until: deadline) }
      defer { group.cancelAll() }
      try await group.next()
      try Task.checkCancellation()
    }
  }

  /// Returns when the bell rings or the task is cancelled.
  public func wait() async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.hasRung || Task.isCancelled {
            state.hasRung = false
            return true
          }
          state.waiters[id] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
    }
  }
}
