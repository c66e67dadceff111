/// Header fields in their order, found by name whatever its case.
public struct HTTPHeaders: Hashable, Sendable {
  /// One field. Its value is bytes, since RFC 9110 lets any above 0x20 through and validators are compared byte for
  /// byte.
  public struct Field: Hashable, Sendable {
    /// As it was written.
    public let name: String
    /// Without surrounding blanks.
    public let value: [UInt8]

    /// The value as UTF-8, what is none replaced.
    public var text: String { String(decoding: value, as: UTF8.self) }
  }

  /// All fields, in order.
  public private(set) var fields: [Field] = []

  /// No fields.
  public init() {}

  /// The first value of that name, as text.
  public subscript(name: String) -> String? { first(name)?.text }

  /// All values of that name, joined by commas as RFC 9110, section 5.3, allows.
  public func list(_ name: String) -> String? {
    let values = fields.filter { Self.matches($0.name, name) }.map(\.text)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The first value of that name with each byte as the character of that number (ISO 8859-1): loses nothing, so that a
  /// validator can be kept as text and sent back as the bytes it came as.
  public func exact(_ name: String) -> String? {
    guard let value = first(name)?.value else { return nil }
    if value.allSatisfy({ $0 < 0x80 }) { return String(decoding: value, as: UTF8.self) }
    return String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
  }

  /// Adds a field whose value is sent as UTF-8.
  public mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: Array(value.utf8)))
  }

  /// Adds a field with a value that ``exact(_:)`` gave: its bytes are sent as they came. Characters above 255 cannot
  /// have come from there and become `?`.
  public mutating func append(_ name: String, exact value: String) {
    fields.append(Field(name: name, value: value.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }))
  }

  /// Removes all fields of that name.
  public mutating func remove(_ name: String) {
    fields.removeAll { Self.matches($0.name, name) }
  }

  mutating func append(_ field: Field) { fields.append(field) }

  /// Continues the last value, where a server still folds lines (RFC 9112, section 5.2).
  mutating func fold(_ value: ArraySlice<UInt8>) {
    guard let last = fields.popLast() else { return }
    fields.append(Field(name: last.name, value: last.value + [0x20] + value))
  }

  private func first(_ name: String) -> Field? { fields.first { Self.matches($0.name, name) } }

  private static func matches(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return zip(a.utf8, b.utf8).allSatisfy { x, y in x == y || (x ^ y == 0x20 && (0x61...0x7A).contains(x | 0x20)) }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Fields in the order written, values in UTF-8.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }
}
