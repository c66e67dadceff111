// Holds SQLite: statements in, rows out. Never knows a table.

internal import CSQLite
import Synchronization

/// A database file: one connection that writes and a few that read, each on its own thread.
///
/// Several processes of one machine may share the file. Everything that `write` has returned from is on the disk.
public final class Database: Sendable {
  /// The bounds within which a database works.
  public struct Options: Sendable {
    /// How long to wait for another process that writes.
    public var busyTimeout = Duration.seconds(10)
    /// How many reads run at once: enough that a long one does not hold up the short ones.
    public var readers = 4
    /// How many writes share a commit: enough that the disk's flush is no longer what costs, few enough that the first
    /// does not wait long for the last.
    public var batchMax = 1_024
    /// How many reads and how many writes may wait; more is a sign that the disk cannot follow.
    public var waitingMax = 16_384
    /// How many prepared statements a connection keeps.
    public var statementsMax = 128
    /// How many bytes of pages a connection keeps in memory.
    public var cacheBytes = 16 << 20
    /// From how many pages on the write-ahead log is carried into the file. The more, the rarer a page that changes all
    /// the time is written there; the fewer, the sooner a reader finds what it looks for.
    public var logPagesMax = 4_000
    /// How many bytes of the write-ahead log's file are kept after a burst.
    public var logBytesKept = 64 << 20
    /// From how many rows on passing through a table without an index is reported.
    public var scanStepsMax = 1_000
    /// The mark that this program's files carry (`PRAGMA application_id`). A file with another one, or with tables and
    /// none, is refused untouched. Nil takes every database.
    public var applicationID: Int32?
    /// Hears of statements that pass through a table without an index.
    public var onScan: (@Sendable (Scan) -> Void)?

    /// The usual bounds.
    public init() {}
  }

  /// The database's file.
  public let path: String
  private let reads: JobQueue
  private let writes: JobQueue
  private let readers = ThreadCount()
  private let writer = ThreadCount()

  private init(_ path: String, _ options: Options) {
    self.path = path
    reads = JobQueue(countMax: options.waitingMax, path: path)
    writes = JobQueue(countMax: options.waitingMax, path: path)
  }

  deinit {
    reads.close()
    writes.close()
  }

  /// Opens a database, or makes an empty one where there is no file. What a killed process left unfinished is undone.
  /// Throws `SQLiteError`, which says what to do.
  public static func open(_ path: String, options: Options = Options()) async throws -> Database {
    let database = Database(path, options)
    // The writer first: it makes the file.
    try await database.start(.writer, options) { [writes = database.writes] connection in
      commit(writes, on: connection, batchMax: options.batchMax)
    }
    for _ in 0..<options.readers {
      try await database.start(.reader, options) { [reads = database.reads] connection in
        answer(reads, on: connection)
      }
    }
    return database
  }

  /// Reads in one snapshot: what others commit meanwhile is not seen.
  ///
  /// It runs to its end even if the task is cancelled. Throws what `body` throws, and `SQLiteError`.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value {
    try await submit(body, to: reads)
  }

  /// Writes in one transaction and returns once it is on the disk; undoes everything where `body` throws.
  ///
  /// Writes that wait at the same time share a commit, so `body` should be short and must not end the transaction. It
  /// is run again where another one of the commit fails: what it did then is undone, and only its last run counts. It
  /// runs to its end even if the task is cancelled: a write often tells what has happened already. Throws what `body`
  /// throws, and `SQLiteError`; nothing is written then.
  @discardableResult
  public func write<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value {
    try await submit(body, to: writes)
  }

  /// Throws `SQLiteError` where the database does not answer, or where its file was deleted, moved or replaced: what is
  /// written then is lost when the process ends.
  public func check() async throws {
    try await read { db in
      guard !db.hasMoved else {
        throw SQLiteError(
          SQLITE_CANTOPEN, "the file was deleted, moved or replaced; put it back and restart", path: db.path)
      }
      _ = try db.first("SELECT count(*) FROM sqlite_schema") { row in try row[0] as Int }
    }
  }

  /// Finishes what waits and closes the file; calls that come later throw.
  public func close() async {
    reads.close()
    await readers.waitUntilNone()
    // The last connection to go empties the write-ahead log into the file; two that go at once each leave it to the
    // other.
    writes.close()
    await writer.waitUntilNone()
  }

  private func submit<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Value, to queue: JobQueue
  ) async throws -> Value {
    // Unchecked, since every write passes here: a queue's thread finishes each job that it has taken in, once.
    try await withUnsafeThrowingContinuation { continuation in
      do {
        try queue.add(Call(body, continuation))
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Opens a connection on a thread of its own and has it work there until its queue is closed.
  private func start(
    _ role: Connection.Role, _ options: Options, work: @escaping @Sendable (Connection) -> Void
  ) async throws {
    let threads = role == .reader ? readers : writer
    try await withCheckedThrowingContinuation { (opened: CheckedContinuation<Void, any Error>) in
      threads.add()
      startThread { [path] in
        // The connection is closed before the thread counts as gone.
        serve(path, role, options, opened, work)
        threads.remove()
      }
    }
  }
}

private func serve(
  _ path: String, _ role: Connection.Role, _ options: Database.Options,
  _ opened: CheckedContinuation<Void, any Error>, _ work: (Connection) -> Void
) {
  let connection: Connection
  do {
    connection = try Connection(path, role, options)
  } catch {
    return opened.resume(throwing: error)
  }
  opened.resume()
  work(connection)
}

/// How many threads a database has, and who waits until there are none.
private final class ThreadCount: Sendable {
  private struct State {
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func add() { state.withLock { $0.count += 1 } }

  func remove() {
    let waiting = state.withLock { state in
      state.count -= 1
      guard state.count == 0 else { return [] as [CheckedContinuation<Void, Never>] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func waitUntilNone() async {
    await withCheckedContinuation { continuation in
      let isNone = state.withLock { state in
        if state.count > 0 { state.waiting.append(continuation) }
        return state.count == 0
      }
      if isNone { continuation.resume() }
    }
  }
}
