import Synchronization

/// The connections that are open, counted by where they come from.
final class OpenConnections: Sendable {
  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var counts: [String: Int] = [:]
  }

  private let state = Mutex(State())
  private let limits: Limits

  init(_ limits: Limits) { self.limits = limits }

  /// All of them at this moment.
  var all: [Connection] { state.withLock { Array($0.connections.values) } }

  /// Whether a request is under way on any.
  var areBusy: Bool { all.contains(where: \.isBusy) }

  /// Whether `peer` may have one more.
  func admit(_ peer: PeerAddress) -> Bool {
    limits.isShared(peer) || state.withLock { $0.counts[peer.network, default: 0] } < limits.connectionsPerAddressMax
  }

  /// Adds a connection; returns whether it is the only one.
  func insert(_ connection: Connection) -> Bool {
    state.withLock { state in
      state.connections[ObjectIdentifier(connection)] = connection
      state.counts[connection.peer.network, default: 0] += 1
      return state.connections.count == 1
    }
  }

  /// Takes a connection away.
  func remove(_ connection: Connection) {
    state.withLock { state in
      state.connections[ObjectIdentifier(connection)] = nil
      let network = connection.peer.network
      let left = state.counts[network, default: 1] - 1
      state.counts[network] = left == 0 ? nil : left
    }
  }
}
