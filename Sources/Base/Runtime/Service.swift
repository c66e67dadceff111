// Runtime: starts, retries, bounds and stops what lives. Never knows what it does.

/// Something that lives until its task is cancelled.
///
/// Cancellation is the one signal to stop: `run` then finishes what it has begun, starts nothing new and returns.
public protocol Service: Sendable {
  /// Its name in log lines.
  var name: String { get }

  /// Works until cancelled. Returning before that means that the work is done; throwing, that it cannot go on.
  func run() async throws
}

/// A service made of a closure, for a part too small for a type of its own.
public struct ClosureService: Service {
  /// Its name in log lines.
  public let name: String
  private let body: @Sendable () async throws -> Void

  /// A service that runs the closure.
  public init(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
    self.name = name
    self.body = body
  }

  /// Runs the closure.
  public func run() async throws { try await body() }
}
