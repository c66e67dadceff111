import Files
import Glibc

/// A broker in a process of its own, which ends with it: noida-db, which enforces transactions and moves a static
/// member's partitions at once.
public final class KafkaBroker: Sendable {
  /// Where it listens, `host:port`.
  public let address: String
  private let process: ChildProcess
  private let folder: String

  /// A Python with noida-db, as `deploy/test.sh` sets it up; nil without one.
  public static let python = ProcessEnvironment.variables["TIDINGS_PYTHON"]

  /// Starts one. `python` has the package noida-db.
  public init(python: String) async throws {
    folder = try FileSystem.makeTemporaryDirectory()
    // The program itself: what pip puts on the path starts it as a child of its own, which would outlive a kill.
    let found = try ChildProcess(python, ["-c", "import noida_db; print(noida_db.__path__[0])"])
    guard await found.ending() == .exited(0) else {
      throw MissingBroker(reason: found.lines(.errors).joined(separator: "\n"))
    }
    let program = found.lines().joined() + "/noida-db"
    var generator = SystemRandomNumberGenerator()
    while true {
      let port = Int.random(in: 20_000..<32_000, using: &generator)
      let process = try ChildProcess(
        program, ["start", "--only", "kafka", "--kafka-port", "\(port)", "--data-dir", folder])
      // It says so when it listens; where the port is taken it ends.
      guard await process.value(select: { $0.contains("127.0.0.1:\(port)") ? true : nil }) == true else { continue }
      address = "127.0.0.1:\(port)"
      self.process = process
      return
    }
  }

  /// Ends it, and all that it keeps.
  public func end() async {
    process.signal(SIGKILL)
    _ = await process.ending()
    _ = try? await ChildProcess("/bin/rm", ["-r", folder]).ending()
  }
}

/// Why no broker could be started.
public struct MissingBroker: Error, CustomStringConvertible {
  let reason: String

  /// The reason.
  public var description: String { "no noida-db: \(reason)" }
}
