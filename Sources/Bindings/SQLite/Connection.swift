internal import CSQLite

/// A connection as the closures of `Database.read` and `Database.write` see it.
///
/// It belongs to one thread. It cannot get away from there: it is not `Sendable`, and neither what those closures
/// capture nor what they return may be anything else.
public final class Connection {
  private let pointer: OpaquePointer
  private let cache: StatementCache
  let path: String

  init(_ path: String, _ role: Role, _ options: Database.Options) throws {
    self.path = path
    pointer = try Self.open(path, role, options)
    cache = StatementCache(connection: pointer, path: path, options: options)
    try configure(role, options)
  }

  deinit {
    cache.removeAll()
    sqlite3_close_v2(pointer)
  }

  /// Runs a statement that gives no rows.
  ///
  /// - Parameters:
  ///   - sql: One statement.
  ///   - values: What stands for `?1`, `?2` and so on.
  /// - Returns: How many rows an INSERT, UPDATE or DELETE changed, cascades and triggers not counted.
  @discardableResult
  @inlinable
  public func execute<each Value: SQLiteConvertible>(
    _ sql: SQL, _ values: repeat (each Value)?
  ) throws(SQLiteError) -> Int {
    try execute(sql, with: Self.list(repeat each values))
  }

  /// The rows of an answer, each made into a value.
  @inlinable
  public func rows<Made, each Value: SQLiteConvertible>(
    _ sql: SQL, _ values: repeat (each Value)?, as made: (borrowing Row) throws -> Made
  ) throws -> [Made] {
    var rows: [Made] = []
    try scan(sql, repeat each values) { row in
      rows.append(try made(row))
      return true
    }
    return rows
  }

  /// The first row of an answer, made into a value; nil where there is none.
  @inlinable
  public func first<Made, each Value: SQLiteConvertible>(
    _ sql: SQL, _ values: repeat (each Value)?, as made: (borrowing Row) throws -> Made
  ) throws -> Made? {
    var first: Made?
    try scan(sql, repeat each values) { row in
      first = try made(row)
      return false
    }
    return first
  }

  /// Goes through the rows of an answer until there are no more or the closure returns false: for answers too long for
  /// an array.
  @inlinable
  public func scan<each Value: SQLiteConvertible>(
    _ sql: SQL, _ values: repeat (each Value)?, while goOn: (borrowing Row) throws -> Bool
  ) throws {
    try scan(sql, with: Self.list(repeat each values), while: goOn)
  }

  /// The values of a call in one list. Compiled where the call stands, so that none of them is boxed on its way.
  @inlinable
  static func list<each Value: SQLiteConvertible>(_ values: repeat (each Value)?) -> [SQLiteValue] {
    var list: [SQLiteValue] = []
    for value in repeat each values { list.append(value?.sqliteValue ?? .null) }
    return list
  }

  @usableFromInline
  func execute(_ sql: SQL, with values: [SQLiteValue]) throws(SQLiteError) -> Int {
    let statement = try Statement(sql, of: cache)
    try statement.bind(values)
    while try statement.step() {}
    return Int(sqlite3_changes64(pointer))
  }

  @usableFromInline
  func scan(_ sql: SQL, with values: [SQLiteValue], while goOn: (borrowing Row) throws -> Bool) throws {
    let statement = try Statement(sql, of: cache)
    try statement.bind(values)
    let row = statement.row
    while try statement.step() {
      guard try goOn(row) else { return }
    }
  }

  /// Runs a script of several statements without values: the steps of a migration.
  public func execute(script: SQL) throws(SQLiteError) {
    let code = sqlite3_exec(pointer, script.text, nil, nil, nil)
    guard code == SQLITE_OK else { throw cache.error(code, script) }
  }

  /// The rowid of the last row that was inserted.
  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(pointer) }

  /// Whether the file that is open no longer stands at its path: deleted, moved or replaced under the process.
  var hasMoved: Bool {
    var moved: Int32 = 0
    let code = sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return code == SQLITE_OK && moved != 0
  }

  /// Whether a transaction is open. SQLite ends one by itself when the disk fails under it.
  var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

  /// Undoes what the open transaction did, if one is still open.
  func rollBack() {
    guard isInTransaction else { return }
    // It fails only where SQLite has rolled back by itself already.
    _ = try? execute("ROLLBACK")
  }
}

extension Connection {
  enum Role {
    case reader, writer
  }

