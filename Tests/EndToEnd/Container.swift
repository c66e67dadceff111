import Files
import JSON
import TestKit

/// The image in a container as a cluster runs it: a read-only root, a user without rights, no capability, no network but
/// its own loopback.
struct Container {
  /// The image that `deploy/test.sh` builds; nil without it.
  static let image = ProcessEnvironment.variables["TIDINGS_IMAGE"]
  private static let podman = "/usr/bin/podman"

  /// A folder of this machine, and where the container has it.
  struct Mount {
    var folder: String
    var path: String
    var isReadOnly: Bool
  }

  private let name: String
  let process: ChildProcess

  /// Starts a container.
  ///
  /// - Parameters:
  ///   - arguments: The program's.
  ///   - memory: The most memory that it may use, in the words of podman.
  ///   - mounts: Folders of this machine, with their paths in the container.
  ///   - entrypoint: Another program than the image's.
  init(
    _ arguments: [String], memory: String = "256m", mounts: [Mount] = [], entrypoint: String? = nil
  ) throws {
    name = "tidings-test-\(SystemRandomNumberGenerator.hexadecimal())"
    var options = [
      "run", "--rm", "--pull", "never", "--name", name, "--network", "none", "--read-only", "--read-only-tmpfs=false",
      "--user",
      "10001:10001", "--cap-drop", "all", "--security-opt", "no-new-privileges", "--memory", memory, "--memory-swap",
      memory,
      // Ends it where a test is killed: podman's own end is not the container's.
      "--timeout", "120",
    ]
    for mount in mounts {
      options += ["--volume", "\(mount.folder):\(mount.path):\(mount.isReadOnly ? "ro" : "rw")"]
    }
    if let entrypoint { options += ["--entrypoint", entrypoint] }
    process = try ChildProcess(Self.podman, options + [Self.image ?? ""] + arguments)
  }

  /// Runs the program to its end.
  static func run(
    _ arguments: [String], mounts: [Mount] = [], entrypoint: String? = nil
  ) async throws -> (ending: ChildProcess.Ending, output: [String], errors: [String]) {
    let process = try Container(arguments, mounts: mounts, entrypoint: entrypoint).process
    let ending = await process.ending()
    return (ending, process.lines(), process.lines(.errors))
  }

  /// Returns when podman knows that the container runs: until then a signal to podman ends podman.
  func waitUntilRunning() async throws {
    _ = try await ChildProcess(Self.podman, ["wait", "--condition", "running", name]).ending()
  }

  /// What the image says of itself.
  static func description() async throws -> JSONValue? {
    let process = try ChildProcess(podman, ["image", "inspect", image ?? ""])
    _ = await process.ending()
    return try JSONValue(parsing: process.lines().joined(separator: "\n"))[0]
  }

  /// Runs a program of this machine in the container's network.
  func visit(_ program: String, _ arguments: [String]) async throws -> (ending: ChildProcess.Ending, output: String) {
    let inspection = try ChildProcess(Self.podman, ["inspect", "--format", "{{.State.Pid}}", name])
    _ = await inspection.ending()
    let id = inspection.lines().joined()
    let visitor = try ChildProcess("/usr/bin/nsenter", ["--target", id, "--net", program] + arguments)
    let ending = await visitor.ending()
    return (ending, (ending == .exited(0) ? visitor.lines() : visitor.lines(.errors)).joined(separator: "\n"))
  }
}

extension SystemRandomNumberGenerator {
  /// Sixteen digits that nobody else has.
  fileprivate static func hexadecimal() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next(), radix: 16)
  }
}
