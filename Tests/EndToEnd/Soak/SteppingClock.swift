import Glibc
import TestKit
import Testing

/// A wall clock that a test sets for the programs that it starts, wherever their time goes from there.
final class SteppingClock: Sendable {
  /// What makes a program show it.
  let environment: [String: String]
  private let descriptor: Int32

  /// Shows the machine's time at first. Its parts are kept in that folder.
  init(in folder: Folder) async throws {
    let library = "\(folder.path)/stepping_clock.so"
    let source = "\(Program.root)/Tests/EndToEnd/Soak/stepping_clock.c"
    let compiler = try ChildProcess("/usr/bin/cc", ["-shared", "-fPIC", "-O2", "-o", library, source])
    let ending = await compiler.ending()
    try #require(ending == .exited(0), "\(compiler.lines(.errors))")
    let offset = "\(folder.path)/clock"
    descriptor = open(offset, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    environment = ["LD_PRELOAD": library, "STEPPING_CLOCK": offset]
    show(ahead: .zero)
  }

  deinit { close(descriptor) }

  /// From now on it shows so much more than the machine's clock.
  func show(ahead: Duration) {
    var milliseconds = Int64(ahead / .milliseconds(1))
    pwrite(descriptor, &milliseconds, MemoryLayout<Int64>.size, 0)
  }
}
