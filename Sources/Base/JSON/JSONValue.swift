// Reads and writes JSON, keeping order, number spelling and places. Knows no other format.

/// One JSON value (RFC 8259), whole: what was read from a text, or what is to be written as one.
///
///     let feed = try JSONValue(parsing: body)
///     let title = feed["items"]?[0]?["title"]?.string
///     let reply: JSONValue = ["id": "a1", "tags": ["World"], "count": 3]
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

// MARK: - Looking inside

extension JSONValue {
  /// The member named `key`, when this is an object that has one.
  public subscript(key: String) -> JSONValue? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  /// The element at `index`, when this is an array that long.
  public subscript(index: Int) -> JSONValue? {
    if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
  }

  /// The text, when this is a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The whole number, when this is a number without a fraction that an `Int` holds exactly (`3`, `3.0`, `3e2`).
  public var int: Int? {
    if case .number(let number) = self { number.int } else { nil }
  }

  /// The nearest double, when this is a number.
  public var double: Double? {
    if case .number(let number) = self { number.double } else { nil }
  }

  /// The truth value, when this is `true` or `false`.
  public var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The elements, when this is an array.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members in order, when this is an object.
  public var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// Whether this is `null`.
  public var isNull: Bool { self == .null }

  /// What kind of value this is, with its article, for messages: `a string`, `an object`.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

// MARK: - Literals

// No literal for `.null`: with one, `nil` in a closure that gives a `JSONValue?` would mean null and not "no value".
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
  /// A number with a fraction. A literal too large for a double stops the program.
  public init(floatLiteral value: Double) { self = .number(JSONNumber(value)!) }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array of values.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object with these members in this order; of two equal keys the last wins.
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(JSONObject(members.lazy.map { (key: $0.0, value: $0.1) }))
  }
}
