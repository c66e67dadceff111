internal import CSQLite
internal import Glibc

/// Makes a new database's file readable for its owner only: it will hold the handles of readers' devices, and SQLite
/// gives its journal the same permissions. A file that is there stays as it is.
func createPrivately(_ path: String) {
  // O_EXCL also because closing any descriptor of a database drops the locks that this process holds on it
  // (https://www.sqlite.org/howtocorrupt.html, 2.2). Where it fails, SQLite will say why.
  let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
  if descriptor >= 0 {
    close(descriptor)
  } else if errno == EEXIST, isLinkToNothing(path) {
    // SQLite follows a link and makes the file behind it, readable for everyone.
    let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }
}

private func isLinkToNothing(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) != 0 && errno == ENOENT
}

/// Makes a limit on the size of files (`ulimit -f`, `LimitFSIZE=`) an error of the write that meets it, as a full disk
/// is: otherwise the signal ends the process.
func makeSizeLimitAnError() { signal(SIGXFSZ, SIG_IGN) }

func sleepBriefly(_ duration: Duration) {
  usleep(UInt32(duration.components.attoseconds / 1_000_000_000_000))
}

/// Lets the connection wait for other processes.
///
/// SQLite's own waiting grows to 100 ms a step, in which a process that writes all the time has taken the lock again
/// many times; short steps give the waiting one its turn.
func waitWhenBusy(_ connection: OpaquePointer, atMost timeout: Duration) {
  let steps = timeout / .milliseconds(2)
  sqlite3_busy_handler(
    connection,
    { stepsMax, count in
      guard Int(count) < Int(bitPattern: stepsMax) else { return 0 }
      usleep(2_000)
      return 1
    }, UnsafeMutableRawPointer(bitPattern: Int(steps)))
}

/// Runs `body` on a thread of its own, for work that blocks.
func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { argument in
      Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue().body()
      return nil
    }, Unmanaged.passRetained(Start(body)).toOpaque())
  // Threads are made at the start only; without them nothing works.
  guard code == 0 else { fatalError("no thread can be started: \(String(cString: strerror(code)))") }
  pthread_detach(thread)
}
