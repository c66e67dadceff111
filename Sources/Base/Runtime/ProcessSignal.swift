internal import Dispatch
internal import Glibc

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

/// Hears signals for as long as it is kept.
struct SignalWatch {
  private let sources: [any DispatchSourceSignal]

  init(_ signals: [ProcessSignal], onSignal: @escaping @Sendable (ProcessSignal) -> Void) {
    sources = signals.map { processSignal in
      // The default action would end the process before the source hears of it.
      signal(processSignal.number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(
        signal: processSignal.number, queue: .global(qos: .userInitiated))
      source.setEventHandler { onSignal(processSignal) }
      source.resume()
      return source
    }
  }

  func stop() {
    for source in sources { source.cancel() }
  }
}
