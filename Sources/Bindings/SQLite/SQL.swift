/// The text of a statement.
///
/// Written as a literal without interpolation, so that no value ever becomes part of it: values are bound to `?1`,
/// `?2` and so on.
public struct SQL: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  private enum Source {
    case literal(StaticString)
    case assembled(String)
  }

  private let source: Source

  /// A statement written in the program.
  public init(stringLiteral text: StaticString) {
    source = .literal(text)
  }

  /// A statement that the program put together from its own parts, such as a pragma with a number of ours. Never for
  /// anything that came from outside.
  public init(assembled text: String) {
    source = .assembled(text)
  }

  /// The text as SQLite gets it.
  public var text: String {
    switch source {
    case .literal(let text): text.description
    case .assembled(let text): text
    }
  }

  /// The text.
  public var description: String { text }
}

extension SQL: Hashable {
  /// Statements are the same where their texts are.
  public static func == (left: SQL, right: SQL) -> Bool { left.text == right.text }

  /// Feeds the text into `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension SQL {
  /// What tells statements apart at every use: for a literal the place where it stands, which costs nothing to compare.
  enum Identity: Hashable {
    case literal(Int)
    case assembled(String)
  }

  var identity: Identity {
    switch source {
    // A literal of one character stands nowhere; it is its own number.
    case .literal(let text):
      .literal(text.hasPointerRepresentation ? Int(bitPattern: text.utf8Start) : Int(text.unicodeScalar.value))
    case .assembled(let text): .assembled(text)
    }
  }
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
