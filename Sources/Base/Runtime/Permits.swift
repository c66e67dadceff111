internal import Synchronization

/// Bounds how much is under way: who comes when all permits are out waits in line.
public final class Permits: Sendable {
  private struct State {
    var left: Int
    var nextID = 0
    var waiters: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let state: Mutex<State>

  /// As many permits.
  public init(_ count: Int) { state = Mutex(State(left: count)) }

  /// Takes a permit, once there is one. Throws `CancellationError` when cancelled, and then none was taken.
  public func take() async throws {
    let id: Int? = state.withLock { state in
      if state.left > 0 {
        state.left -= 1
        return nil
      }
      state.nextID += 1
      return state.nextID
    }
    guard let id else { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let isCancelled = Task.isCancelled
        let goes = state.withLock { state in
          if !isCancelled && state.left > 0 {
            state.left -= 1
            return true
          }
          if !isCancelled { state.waiters.append((id, continuation)) }
          return false
        }
        if goes { continuation.resume() }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0).continuation }
      }
      waiter?.resume(throwing: CancellationError())
    }
  }

  /// Gives a permit back, to the first in line.
  public func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard !state.waiters.isEmpty else {
        state.left += 1
        return nil
      }
      return state.waiters.removeFirst().continuation
    }
    next?.resume()
  }
}
