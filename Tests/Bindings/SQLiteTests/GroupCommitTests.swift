import Synchronization
import Testing

@testable import SQLite

@Suite struct GroupCommitTests {
  let scratch = try! Scratch()

  /// Queues the writes before anybody takes them, then commits them; each one's error, or nil.
  private func commitTogether(
    _ writes: [@Sendable (Connection) throws -> Void], batchMax: Int = 512, prepare: SQL? = nil
  ) async throws -> [(any Error)?] {
    await (try await scratch.database()).close()
    let connection = try scratch.connection()
    if let prepare { try connection.execute(script: prepare) }
    let queue = JobQueue(countMax: writes.count, path: scratch.path)
    let jobs = writes.map(NotedJob.init)
    for job in jobs { try queue.add(job) }
    queue.close()
    commit(queue, on: connection, batchMax: batchMax)
    return jobs.map { $0.outcome.withLock { $0! } }
  }

  @Test("Writes that wait together are committed together")
  func together() async throws {
    let seenByOthers = Recorder()
    let errors = try await commitTogether([
      { db in try db.note("first") },
      { [scratch] db in
        seenByOthers.record(try scratch.connection().notes() + db.notes())
        try db.note("second")
      },
    ])
    #expect(errors.allSatisfy { $0 == nil })
    #expect(seenByOthers.values == [["first"]])
    #expect(try scratch.connection().notes() == ["first", "second"])
  }

  @Test("One that fails undoes its own changes only")
  func savepoints() async throws {
    let errors = try await commitTogether([
      { db in try db.note("first") },
      { db in
        try db.note("second")
        try db.note("first")
      },
      { db in
        try db.note("third")
        throw Refusal()
      },
      { db in try db.note("fourth") },
    ])
    #expect(errors.map { $0 == nil } == [true, false, false, true])
    #expect((errors[1] as? SQLiteError)?.isUniqueViolation == true)
    #expect(errors[2] is Refusal)
    #expect(try scratch.connection().notes() == ["first", "fourth"])
  }

  @Test("What comes while a commit is being prepared joins it")
  func joining() async throws {
    await (try await scratch.database()).close()
    let connection = try scratch.connection()
    let queue = JobQueue(countMax: 2, path: scratch.path)
    let seenByOthers = Recorder()
    let late = NotedJob { [scratch] db in
      seenByOthers.record(try scratch.connection().notes() + db.notes())
      try db.note("late")
    }
    try queue.add(
      NotedJob { db in
        try db.note("early")
        try queue.add(late)
        queue.close()
      })
    commit(queue, on: connection, batchMax: 512)
    #expect(seenByOthers.values == [["early"]])
    #expect(try scratch.connection().notes() == ["early", "late"])
  }

  @Test("A batch has an end: the rest is the next commit")
  func bound() async throws {
    let seenByOthers = Recorder()
    let read: @Sendable (Connection) throws -> Void = { [scratch] db in
      seenByOthers.record(try scratch.connection().notes())
      try db.note("\(seenByOthers.values.count)")
    }
    _ = try await commitTogether([read, read, read], batchMax: 2)
    #expect(seenByOthers.values == [[], [], ["1", "2"]])
  }

  @Test("A write that ends the transaction is refused with those before it; those after it are done")
  func lostTransaction() async throws {
    let errors = try await commitTogether([
      { db in try db.note("before") },
      { db in try db.execute("ROLLBACK") },
      { db in try db.note("after") },
    ])
    #expect(errors.map { $0 == nil } == [false, false, true])
    #expect(try scratch.connection().notes() == ["after"])
  }

  @Test("A full disk fails the write that is too large, and the next fits")
  func full() async throws {
    let errors = try await commitTogether(
      [
        { db in try db.note(String(repeating: "long ", count: 100_000)) },
        { db in try db.note("short") },
      ], batchMax: 1, prepare: "PRAGMA max_page_count = 20")
    #expect((errors[0] as? SQLiteError)?.kind == .full)
    #expect(errors[1] == nil)
    #expect(try scratch.connection().notes() == ["short"])
  }

  @Test("More than may wait is refused")
  func queueBound() async throws {
    let queue = JobQueue(countMax: 2, path: "test.db")
    try queue.add(NotedJob { _ in })
    try queue.add(NotedJob { _ in })
    let error = #expect(throws: SQLiteError.self) { try queue.add(NotedJob { _ in }) }
    #expect(error?.kind == .busy)
    #expect(error?.message == "2 calls wait already")
    #expect(queue.take(1).count == 1)
    try queue.add(NotedJob { _ in })
  }
}

/// A job whose outcome is noted: its error or none.
private final class NotedJob: Job {
  let outcome = Mutex<(any Error)??>(nil)
  private let error = Mutex<(any Error)?>(nil)
  private let body: @Sendable (Connection) throws -> Void

  init(_ body: @escaping @Sendable (Connection) throws -> Void) { self.body = body }

  func perform(on connection: Connection) -> Bool {
    do {
      try body(connection)
      return true
    } catch {
      self.error.withLock { $0 = error }
      return false
    }
  }

  func finish(_ failure: (any Error)?) {
    let own = error.withLock { $0 }
    outcome.withLock { $0 = .some(own ?? failure) }
  }
}

/// Notes what a write saw.
private final class Recorder: Sendable {
  private let state = Mutex<[[String]]>([])
  var values: [[String]] { state.withLock { $0 } }
  func record(_ value: [String]) { state.withLock { $0.append(value) } }
}
