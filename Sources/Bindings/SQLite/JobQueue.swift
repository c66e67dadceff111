internal import CSQLite
internal import Glibc

/// Work for a database's threads, first come, first served, with an end.
///
/// Sendable because everything that changes is touched only with `lock` held. A condition variable, because the takers
/// are threads that block.
final class JobQueue: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let countMax: Int
  private let path: String
  private var jobs: [any Job] = []
  /// The jobs before it are taken already.
  private var head = 0
  private var isClosed = false

  init(countMax: Int, path: String) {
    self.countMax = countMax
    self.path = path
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // A step of the wall clock must not lengthen a wait.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    changed.deallocate()
    lock.deallocate()
  }

  /// Adds a job; throws where the queue is full or closed.
  func add(_ job: any Job) throws(SQLiteError) {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    guard !isClosed else { throw SQLiteError(SQLITE_MISUSE, "the database is closed", path: path) }
    guard jobs.count - head < countMax else {
      throw SQLiteError(SQLITE_BUSY, "\(countMax) calls wait already", path: path)
    }
    jobs.append(job)
    pthread_cond_signal(changed)
  }

  /// Waits for jobs and takes at most `limit`; none when the queue is closed and empty.
  func take(_ limit: Int) -> [any Job] {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while head == jobs.count && !isClosed { pthread_cond_wait(changed, lock) }
    return takeFirst(limit)
  }

  /// Takes at most `limit` of the jobs that wait; where none does, of those that come within so many microseconds.
  func takeMore(_ limit: Int, within microseconds: Int) -> [any Job] {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    if head == jobs.count && !isClosed && microseconds > 0 {
      var end = timespec()
      clock_gettime(CLOCK_MONOTONIC, &end)
      end.tv_nsec += microseconds * 1000
      end.tv_sec += end.tv_nsec / 1_000_000_000
      end.tv_nsec %= 1_000_000_000
      var code: Int32 = 0
      while head == jobs.count && !isClosed && code == 0 { code = pthread_cond_timedwait(changed, lock, &end) }
    }
    return takeFirst(limit)
  }

  private func takeFirst(_ limit: Int) -> [any Job] {
    guard head < jobs.count else { return [] }
    let taken = Array(jobs[head..<min(head + limit, jobs.count)])
    head += taken.count
    // What is taken is let go in one piece once it is most of the array, so that taking costs the same each time.
    if head == jobs.count || head > 1024 && head > jobs.count / 2 {
      jobs.removeFirst(head)
      head = 0
    }
    return taken
  }

  /// Lets nobody in any more; what waits is still done.
  func close() {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    isClosed = true
    pthread_cond_broadcast(changed)
  }
}

/// Something to do on a connection, and somebody who waits for it.
protocol Job: AnyObject, Sendable {
  /// Does it; false where it failed. What an earlier call did has been undone.
  func perform(on connection: Connection) -> Bool

  /// Tells whoever waits: the job's value or error, or that what it did was lost by `failure`.
  func finish(_ failure: (any Error)?)
}

/// A call of `Database.read` or `Database.write`.
///
/// Sendable because `result` is touched only by the thread that runs the job.
final class Call<Value: Sendable>: Job, @unchecked Sendable {
  private let body: @Sendable (Connection) throws -> Value
  private let continuation: UnsafeContinuation<Value, any Error>
  private var result: Result<Value, any Error>?

  init(_ body: @escaping @Sendable (Connection) throws -> Value, _ continuation: UnsafeContinuation<Value, any Error>) {
    self.body = body
    self.continuation = continuation
  }

  func perform(on connection: Connection) -> Bool {
    do {
      result = .success(try body(connection))
      return true
    } catch {
      result = .failure(error)
      return false
    }
  }

  func finish(_ failure: (any Error)?) {
    switch (result, failure) {
    case (.failure(let error), _), (_, let error?): continuation.resume(throwing: error)
    case (.success(let value), nil): continuation.resume(returning: value)
    case (nil, nil): preconditionFailure("a job is finished before it is done")
    }
  }
}
