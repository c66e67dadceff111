public import Publish
public import Testing

/// A promise of every publication ledger, with its proof.
public struct LedgerContract: Sendable, CustomTestStringConvertible {
  /// Opens the ledger under test; each call is a handle as another process would have it, on the same state.
  public typealias Opening = @Sendable () async throws -> any PublicationLedger

  /// The promise.
  public let testDescription: String
  /// Proves it on a fresh ledger.
  public let check: @Sendable (_ open: Opening) async throws -> Void

  init(_ promise: String, _ check: @escaping @Sendable (_ open: Opening) async throws -> Void) {
    testDescription = promise
    self.check = check
  }

  /// All of them.
  public static let all = claims + likeness + settlements + parts + held + retention + versions
}
