import Synchronization

/// Counts who is in at the same time.
public final class Crowd: Sendable {
  private struct State {
    var inside = 0
    var most = 0
    var total = 0
  }

  private let state = Mutex(State())

  /// Nobody so far.
  public init() {}

  /// The most who were in at once.
  public var most: Int { state.withLock { $0.most } }
  /// How many have come.
  public var total: Int { state.withLock { $0.total } }

  /// Comes in, lets others have a go, and leaves.
  public func visit() async {
    state.withLock { state in
      state.inside += 1
      state.total += 1
      state.most = max(state.most, state.inside)
    }
    await Task.yield()
    state.withLock { $0.inside -= 1 }
  }
}
