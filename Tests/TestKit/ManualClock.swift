// TestKit: real parts made small for tests: a clock that is turned by hand, servers of fixtures, stores in memory.

import Synchronization
public import Time

/// A clock that a test turns by hand: whoever sleeps wakes when the hands pass his deadline.
public final class ManualClock: WallClock {
  private struct Sleeper {
    let deadline: Timestamp
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now: Timestamp
    var nextID = 0
    var sleepers: [Int: Sleeper] = [:]
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// A clock that stands at this time.
  public init(_ now: Timestamp = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!) {
    state = Mutex(State(now: now))
  }

  /// What the hands show.
  public var now: Timestamp { state.withLock { $0.now } }

  /// How many sleep now.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Turns the hands forward and wakes those whose time has come, the earliest first.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now + duration
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Returns when at least that many sleep: the way to know that a loop has reached its rest.
  public func waitForSleepers(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if ready { continuation.resume() }
    }
  }

  /// Sleeps until the hands are turned that far.
  public func sleep(until deadline: Timestamp) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        enum Step {
          case wake, cancel
          case wait([CheckedContinuation<Void, Never>])
        }
        let step = state.withLock { state -> Step in
          if Task.isCancelled { return .cancel }
          if deadline <= state.now { return .wake }
          state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
          let ready = state.watchers.filter { $0.count <= state.sleepers.count }
          state.watchers.removeAll { $0.count <= state.sleepers.count }
          return .wait(ready.map(\.continuation))
        }
        switch step {
        case .wake: continuation.resume()
        case .cancel: continuation.resume(throwing: CancellationError())
        case .wait(let watchers): for watcher in watchers { watcher.resume() }
        }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
