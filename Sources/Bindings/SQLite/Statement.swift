internal import CSQLite

/// A prepared statement on loan from its connection's cache, given back at the end of its life.
struct Statement: ~Copyable {
  let pointer: OpaquePointer
  private let prepared: PreparedStatement
  private let cache: StatementCache
  private var sql: SQL { prepared.sql }

  init(_ sql: SQL, of cache: StatementCache) throws(SQLiteError) {
    prepared = try cache.take(sql)
    pointer = prepared.pointer
    self.cache = cache
  }

  deinit { cache.giveBack(prepared) }

  func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    // A forgotten value would silently be null.
    guard values.count == Int(sqlite3_bind_parameter_count(pointer)) else {
      throw SQLiteError(
        SQLITE_RANGE, "\(values.count) values for \(sqlite3_bind_parameter_count(pointer)) parameters",
        sql: sql.text, path: cache.path)
    }
    var index: Int32 = 0
    for value in values {
      index += 1
      let code =
        switch value {
        case .null: sqlite3_bind_null(pointer, index)
        case .integer(let value): sqlite3_bind_int64(pointer, index, value)
        case .real(let value): sqlite3_bind_double(pointer, index, value)
        case .text(let value): bind(value, at: index)
        case .blob(let value):
          value.withUnsafeBytes {
            // An empty array may have no address, and SQLite takes none for null.
            $0.isEmpty
              ? sqlite3_bind_zeroblob(pointer, index, 0)
              : tidings_sqlite3_bind_blob_copy(pointer, index, $0.baseAddress, UInt64($0.count))
          }
        }
      guard code == SQLITE_OK else { throw cache.error(code, sql) }
    }
  }

  private func bind(_ text: String, at index: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { text in
        // An empty text may have no address, and SQLite takes none for null.
        text.isEmpty
          ? tidings_sqlite3_bind_text_copy(pointer, index, "", 0)
          : tidings_sqlite3_bind_text_copy(pointer, index, text.baseAddress, UInt64(text.count))
      }
    }
  }

  /// Goes to the next row; false when there is none.
  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw cache.error(code, sql)
    }
  }

  var row: Row { Row(statement: pointer, path: cache.path) }
}

/// A statement that SQLite has compiled; in use or not.
final class PreparedStatement {
  let sql: SQL
  let pointer: OpaquePointer
  fileprivate var isInUse = true
  fileprivate var lastUse: UInt64 = 0

  fileprivate init(_ sql: SQL, _ pointer: OpaquePointer) {
    self.sql = sql
    self.pointer = pointer
  }

  deinit { sqlite3_finalize(pointer) }
}

/// The prepared statements of one connection, the most recently used ones kept. Used on the connection's thread only.
final class StatementCache {
  let path: String
  private let connection: OpaquePointer
  private let countMax: Int
  private let scanStepsMax: Int
  private let onScan: (@Sendable (Scan) -> Void)?
  private var kept: [SQL.Identity: PreparedStatement] = [:]
  private var uses: UInt64 = 0

  init(connection: OpaquePointer, path: String, options: Database.Options) {
    self.connection = connection
    self.path = path
    countMax = options.statementsMax
    scanStepsMax = options.scanStepsMax
    onScan = options.onScan
  }

  func removeAll() { kept = [:] }

  func take(_ sql: SQL) throws(SQLiteError) -> PreparedStatement {
    let known = kept[sql.identity]
    if let known, !known.isInUse {
      known.isInUse = true
      return known
    }
    var pointer: OpaquePointer?
    var text = sql.text
    let code = text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) {
        sqlite3_prepare_v3(
          connection, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
      }
    }
    guard code == SQLITE_OK else { throw error(code, sql) }
    guard let pointer else { throw SQLiteError(SQLITE_MISUSE, "no statement", sql: sql.text, path: path) }
    let statement = PreparedStatement(sql, pointer)
    // The same SQL inside its own rows gets a statement of its own, which is not kept.
    if known == nil { keep(statement) }
    return statement
  }

  private func keep(_ statement: PreparedStatement) {
    if kept.count >= countMax,
      let oldest = kept.lazy.filter({ !$0.value.isInUse }).min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      kept[oldest.key] = nil
    }
    kept[statement.sql.identity] = statement
  }

  func giveBack(_ statement: PreparedStatement) {
    // Its result code repeats what the last step has thrown already.
    sqlite3_reset(statement.pointer)
    sqlite3_clear_bindings(statement.pointer)
    report(statement.pointer, statement.sql)
    uses += 1
    statement.lastUse = uses
    statement.isInUse = false
  }

  private func report(_ pointer: OpaquePointer, _ sql: SQL) {
    guard let onScan else { return }
    let steps = Int(sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1))
    let indexed = Int(sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_AUTOINDEX, 1))
    if steps + indexed >= scanStepsMax { onScan(Scan(sql: sql, steps: steps + indexed)) }
  }

  func error(_ code: Int32, _ sql: SQL?) -> SQLiteError {
    SQLiteError(code, String(cString: sqlite3_errmsg(connection)), sql: sql?.text, path: path)
  }
}

/// A statement that went through a table without an index.
public struct Scan: Sendable, Hashable {
  /// The statement.
  public let sql: SQL
  /// How many rows it passed on its way, and how many it put into an index made for this one run.
  public let steps: Int
}
