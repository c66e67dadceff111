internal import CLibcurl
internal import Synchronization

/// What other threads ask of the poll thread.
final class CommandQueue: Sendable {
  enum Command {
    case start(Transfer)
    case cancel(Transfer)
    case resume(Transfer)
    case stop
  }

  enum Receipt {
    case taken, full, closed
  }

  private struct State {
    var waiting: [Command] = []
    /// Started and not ended.
    var requests = 0
    var multi: MultiHandle?
    var isClosed = false
  }

  private let state = Mutex(State())
  private let requestsMax: Int

  init(requestsMax: Int) { self.requestsMax = requestsMax }

  /// Queues a command and wakes the poll thread. The wake-up stands inside the lock: behind it the thread may have
  /// ended and freed the handle.
  @discardableResult
  func post(_ command: Command) -> Receipt {
    state.withLock { state in
      if state.isClosed { return .closed }
      if case .start = command {
        if state.requests >= requestsMax { return .full }
        state.requests += 1
      }
      state.waiting.append(command)
      // Whoever posted before has woken it already.
      if state.waiting.count == 1, let multi = state.multi { curl_multi_wakeup(multi.pointer) }
      return .taken
    }
  }

  /// The poll thread's first word: from now on it can be woken.
  func open(_ multi: MultiHandle) { state.withLock { $0.multi = multi } }

  /// What has been asked since the last call.
  func takeAll() -> [Command] {
    state.withLock { state in
      defer { state.waiting.removeAll(keepingCapacity: true) }
      return state.waiting
    }
  }

  /// One request has ended.
  func requestEnded() { state.withLock { $0.requests -= 1 } }

  /// The poll thread's last word: what it has not taken, and nothing will come after.
  func close() -> [Command] {
    state.withLock { state in
      state.isClosed = true
      state.multi = nil
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}

/// Sendable because the poll thread makes every call on it but `curl_multi_wakeup`, which libcurl allows from any
/// thread.
struct MultiHandle: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
}
