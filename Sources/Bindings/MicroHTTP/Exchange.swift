import Synchronization

/// One request and its answer, carried from the thread that serves the socket to a task and back.
///
/// Sendable because `stage`, `method`, `headers`, `body`, `bodyBytesMax` and `received` are only touched on the thread that serves the
/// connection; what crosses is under `crossing`'s lock.
final class Exchange: @unchecked Sendable {
  enum Stage {
    case head
    case body
    /// The body is too long: it is read and thrown away, so that the client gets to see the answer.
    case discarding(Refusal)
    case handling
  }

  enum Outcome {
    case response(Response)
    case abandoned(Refusal)
  }

  private enum Answer {
    case awaited(SleepingConnection?)
    case given(Outcome)
    case taken
  }

  let rawTarget: String
  let targetHoldsNUL: Bool
  var stage = Stage.head
  var method = ""
  var headers = HeaderFields()
  var body: [UInt8] = []
  var bodyBytesMax = 0
  var received = 0

  private struct Crossing {
    var answer = Answer.awaited(nil)
    var task: Task<Void, Never>?
  }
  private let crossing = Mutex(Crossing())

  init(rawTarget: String, targetHoldsNUL: Bool) {
    self.rawTarget = rawTarget
    self.targetHoldsNUL = targetHoldsNUL
  }

  /// Suspends `connection` until `answer` or `abandon`. False when the server is closing for good: it must not be left
  /// with a suspended connection. `isClosing` is asked under the lock, so that either it says yes or whoever closes the
  /// server finds this exchange waiting.
  func suspend(_ connection: OpaquePointer, unless isClosing: () -> Bool) -> Bool {
    crossing.withLock { crossing in
      guard case .awaited(nil) = crossing.answer, !isClosing() else { return false }
      crossing.answer = .awaited(SleepingConnection(suspending: connection))
      return true
    }
  }

  /// Runs the handler in a task of its own.
  func run(_ request: Request, _ handler: @escaping HTTPServer.Handler) {
    let task = Task { [self] in settle(.response(await handler(request))) }
    let late = crossing.withLock { crossing in
      crossing.task = task
      if case .awaited = crossing.answer { return false }
      return true
    }
    if late { task.cancel() }
  }

  /// Answers for the handler, which is cancelled.
  func abandon(_ refusal: Refusal) {
    settle(.abandoned(refusal))
    crossing.withLock { $0.task }?.cancel()
  }

  /// The answer, once: what comes later is dropped.
  func takeOutcome() -> Outcome? {
    crossing.withLock { crossing in
      guard case .given(let outcome) = crossing.answer else { return nil }
      crossing.answer = .taken
      return outcome
    }
  }

  private func settle(_ outcome: Outcome) {
    crossing.withLock { crossing in
      guard case .awaited(let connection) = crossing.answer else { return }
      crossing.answer = .given(outcome)
      connection?.wake()
    }
  }
}
