import Glibc
import Synchronization

/// One accepted socket, from accept to close: which part of a request it is in, and until when it may be.
final class Connection: Sendable {
  enum Phase {
    case waiting
    case reading
    case handling(Exchange)
    case sending
    case streaming(ResponseWriter)
  }

  private struct State {
    var isOpen = true
    var phase = Phase.waiting
    var exchange: Exchange?
    var deadline: ContinuousClock.Instant
  }

  let socket: Int32
  let peer: PeerAddress
  private let state: Mutex<State>

  /// A connection whose first request must have begun before `deadline`.
  init(socket: Int32, peer: PeerAddress, deadline: ContinuousClock.Instant) {
    self.socket = socket
    self.peer = peer
    state = Mutex(State(deadline: deadline))
  }

  /// Whether a request is under way.
  var isBusy: Bool {
    state.withLock { state in
      if case .waiting = state.phase { return false }
      return state.isOpen
    }
  }

  /// A request line has arrived; keeps `exchange` until the request is completed.
  func begin(_ exchange: Exchange, deadline: ContinuousClock.Instant) {
    state.withLock { state in
      state.phase = .reading
      state.exchange = exchange
      state.deadline = deadline
    }
  }

  /// Moves on within the request.
  func enter(_ phase: Phase, deadline: ContinuousClock.Instant) {
    state.withLock { state in
      state.phase = phase
      state.deadline = deadline
    }
  }

  /// The request is over, answered or not.
  func complete(deadline: ContinuousClock.Instant) {
    state.withLock { state in
      state.phase = .waiting
      state.exchange = nil
      state.deadline = deadline
    }
  }

  /// The library is about to close the socket: from here on its number may belong to another one.
  func forget() {
    state.withLock { $0.isOpen = false }
  }

  /// Enforces the deadline: a handler is answered for, a stream ends, anything else loses its socket. `grace` is how
  /// long the rest of the answer may take then.
  func enforce(_ now: ContinuousClock.Instant, grace: Duration) {
    let phase = state.withLock { state -> Phase in
      guard state.isOpen, now >= state.deadline else {
        if case .streaming = state.phase { return state.phase }
        return .waiting
      }
      switch state.phase {
      case .handling:
        state.deadline = now + grace
        return state.phase
      case .streaming:
        state.deadline = now + grace
        if let writer = state.phase.writer, writer.isEnding { shutdown(socket, Int32(SHUT_RDWR)) }
        return state.phase
      case .waiting, .reading, .sending:
        // Under the lock, so that `forget()` cannot come between and the number name another socket.
        shutdown(socket, Int32(SHUT_RDWR))
        return .waiting
      }
    }
    switch phase {
    case .handling(let exchange): exchange.abandon(.timedOut)
    case .streaming(let writer):
      if now >= writer.deadline { writer.close(.lifetimeOver) } else { writer.beat(now) }
    case .waiting, .reading, .sending: break
    }
  }

  /// Ends what a stopping server cannot wait for: streams always, handlers when `force` says so.
  func stop(force: Bool) {
    switch state.withLock({ $0.phase }) {
    case .streaming(let writer): writer.close(.stopping)
    case .handling(let exchange) where force: exchange.abandon(.stopping)
    default: break
    }
  }
}

extension Connection.Phase {
  fileprivate var writer: ResponseWriter? {
    if case .streaming(let writer) = self { writer } else { nil }
  }
}
