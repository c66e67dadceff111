/// The header fields of a message in their order, each name spelled as it was given and found in any spelling.
public struct HeaderFields: Sendable, Hashable, ExpressibleByDictionaryLiteral, RandomAccessCollection {
  /// One header line.
  public struct Field: Sendable, Hashable {
    /// The name as spelled on the wire.
    public let name: String
    /// The value without surrounding blanks.
    public let value: String

    /// A field as it will be written.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  private var fields: [Field]

  /// No fields.
  public init() { fields = [] }

  /// The fields in the order of the literal; a repeated name stays repeated.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field($0.0, $0.1) }
  }

  init(_ fields: [Field]) { self.fields = fields }

  /// The first value of `name`, compared without case. Assigning replaces every field of that name; nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { Self.same($0.name, name) }?.value }
    set {
      guard let newValue else { return fields.removeAll { Self.same($0.name, name) } }
      let field = Field(name, newValue)
      guard let first = fields.firstIndex(where: { Self.same($0.name, name) }) else { return fields.append(field) }
      fields[first] = field
      fields = fields.enumerated().filter { $0.offset <= first || !Self.same($0.element.name, name) }.map(\.element)
    }
  }

  /// Every value of `name`, compared without case, in order.
  public func values(_ name: String) -> [String] {
    fields.filter { Self.same($0.name, name) }.map(\.value)
  }

  /// Adds a field behind those of the same name.
  public mutating func add(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  /// The place of the first field.
  public var startIndex: Int { 0 }
  /// The place behind the last field.
  public var endIndex: Int { fields.count }
  /// The field at `position`.
  public subscript(position: Int) -> Field { fields[position] }

  /// Field names are ASCII, so case folding is one bit.
  private static func same(_ one: String, _ other: String) -> Bool {
    let one = one.utf8
    let other = other.utf8
    guard one.count == other.count else { return false }
    return zip(one, other).allSatisfy { lowered($0) == lowered($1) }
  }

  private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
