internal import CSQLite

/// Does the writes of a queue until it is closed.
///
/// A commit costs a flush of the disk, whatever it holds. So the writes that came while one was running are the next
/// one, together: whatever their number, a caller waits for two flushes.
func commit(_ writes: JobQueue, on connection: Connection, batchMax: Int) {
  while case let jobs = writes.take(batchMax), !jobs.isEmpty {
    var left = jobs[...]
    while !left.isEmpty { left = commit(left, on: connection) }
  }
}

/// Does jobs in one transaction, and tells them when it is committed; returns those that it did not come to.
private func commit(_ jobs: ArraySlice<any Job>, on connection: Connection) -> ArraySlice<any Job> {
  var count = 0
  var failure: SQLiteError?
  do throws(SQLiteError) {
    // IMMEDIATE waits for the writer's place before anything is read; a transaction that reads first and then wants to
    // write may have to fail (SQLITE_BUSY_SNAPSHOT).
    try connection.execute("BEGIN IMMEDIATE")
    for job in jobs {
      count += 1
      try perform(job, on: connection)
    }
    try connection.execute("COMMIT")
  } catch {
    failure = error
    connection.rollBack()
  }
  // None was begun: the file cannot be written now, for any of them.
  if count == 0 { count = jobs.count }
  for job in jobs.prefix(count) { job.finish(failure) }
  return jobs.dropFirst(count)
}

/// Does one job so that its failure undoes only its own changes; throws where the whole transaction is lost.
private func perform(_ job: any Job, on connection: Connection) throws(SQLiteError) {
  try connection.execute("SAVEPOINT job")
  let succeeded = job.perform(on: connection)
  // A full disk and a failing one make SQLite roll back by itself (https://www.sqlite.org/lang_transaction.html).
  guard connection.isInTransaction else {
    throw SQLiteError(
      SQLITE_ABORT, "another write of the same commit failed, and nothing of it was written", path: connection.path)
  }
  if !succeeded { try connection.execute("ROLLBACK TO job") }
  try connection.execute("RELEASE job")
}

/// Answers the reads of a queue until it is closed, each from one snapshot.
func answer(_ reads: JobQueue, on connection: Connection) {
  while let job = reads.take(1).first {
    do throws(SQLiteError) {
      try connection.execute("BEGIN")
      _ = job.perform(on: connection)
      try connection.execute("COMMIT")
      job.finish(nil)
    } catch {
      connection.rollBack()
      job.finish(error)
    }
  }
}
