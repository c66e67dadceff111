// Keeps all state of one machine in one SQLite file.

import SQLite
public import Telemetry

/// What Tidings remembers, in one file that several processes of a machine may share.
///
/// Each stage's protocol is an extension in a file of its own, with its tables in a file beside it; what is new in the
/// tables is a further `Migration`.
public struct SQLiteStore: Sendable {
  let database: Database
  let logger: Logger

  /// Marks our files in their header: "TIDG".
  static let applicationID: Int32 = 0x5449_4447

  /// Opens the store, makes it where there is no file, and brings an older one up to date. Throws `SQLiteError` and
  /// `SchemaError`; both say what the operator can do.
  public static func open(path: String, logger: Logger) async throws -> SQLiteStore {
    try await open(path: path, logger: logger, scanStepsMax: 1_000)
  }

  static func open(path: String, logger: Logger, scanStepsMax: Int) async throws -> SQLiteStore {
    var options = Database.Options()
    options.applicationID = applicationID
    options.scanStepsMax = scanStepsMax
    options.onScan = { scan in
      logger.warning("store.scanned", ["sql": LogValue(scan.sql.text), "rows": LogValue(scan.steps)])
    }
    let database = try await Database.open(path, options: options)
    do {
      let versions = try await migrate(database, through: Migration.all)
      if versions.before != versions.after {
        logger.info(
          "store.migrated",
          ["path": LogValue(path), "from": LogValue(versions.before), "to": LogValue(versions.after)])
      }
    } catch {
      await database.close()
      throw error
    }
    return SQLiteStore(database: database, logger: logger)
  }

  /// Throws `SQLiteError` where the store does not answer or its file is no longer in its place.
  public func check() async throws { try await database.check() }

  /// Finishes what is being written and closes the file; later calls throw.
  public func close() async { await database.close() }
}
