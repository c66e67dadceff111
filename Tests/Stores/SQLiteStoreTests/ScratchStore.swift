import Files
import Synchronization
import Telemetry

@testable import SQLiteStore

/// A folder for one test's stores, removed with it.
final class Scratch: Sendable {
  let folder: String
  private let lines = Mutex<[LogRecord]>([])

  init() throws { folder = try FileSystem.makeTemporaryDirectory() }

  deinit { try? FileSystem.remove(folder) }

  var path: String { folder + "/tidings.db" }

  /// Opens the store as another process would; every row passed without an index is reported.
  func open() async throws -> SQLiteStore {
    try await SQLiteStore.open(path: path, logger: logger, scanStepsMax: 1)
  }

  var logger: Logger { Logger { line in self.lines.withLock { $0.append(line) } } }

  /// What was logged under that name: one field of each line, as text.
  func logged(_ event: String, _ field: String) -> [String] {
    lines.withLock { lines in
      lines.filter { $0.event == event }.compactMap { line in
        switch line.fields.first(where: { $0.name == field })?.value {
        case .text(let text): text
        case let value?: String(describing: value)
        case nil: nil
        }
      }
    }
  }
}
