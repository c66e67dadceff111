import Synchronization
public import Telemetry

/// What a part says on its way, and a way to wait until it has said more.
public final class LineLog: Sendable {
  private struct State {
    var lines: [String] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// An empty log.
  public init() {}

  /// All lines, in JSON.
  public var text: String { state.withLock { $0.lines.joined(separator: "\n") } }

  /// How many there are.
  public var lineCount: Int { state.withLock { $0.lines.count } }

  /// Takes a line and wakes who waits for one.
  public func append(_ record: LogRecord) {
    let waiters = state.withLock { state in
      state.lines.append(LogFormat.json.line(record))
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when there are more lines than so many.
  public func wait(beyond count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.lines.count <= count { state.waiters.append(continuation) }
        return state.lines.count > count
      }
      if isThere { continuation.resume() }
    }
  }

  /// Returns when `reached` holds; looks again after each line.
  public func wait(until reached: () async throws -> Bool) async throws {
    while true {
      let count = lineCount
      if try await reached() { return }
      await wait(beyond: count)
    }
  }
}
