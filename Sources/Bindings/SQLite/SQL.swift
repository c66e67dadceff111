/// The text of a statement.
///
/// Written as a literal without interpolation, so that no value ever becomes part of it: values are bound to `?1`,
/// `?2` and so on.
public struct SQL: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The text as SQLite gets it.
  public let text: String

  /// A statement written in the program.
  public init(stringLiteral text: String) {
    self.text = text
  }

  /// A statement that the program put together from its own parts, such as a pragma with a number of ours. Never for
  /// anything that came from outside.
  public init(assembled text: String) {
    self.text = text
  }

  /// The text.
  public var description: String { text }
}

/// What a column can hold (https://www.sqlite.org/datatype3.html).
public enum SQLiteValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// A type whose values can be bound to a statement.
public protocol SQLiteConvertible {
  /// The value as SQLite stores it.
  var sqliteValue: SQLiteValue { get }
}

extension Int64: SQLiteConvertible {
  /// An integer.
  public var sqliteValue: SQLiteValue { .integer(self) }
}
extension Int: SQLiteConvertible {
  /// An integer.
  public var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}
extension Bool: SQLiteConvertible {
  /// 1 or 0: SQLite has no other truth.
  public var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }
}
extension Double: SQLiteConvertible {
  /// A real; SQLite stores a NaN as null.
  public var sqliteValue: SQLiteValue { .real(self) }
}
extension String: SQLiteConvertible {
  /// A text.
  public var sqliteValue: SQLiteValue { .text(self) }
}
extension [UInt8]: SQLiteConvertible {
  /// A blob.
  public var sqliteValue: SQLiteValue { .blob(self) }
}
