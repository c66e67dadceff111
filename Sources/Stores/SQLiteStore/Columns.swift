public import JSON
public import News
public import SQLite
public import Time

/// How the domain's values are kept in columns: moments as milliseconds, what has a name as that name, the rest as
/// JSON text, so that a person with the sqlite3 shell can read it.

/// A column that holds what this program does not understand.
struct ColumnError: Error, CustomStringConvertible {
  let description: String
}

extension Timestamp: SQLiteConvertible {
  /// Milliseconds since 1970, UTC.
  public var sqliteValue: SQLiteValue { .integer(millisecondsSince1970) }
}

extension Duration: SQLiteConvertible {
  /// Milliseconds.
  public var sqliteValue: SQLiteValue { .integer(milliseconds) }
}

extension News.Category: SQLiteConvertible {
  /// Its name.
  public var sqliteValue: SQLiteValue { .text(rawValue) }
}

extension JSONValue: SQLiteConvertible {
  /// Its text.
  public var sqliteValue: SQLiteValue { .text(text()) }
}

extension Row {
  subscript(_ column: Int) -> Timestamp {
    get throws { Timestamp(millisecondsSince1970: try self[column]) }
  }

  subscript(_ column: Int) -> Timestamp? {
    get throws { try (self[column] as Int64?).map(Timestamp.init(millisecondsSince1970:)) }
  }

  subscript(_ column: Int) -> Duration? {
    get throws { try (self[column] as Int64?).map { .milliseconds($0) } }
  }

  subscript(_ column: Int) -> News.Category {
    get throws {
      let name: String = try self[column]
      guard let category = News.Category(rawValue: name) else { throw ColumnError(description: "no category: \(name)") }
      return category
    }
  }

  subscript(_ column: Int) -> News.Category? {
    get throws { isNull(column) ? nil : try self[column] as News.Category }
  }

  subscript(_ column: Int) -> JSONValue {
    get throws { try JSONValue(parsing: self[column] as [UInt8]) }
  }

  subscript(_ column: Int) -> Article {
    get throws { try Article(json: self[column]) }
  }
}
