internal import Dispatch
internal import Glibc
internal import Synchronization

/// A signal that asks the process to stop.
public enum ProcessSignal: Sendable, CaseIterable {
  /// Sent by a supervisor, such as Kubernetes, before it kills.
  case terminate
  /// Sent by a person at the terminal.
  case interrupt

  /// The name that system manuals use.
  public var name: String {
    switch self {
    case .terminate: "SIGTERM"
    case .interrupt: "SIGINT"
    }
  }

  var number: Int32 {
    switch self {
    case .terminate: SIGTERM
    case .interrupt: SIGINT
    }
  }
}

extension ProcessSignal {
  /// Lets the signals end the process while nothing listens for them, as they end any other, with the status that a
  /// shell gives it (128 and the number).
  ///
  /// The kernel withholds a signal's default action from the first process of a container: without this, its end would
  /// be waited for until it is killed.
  public static func endTheFirstProcessToo() {
    guard getpid() == 1 else { return }
    for processSignal in allCases { signal(processSignal.number) { _exit(128 + $0) } }
  }
}

/// Hears signals for as long as it is kept.
struct SignalWatch {
  private let signals: [ProcessSignal]
  private let key: Int

  /// Returns when every signal is being listened for: one that came sooner would be lost, and with it the only request
  /// to stop that there is.
  init(_ signals: [ProcessSignal], onSignal: @escaping @Sendable (ProcessSignal) -> Void) async {
    self.signals = signals
    key = SignalEar.nextKey.add(1, ordering: .relaxed).newValue
    for processSignal in signals {
      await SignalEar.of(processSignal).add(key) { onSignal(processSignal) }
    }
  }

  func stop() {
    for processSignal in signals { SignalEar.of(processSignal).remove(key) }
  }
}

/// The one listener that the process has for a signal, from the first watch on for ever: the operating system knows one
/// handler a signal, so watches that come and go must not each install their own.
private final class SignalEar: Sendable {
  static let nextKey = Atomic(0)
  private static let terminate = SignalEar(.terminate)
  private static let interrupt = SignalEar(.interrupt)

  static func of(_ processSignal: ProcessSignal) -> SignalEar {
    switch processSignal {
    case .terminate: terminate
    case .interrupt: interrupt
    }
  }

  private struct State {
    var isListening = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var listeners: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  private init(_ processSignal: ProcessSignal) {
    // The default action would end the process before the source hears of it.
    signal(processSignal.number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: processSignal.number, queue: .global(qos: .userInitiated))
    source.setRegistrationHandler { [self] in
      let waiting = state.withLock { state in
        state.isListening = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
    // Holds the source, which nothing else does.
    source.setEventHandler { [self] in
      withExtendedLifetime(source) {
        for listener in state.withLock({ $0.listeners }).values { listener() }
      }
    }
    source.resume()
  }

  func add(_ key: Int, _ listener: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let isListening = state.withLock { state in
        state.listeners[key] = listener
        if !state.isListening { state.waiting.append(continuation) }
        return state.isListening
      }
      if isListening { continuation.resume() }
    }
  }

  func remove(_ key: Int) {
    _ = state.withLock { $0.listeners.removeValue(forKey: key) }
  }
}
