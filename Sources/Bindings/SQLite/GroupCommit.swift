internal import CSQLite

/// Does the writes of a queue until it is closed.
///
/// A commit costs a flush of the disk and a copy of every page that it touches, whatever it holds. So the writes that
/// come while one is being prepared join it, up to a bound that keeps the first from waiting long for the last; and
/// while writes come thick, a commit waits a moment for the next one. Who writes alone never waits.
func commit(_ writes: JobQueue, on connection: Connection, batchMax: Int) {
  var isBusy = false
  while case var jobs = writes.take(batchMax), !jobs.isEmpty {
    let isTogether = commitTogether(&jobs, on: connection) { count in
      writes.takeMore(batchMax - count, within: isBusy && count < patientUpTo ? patienceMicroseconds : 0)
    }
    var left = isTogether ? [] : jobs[...]
    while !left.isEmpty { left = commitApart(left, on: connection) }
    isBusy = jobs.count >= busyFrom
  }
}

/// So many writes in one commit say that more will come at once.
private let busyFrom = 4
/// A commit of so many is worth its flush.
private let patientUpTo = 256
/// How long it waits for the next one: less than a flush takes.
private let patienceMicroseconds = 250

/// Does jobs in one transaction, with those that come meanwhile, and tells them when it is committed; where one of
/// them fails, nothing is done and nobody told. Nearly none fails, and a savepoint for each would cost a copy of every
/// page that it touches: a third of all the work.
private func commitTogether(
  _ jobs: inout [any Job], on connection: Connection, joinedBy more: (_ count: Int) -> [any Job]
) -> Bool {
  do throws(SQLiteError) {
    // IMMEDIATE waits for the writer's place before anything is read; a transaction that reads first and then wants to
    // write may have to fail (SQLITE_BUSY_SNAPSHOT).
    try connection.execute("BEGIN IMMEDIATE")
    var count = 0
    while count < jobs.count {
      guard jobs[count].perform(on: connection), connection.isInTransaction else {
        connection.rollBack()
        return false
      }
      count += 1
      if count == jobs.count { jobs += more(count) }
    }
    try connection.execute("COMMIT")
  } catch {
    connection.rollBack()
    return false
  }
  for job in jobs { job.finish(nil) }
  return true
}

/// Does jobs in one transaction, each so that its failure undoes only its own changes, and tells them when it is
/// committed; returns those that it did not come to.
private func commitApart(_ jobs: ArraySlice<any Job>, on connection: Connection) -> ArraySlice<any Job> {
  var count = 0
  var failure: SQLiteError?
  do throws(SQLiteError) {
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
