internal import CSQLite

/// A row of an answer, columns counted from 0. It is only there while its closure runs.
///
/// A column of another type than asked for, or a null where none is expected, is an error: the schema and the program
/// disagree.
public struct Row: ~Copyable {
  let statement: OpaquePointer
  let path: String

  /// Whether the column is null.
  public func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }

  /// An integer.
  public subscript(_ column: Int) -> Int64 {
    get throws(SQLiteError) {
      try expect(SQLITE_INTEGER, "integer", in: column)
      return sqlite3_column_int64(statement, Int32(column))
    }
  }

  /// An integer or null.
  public subscript(_ column: Int) -> Int64? {
    get throws(SQLiteError) { isNull(column) ? nil : try self[column] as Int64 }
  }

  /// An integer.
  public subscript(_ column: Int) -> Int {
    get throws(SQLiteError) { Int(try self[column] as Int64) }
  }

  /// An integer or null.
  public subscript(_ column: Int) -> Int? {
    get throws(SQLiteError) { isNull(column) ? nil : try self[column] as Int }
  }

  /// An integer that is not 0.
  public subscript(_ column: Int) -> Bool {
    get throws(SQLiteError) { try self[column] as Int64 != 0 }
  }

  /// A real; an integer is one too.
  public subscript(_ column: Int) -> Double {
    get throws(SQLiteError) {
      if sqlite3_column_type(statement, Int32(column)) != SQLITE_INTEGER {
        try expect(SQLITE_FLOAT, "real", in: column)
      }
      return sqlite3_column_double(statement, Int32(column))
    }
  }

  /// A real or null.
  public subscript(_ column: Int) -> Double? {
    get throws(SQLiteError) { isNull(column) ? nil : try self[column] as Double }
  }

  /// A text.
  public subscript(_ column: Int) -> String {
    get throws(SQLiteError) {
      try expect(SQLITE3_TEXT, "text", in: column)
      guard let text = sqlite3_column_text(statement, Int32(column)) else { throw outOfMemory() }
      let count = Int(sqlite3_column_bytes(statement, Int32(column)))
      return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }
  }

  /// A text or null.
  public subscript(_ column: Int) -> String? {
    get throws(SQLiteError) { isNull(column) ? nil : try self[column] as String }
  }

  /// A blob, or the UTF-8 of a text.
  public subscript(_ column: Int) -> [UInt8] {
    get throws(SQLiteError) {
      if sqlite3_column_type(statement, Int32(column)) != SQLITE3_TEXT {
        try expect(SQLITE_BLOB, "blob", in: column)
      }
      // Asked before the count, as SQLite wants it; null for an empty blob.
      let bytes = sqlite3_column_blob(statement, Int32(column))
      let count = Int(sqlite3_column_bytes(statement, Int32(column)))
      if bytes == nil && count > 0 { throw outOfMemory() }
      return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
  }

  /// A blob, the UTF-8 of a text, or null.
  public subscript(_ column: Int) -> [UInt8]? {
    get throws(SQLiteError) { isNull(column) ? nil : try self[column] as [UInt8] }
  }

  private func expect(_ type: Int32, _ name: String, in column: Int) throws(SQLiteError) {
    guard sqlite3_column_type(statement, Int32(column)) != type else { return }
    let label = sqlite3_column_name(statement, Int32(column)).map { String(cString: $0) } ?? "\(column)"
    throw SQLiteError(
      SQLITE_MISMATCH, "column \(label) holds no \(name)",
      sql: String(cString: sqlite3_sql(statement)), path: path)
  }

  private func outOfMemory() -> SQLiteError {
    SQLiteError(SQLITE_NOMEM, "out of memory", sql: String(cString: sqlite3_sql(statement)), path: path)
  }
}
