public import JSON
import Files
public import Testing

/// Material that tests read in place and the project holds no copy of: in `$TIDINGS_CORPORA`, by default in `shared`
/// beside the package.
public enum Corpora {
  /// The largest file is a feed of some megabytes.
  private static let fileBytesMax = 64 << 20

  /// Where the corpora are.
  public static let directory: String =
    ProcessEnvironment.variables["TIDINGS_CORPORA"].flatMap { $0.isEmpty ? nil : $0 }
    ?? FileSystem.path("../../../shared", from: FileSystem.directory(of: #filePath))

  /// Whether they are there; a suite that needs them is skipped otherwise, `.enabled(if: Corpora.arePresent, …)`.
  public static var arePresent: Bool { FileSystem.kind(of: directory) == .directory }

  /// Why a suite is skipped.
  public static let absence: Comment = "no corpora: set TIDINGS_CORPORA to their directory"

  /// The bytes of the file at `path` in the corpora.
  public static func read(_ path: String) throws -> [UInt8] {
    try FileSystem.read(FileSystem.path(path, from: directory), bytesMax: fileBytesMax)
  }

  /// The JSON value in the file at `path` in the corpora.
  public static func json(_ path: String) throws -> JSONValue { try JSONValue(parsing: read(path)) }
}
