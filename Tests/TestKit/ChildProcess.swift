public import Glibc
import Synchronization

/// A program run as a user runs it, whose lines a test waits for.
public final class ChildProcess: Sendable {
  /// How a process ended.
  public enum Ending: Sendable, Equatable {
    /// It returned this status.
    case exited(Int32)
    /// This signal ended it.
    case killed(Int32)
  }

  /// Where a line was written.
  public enum Stream: Sendable {
    case output, errors
  }

  /// Why a program did not start.
  public struct SpawnError: Error, CustomStringConvertible {
    /// What could not be done.
    public let description: String
  }

  private struct State {
    var output: [String] = []
    var errors: [String] = []
    var openStreams = 2
    var ending: Ending?
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  /// The process's id.
  public let id: pid_t
  private let state = Mutex(State())

  /// Starts a program. `environment` is added to this process's own.
  public init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let (id, output, errors) = try spawning.withLock { _ in try Self.spawn(path, arguments, environment) }
    self.id = id
    read(output, .output)
    read(errors, .errors)
    startThread { [self] in
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0 && errno == EINTR {}
      let ending: Ending = status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
      update { $0.ending = ending }
    }
  }

  /// The new process and the ends of its streams that are ours to read.
  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String]
  ) throws -> (pid_t, Int32, Int32) {
    var output: [Int32] = [0, 0]
    var errors: [Int32] = [0, 0]
    guard pipe(&output) == 0, pipe(&errors) == 0 else { throw SpawnError(description: "no pipes: \(errno)") }
    for descriptor in output + errors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output[1], 1)
    posix_spawn_file_actions_adddup2(&actions, errors[1], 2)

    var variables: [String] = environment.map { "\($0.key)=\($0.value)" }
    var entry = environ
    while let pointer = entry.pointee {
      let variable = String(cString: pointer)
      if environment[String(variable.prefix { $0 != "=" })] == nil { variables.append(variable) }
      entry += 1
    }
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = variables.map { strdup($0) } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var id: pid_t = 0
    let fault = posix_spawn(&id, path, &actions, nil, argv, envp)
    close(output[1])
    close(errors[1])
    guard fault == 0 else {
      close(output[0])
      close(errors[0])
      throw SpawnError(description: "cannot start \(path): \(String(cString: strerror(fault)))")
    }
    return (id, output[0], errors[0])
  }

  deinit {
    if state.withLock({ $0.ending }) == nil { kill(id, SIGKILL) }
  }

  /// The lines written so far.
  public func lines(_ stream: Stream = .output) -> [String] {
    state.withLock { stream == .output ? $0.output : $0.errors }
  }

  /// Sends a signal; nothing happens when the process has ended.
  public func signal(_ number: Int32) {
    if state.withLock({ $0.ending }) == nil { kill(id, number) }
  }

  /// Waits for a line on which `select` gives a value; nil when the stream ends without one.
  public func value<Value: Sendable>(
    from stream: Stream = .output, select: @Sendable (String) -> Value?
  ) async -> Value? {
    var seen = 0
    while true {
      let (lines, isClosed) = state.withLock { state in
        (stream == .output ? state.output : state.errors, state.openStreams == 0)
      }
      for line in lines[seen...] {
        if let value = select(line) { return value }
      }
      if isClosed { return nil }
      let known = lines.count
      seen = known
      await change { state in
        (stream == .output ? state.output : state.errors).count > known || state.openStreams == 0
      }
    }
  }

  /// Waits until the process has ended and everything that it wrote is here.
  public func ending() async -> Ending {
    await change { $0.ending != nil && $0.openStreams == 0 }
    return state.withLock { $0.ending! }
  }

  private func change(until holds: @Sendable (borrowing State) -> Bool) async {
    while true {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if holds(state) { return true }
          state.watchers.append(continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
      if state.withLock({ holds($0) }) { return }
    }
  }

  private func update(_ body: (inout State) -> Void) {
    let watchers = state.withLock { state in
      body(&state)
      defer { state.watchers = [] }
      return state.watchers
    }
    for watcher in watchers { watcher.resume() }
  }

  private func read(_ descriptor: Int32, _ stream: Stream) {
    startThread { [self] in
      var rest: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 16 << 10)
      while true {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        rest += buffer[..<count]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: rest[..<end], as: UTF8.self)
          rest.removeSubrange(...end)
          update { state in
            if stream == .output { state.output.append(line) } else { state.errors.append(line) }
          }
        }
      }
      close(descriptor)
      update { $0.openStreams -= 1 }
    }
  }
}

/// Between a pipe's making and its flag another process could be started and keep the pipe open: one at a time.
private let spawning = Mutex(())
