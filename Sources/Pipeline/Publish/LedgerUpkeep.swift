public import Runtime
public import Telemetry
public import Time

/// Forgets publications, stories and decisions that are older than the ledger's retention.
public struct LedgerUpkeep: Service {
  /// Its name in log lines.
  public let name = "ledger-upkeep"

  private let ledger: any PublicationLedger
  private let retention: Duration
  private let clock: any WallClock
  private let logger: Logger

  /// How often old rows are looked for.
  private static let interval = Duration.seconds(3600)
  /// Rows forgotten in one transaction, which keeps all other writers waiting.
  private static let forgottenAtOnce = 1000
  /// Longer than any article is news, and than any topic is read again.
  public static let retentionDefault = Duration.seconds(90 * 24 * 3600)

  /// An upkeep that keeps rows for `retention`.
  public init(
    ledger: any PublicationLedger, retention: Duration = retentionDefault, clock: any WallClock, logger: Logger
  ) {
    self.ledger = ledger
    self.retention = retention
    self.clock = clock
    self.logger = logger
  }

  /// Looks once an hour until cancelled. That nothing can be forgotten at the moment is no reason to stop.
  public func run() async throws {
    while true {
      do {
        while try await ledger.forget(before: clock.now - retention, limit: Self.forgottenAtOnce)
          == Self.forgottenAtOnce
        { try Task.checkCancellation() }
      } catch is CancellationError {
        return
      } catch {
        logger.warning("ledger.upkeep_failed", ["reason": LogValue(String(describing: error))])
      }
      try await clock.sleep(for: Self.interval)
    }
  }
}
