internal import JSON

/// A schema of Apache Avro 1.11 (https://avro.apache.org/docs/1.11.1/specification), from its JSON text. Pure.
///
/// Ours, because Avro's C library knows neither limits nor logical types, and reads a stranger's bytes by recursion as
/// deep as they say.
struct AvroSchema: Sendable, Hashable {
  /// What a datum can be.
  indirect enum Node: Sendable, Hashable {
    case null, boolean, float, double, bytes, string
    /// A whole number, which a logical type may make a moment.
    case integer(Moment?)
    case record([Field])
    case symbols([String])
    case array(Node)
    case map(Node)
    case union([Node])
    case fixed(Int)
    /// A type that is defined elsewhere in the schema.
    case named(String)
  }

  /// A record's field.
  struct Field: Sendable, Hashable {
    let name: String
    let node: Node
  }

  /// How a moment is counted from 1970 on.
  enum Moment: String, Sendable, Hashable {
    case milliseconds = "timestamp-millis"
    case microseconds = "timestamp-micros"
    case nanoseconds = "timestamp-nanos"
  }

  /// The whole.
  let root: Node
  /// The types with names, which may stand at several places.
  private(set) var types: [String: Node] = [:]

  /// A deeper schema is no article's.
  private static let depthMax = 32

  /// Reads a schema. Throws what is wrong with it.
  init(parsing text: String) throws(AvroError) {
    let json: JSONValue
    // A primitive may stand without its quotes, as some registries keep it.
    do throws(JSONError) { json = try JSONValue(parsing: Array(text.utf8)) } catch {
      guard let node = Self.primitive(text, logicalType: nil) else {
        throw AvroError(path: "", reason: "its schema is no JSON: \(error)")
      }
      root = node
      return
    }
    var types: [String: Node] = [:]
    root = try Self.node(json, namespace: "", &types, depth: 0)
    self.types = types
  }

  private static func node(
    _ json: JSONValue, namespace: String, _ types: inout [String: Node], depth: Int
  ) throws(AvroError) -> Node {
    guard depth < depthMax else { throw AvroError(path: "", reason: "its schema is nested more than \(depthMax) deep") }
    switch json {
    case .string(let name):
      if let node = primitive(name, logicalType: nil) { return node }
      for full in [fullName(name, namespace), name] where types[full] != nil { return .named(full) }
      throw AvroError(path: "", reason: "its schema names \"\(name.prefix(60))\", which it does not define")
    case .array(let branches):
      var nodes: [Node] = []
      for branch in branches { nodes.append(try node(branch, namespace: namespace, &types, depth: depth + 1)) }
      return .union(nodes)
    case .object(let object):
      return try node(object, namespace: namespace, &types, depth: depth)
    default: throw AvroError(path: "", reason: "its schema holds \(json.kind), a type is a name, an object or a union")
    }
  }

  private static func node(
    _ object: JSONObject, namespace: String, _ types: inout [String: Node], depth: Int
  ) throws(AvroError) -> Node {
    guard let type = object["type"] else {
      throw AvroError(path: "", reason: "its schema holds an object without a type")
    }
    guard let kind = type.string else { return try node(type, namespace: namespace, &types, depth: depth + 1) }
    switch kind {
    case "array":
      return .array(try node(object["items"] ?? .null, namespace: namespace, &types, depth: depth + 1))
    case "map":
      return .map(try node(object["values"] ?? .null, namespace: namespace, &types, depth: depth + 1))
    case "record", "error", "enum", "fixed":
      guard let name = object["name"]?.string else {
        throw AvroError(path: "", reason: "its schema holds a \(kind) without a name")
      }
      let space = object["namespace"]?.string ?? namespace
      let full = fullName(name, space)
      // Known before its fields are: they may hold it again.
      types[full] = .null
      let inner = full.lastIndex(of: ".").map { String(full[..<$0]) } ?? ""
      switch kind {
      case "enum": types[full] = .symbols(object["symbols"]?.array?.compactMap(\.string) ?? [])
      case "fixed":
        guard let size = object["size"]?.int, size >= 0 else {
          throw AvroError(path: "", reason: "its schema holds a fixed without a size")
        }
        types[full] = .fixed(size)
      default:
        var fields: [Field] = []
        for field in object["fields"]?.array ?? [] {
          guard let name = field["name"]?.string, let type = field["type"] else {
            throw AvroError(path: "", reason: "its schema holds a field without a name or a type")
          }
          fields.append(Field(name: name, node: try node(type, namespace: inner, &types, depth: depth + 1)))
        }
        types[full] = .record(fields)
      }
      return .named(full)
    default:
      if let node = primitive(kind, logicalType: object["logicalType"]?.string) { return node }
      return try node(type, namespace: namespace, &types, depth: depth + 1)
    }
  }

  private static func fullName(_ name: String, _ namespace: String) -> String {
    name.contains(".") || namespace.isEmpty ? name : "\(namespace).\(name)"
  }

  private static func primitive(_ name: String, logicalType: String?) -> Node? {
    switch name {
    case "null": .null
    case "boolean": .boolean
    case "int": .integer(nil)
    case "long": .integer(logicalType.flatMap(Moment.init(rawValue:)))
    case "float": .float
    case "double": .double
    case "bytes": .bytes
    case "string": .string
    default: nil
    }
  }
}

/// Why bytes are no datum of a schema, or the schema is none.
struct AvroError: Error, Hashable {
  /// Where in the datum; empty for the whole.
  let path: String
  /// What is there, and what would be right.
  let reason: String
}