  private static func open(
    _ path: String, _ role: Role, _ options: Database.Options
  ) throws(SQLiteError) -> OpaquePointer {
    guard !path.isEmpty, path != ":memory:" else {
      throw SQLiteError(SQLITE_CANTOPEN, "a database in memory cannot be shared by its readers", path: path)
    }
    _ = prepared
    var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
    if role == .writer {
      createPrivately(path)
      flags |= SQLITE_OPEN_CREATE
    }
    var pointer: OpaquePointer?
    let code = sqlite3_open_v2(fileName(path), &pointer, flags, nil)
    guard let pointer else { throw SQLiteError(SQLITE_NOMEM, "out of memory", path: path) }
    guard code == SQLITE_OK else {
      defer { sqlite3_close_v2(pointer) }
      throw SQLiteError(sqlite3_extended_errcode(pointer), String(cString: sqlite3_errmsg(pointer)), path: path)
    }
    return pointer
  }

  /// What is set for the whole process before its first connection. It fails only where somebody else has opened one,
  /// and costs some speed then.
  private static let prepared: Int32 = {
    makeSizeLimitAnError()
    return tidings_sqlite3_config_without_memory_status()
  }()

  /// The path as SQLite takes it: Debian's would read `file:…` as a URI with options of its own.
  static func fileName(_ path: String) -> String { path.hasPrefix("file:") ? "./" + path : path }

  /// Sets what a connection needs to be safe (https://www.sqlite.org/security.html) and to share its file.
  private func configure(_ role: Role, _ options: Database.Options) throws {
    waitWhenBusy(pointer, atMost: options.busyTimeout)
    for (option, on) in [
      (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false), (SQLITE_DBCONFIG_ENABLE_FKEY, true),
      // A misspelt column in double quotes would otherwise be a text.
      (SQLITE_DBCONFIG_DQS_DML, false), (SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
      let code = tidings_sqlite3_db_config_switch(pointer, option, on ? 1 : 0)
      guard code == SQLITE_OK else { throw cache.error(code, nil) }
    }
    guard sqlite3_db_readonly(pointer, "main") == 0 else {
      throw SQLiteError(SQLITE_READONLY, "the database may not be written", path: path)
    }
    switch role {
    case .writer:
      if let mark = options.applicationID { try checkApplication(mark) }
      try turnOnWriteAheadLog(options)
      // FULL, not WAL's usual NORMAL: a push that rang must not be forgotten by a power cut.
      try execute("PRAGMA synchronous = FULL")
      try execute(SQL(assembled: "PRAGMA wal_autocheckpoint = \(options.logPagesMax)"))
      try execute(SQL(assembled: "PRAGMA journal_size_limit = \(options.logBytesKept)"))
    case .reader:
      try execute("PRAGMA query_only = ON")
    }
    try execute(SQL(assembled: "PRAGMA cache_size = -\(options.cacheBytes / 1024)"))
    try execute("PRAGMA temp_store = MEMORY")
    try execute("PRAGMA cell_size_check = ON")
  }

  /// Refuses another program's database before anything in it is changed, and marks a new one.
  private func checkApplication(_ mark: Int32) throws {
    // One statement, so that a process which is just making its tables is not taken for a stranger.
    let found = try first("SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id") {
      row in try (mark: row[0] as Int, tables: row[1] as Int)
    }
    guard let found, found.mark != Int(mark) else { return }
    guard found == (0, 0) else {
      throw SQLiteError(SQLITE_NOTADB, "it is another program's database", path: path)
    }
    try execute(SQL(assembled: "PRAGMA application_id = \(mark)"))
  }

  /// Changing the journal's mode needs the file alone for a moment, and SQLite does not always call the busy handler
  /// for it: several processes that start at once would fail.
  private func turnOnWriteAheadLog(_ options: Database.Options) throws {
    let deadline = ContinuousClock.now + options.busyTimeout
    while true {
      do {
        let mode = try first("PRAGMA journal_mode = WAL") { row in try row[0] as String }
        guard mode != "wal" else { return }
        throw SQLiteError(
          SQLITE_CANTOPEN, "its file system has no shared memory, which write-ahead logging needs", path: path)
      } catch let error as SQLiteError where error.kind == .busy && ContinuousClock.now < deadline {
        sleepBriefly(.milliseconds(5))
      }
    }
  }
}
