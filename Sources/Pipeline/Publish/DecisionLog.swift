public import News

/// Where decisions are told to others than who keeps the store.
public protocol DecisionLog: Sendable {
  /// Tells of what was decided about something that has come in, before that is acknowledged. Throws only when
  /// cancelled: it comes again then, and is told of again.
  func write(_ decision: Decision, about inbound: Inbound) async throws
}
