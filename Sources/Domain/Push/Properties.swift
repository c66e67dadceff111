public import JSON

/// Named texts, in order: what a notification brings along, or what a device keeps for its templates. Names are equal
/// whatever their case.
public struct Properties: Sendable {
  /// A name with its text.
  public struct Property: Hashable, Sendable {
    /// The name as it was spelled.
    public let name: String
    /// The text.
    public let value: String
  }

  /// Azure's limit on the length of a name, in characters.
  public static let nameLengthMax = 120

  private var properties: [Property] = []
  /// Positions by folded name.
  private var positions: [String: Int] = [:]

  /// No properties.
  public init() {}

  /// No properties, with room for so many.
  public init(minimumCapacity: Int) {
    properties.reserveCapacity(minimumCapacity)
    positions.reserveCapacity(minimumCapacity)
  }

  /// These properties in this order; of two equal names the last wins.
  public init(_ properties: some Sequence<(String, String)>) {
    for (name, value) in properties { self[name] = value }
  }

  /// The members of the flat JSON object `json`, whose values all have to be strings.
  public init(json: JSONValue) throws(PropertiesError) {
    guard let object = json.object else {
      throw PropertiesError(message: "expected an object of strings, found \(json.kind)")
    }
    for (name, value) in object {
      guard let text = value.string else {
        throw PropertiesError(message: "expected a string as the value of '\(name)', found \(value.kind)")
      }
      guard name.count <= Self.nameLengthMax else {
        throw PropertiesError(
          message: "Property name is of length. \(name.count). Maximum allowed length is \(Self.nameLengthMax)")
      }
      self[name] = text
    }
  }

  /// The properties as a flat JSON object.
  public var json: JSONValue { .object(JSONObject(properties.map { ($0.name, .string($0.value)) })) }

  /// The text named `name`, in whatever case.
  public subscript(name: String) -> String? {
    get { self[folded: Self.fold(name)] }
    set {
      let folded = Self.fold(name)
      switch (positions[folded], newValue) {
      case (let position?, let value?): properties[position] = Property(name: name, value: value)
      case (nil, let value?):
        positions[folded] = properties.count
        properties.append(Property(name: name, value: value))
      case (let position?, nil):
        properties.remove(at: position)
        positions = Dictionary(
          uniqueKeysWithValues: properties.enumerated().map { (Self.fold($1.name), $0) })
      case (nil, nil): break
      }
    }
  }

  subscript(folded name: String) -> String? { positions[name].map { properties[$0].value } }

  static func fold(_ name: String) -> String { name.lowercased() }
}

extension Properties: RandomAccessCollection {
  /// The place of the first property.
  public var startIndex: Int { 0 }
  /// The place after the last property.
  public var endIndex: Int { properties.count }
  /// The property at `position`.
  public subscript(position: Int) -> Property { properties[position] }
}

extension Properties: Hashable, ExpressibleByDictionaryLiteral {
  /// Whether both hold the same names, as spelled, and texts in the same order.
  public static func == (left: Properties, right: Properties) -> Bool { left.properties == right.properties }
  /// Feeds names and texts into `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(properties) }
  /// These properties in this order; of two equal names the last wins.
  public init(dictionaryLiteral properties: (String, String)...) { self.init(properties) }
}

/// Why a JSON value is no set of properties.
public struct PropertiesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what would be right.
  public let message: String
  /// The message.
  public var description: String { message }
}
