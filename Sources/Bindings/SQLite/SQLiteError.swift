internal import CSQLite

/// What SQLite refused, and what to do about it.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds that a caller can act upon; the codes are at https://www.sqlite.org/rescode.html.
  public enum Kind: Sendable, Hashable {
    /// Another process, or more work than may wait, holds the database: later it may go well.
    case busy
    /// No room is left on the disk.
    case full
    /// The file or its directory may not be written.
    case readOnly
    /// The file is damaged.
    case corrupt
    /// The file is something else than a database.
    case notADatabase
    /// The file cannot be opened or made.
    case cannotOpen
    /// The operating system failed to read or write.
    case inputOutput
    /// A constraint of the schema does not hold.
    case constraint
    /// A mistake in the program.
    case other
  }

  /// The primary result code, such as 13 for a full disk.
  public let code: Int32
  /// The extended result code; its low byte is the primary one.
  public let extendedCode: Int32
  /// What went wrong, in SQLite's words or ours.
  public let message: String
  /// The statement, without the values bound to it; nil where it was no statement that failed.
  public let sql: String?
  /// The database's file.
  public let path: String

  init(_ extendedCode: Int32, _ message: String, sql: String? = nil, path: String) {
    code = extendedCode & 0xFF
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
    self.path = path
  }

  /// What kind of failure it is.
  public var kind: Kind {
    switch code {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
    case SQLITE_FULL: .full
    case SQLITE_READONLY, SQLITE_PERM: .readOnly
    case SQLITE_CORRUPT: .corrupt
    case SQLITE_NOTADB: .notADatabase
    case SQLITE_CANTOPEN: .cannotOpen
    case SQLITE_IOERR: .inputOutput
    case SQLITE_CONSTRAINT: .constraint
    default: .other
    }
  }

  /// Whether a unique index or a primary key holds the value already.
  public var isUniqueViolation: Bool {
    // Macros with a shift, which Swift does not import: SQLITE_CONSTRAINT | 8 << 8 (UNIQUE) and | 6 << 8 (PRIMARYKEY).
    extendedCode == SQLITE_CONSTRAINT | 8 << 8 || extendedCode == SQLITE_CONSTRAINT | 6 << 8
  }

  /// What the operator can do; nil where it is the program that must change.
  public var advice: String? {
    switch kind {
    case .busy: "wait, or stop the other process that holds the database"
    case .full: "free some space on its disk; what was committed is safe"
    case .readOnly: "let the user of this process write both the file and its directory"
    case .corrupt:
      "stop every process that uses it, keep a copy, then restore a backup or try `sqlite3 FILE .recover`"
    case .notADatabase: "move that file away, or name another one"
    case .cannotOpen: "make its directory, and let the user of this process write there"
    case .inputOutput: "look for a failing disk or a full quota in the system's log"
    case .constraint, .other: nil
    }
  }

  /// One sentence without its full stop: the file, what went wrong, in which statement, what to do.
  public var description: String {
    var text = "\(path): \(message) (SQLite code \(extendedCode))"
    if let sql { text += ", in: \(sql.split(whereSeparator: \.isWhitespace).joined(separator: " "))" }
    if let advice { text += "; \(advice)" }
    return text
  }
}
