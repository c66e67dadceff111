public import Push

/// One way to readers: a hub, and how those are written to whom it reaches. A story goes to every outlet once, and
/// what became of it there is remembered by itself.
public struct Outlet: Sendable {
  /// Names it in the ledger, in log lines and in metrics, and has to stay the same over restarts.
  public let name: String
  /// Writes for its readers.
  public let composer: Composer
  /// Takes what was written.
  public let hub: any Hub
  /// Shared by all outlets that the same key opens.
  public let gate: HubGate

  /// A way to the readers of `hub`, who are written to by `composer`.
  public init(name: String, composer: Composer, hub: any Hub, gate: HubGate) {
    self.name = name
    self.composer = composer
    self.hub = hub
    self.gate = gate
  }
}
