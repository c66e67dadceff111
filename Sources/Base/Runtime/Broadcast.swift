internal import Synchronization
public import Time

/// Tells everyone who waits that something has changed, where a `Wakeup` tells that there is something to do.
///
/// Who looks remembers the round first and waits past it: of what changed between looking and waiting he hears at once.
public final class Broadcast: Sendable {
  private struct State {
    var round = 0
    var nextID = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// Nothing has changed so far.
  public init() {}

  /// How often something has changed.
  public var round: Int { state.withLock { $0.round } }

  /// Something has changed.
  public func send() {
    let waiters = state.withLock { state in
      state.round += 1
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns once the round is past `seen`, at the latest at the deadline. Throws `CancellationError` when cancelled.
  public func wait(past seen: Int, until deadline: Timestamp, clock: any WallClock) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait(past: seen) }
      group.addTask { try await clock.sleep(until: deadline) }
      defer { group.cancelAll() }
      try await group.next()
      try Task.checkCancellation()
    }
  }

  /// Returns once the round is past `seen`, or the task is cancelled.
  private func wait(past seen: Int) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.round > seen || Task.isCancelled { return true }
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
