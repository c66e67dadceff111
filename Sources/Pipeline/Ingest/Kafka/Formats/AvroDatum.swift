internal import JSON
internal import Time

/// Reads a datum of Avro's binary encoding as JSON: unions without their branch's name, moments as RFC 3339 texts, bytes
/// as text whose characters are their numbers. Pure; bounded in depth, items and memory whatever the bytes claim.
struct AvroDatum {
  private let schema: AvroSchema
  private var bytes: ArraySlice<UInt8>
  private var path: [String] = []
  private var itemsLeft = itemsMax

  /// A datum nested more deeply is no article's.
  private static let depthMax = 64
  /// Items of all arrays and maps together: some take no bytes, so that the length does not bound them.
  private static let itemsMax = 100_000

  private init(_ bytes: ArraySlice<UInt8>, _ schema: AvroSchema) {
    self.bytes = bytes
    self.schema = schema
  }

  /// The datum that the bytes are, all of them.
  static func json(_ bytes: ArraySlice<UInt8>, by schema: AvroSchema) throws(AvroError) -> JSONValue {
    var reader = AvroDatum(bytes, schema)
    let value = try reader.value(schema.root, depth: 0)
    guard reader.bytes.isEmpty else {
      throw AvroError(path: "", reason: "\(reader.bytes.count) bytes are left behind the datum: it has another schema")
    }
    return value
  }

  private func wrong(_ reason: String) -> AvroError { AvroError(path: path.joined(separator: "."), reason: reason) }

  private mutating func value(_ node: AvroSchema.Node, depth: Int) throws(AvroError) -> JSONValue {
    guard depth < Self.depthMax else { throw wrong("it is nested more than \(Self.depthMax) deep") }
    switch node {
    case .null: return .null
    case .boolean:
      let byte = try take(1).first
      guard byte == 0 || byte == 1 else { throw wrong("is no boolean") }
      return .bool(byte == 1)
    case .integer(let moment):
      let number = try long()
      return moment.map { .string($0.timestamp(number).rfc3339) } ?? .number(JSONNumber(Int(number)))
    case .float: return Self.number(Double(Float(bitPattern: UInt32(littleEndian: try word()))))
    case .double: return Self.number(Double(bitPattern: UInt64(littleEndian: try word())))
    case .bytes: return Self.text(try take(try length()))
    case .fixed(let size): return Self.text(try take(size))
    case .string: return .string(try string())
    case .symbols(let symbols):
      let index = try long()
      guard symbols.indices.contains(Int(index)) else { throw wrong("its enum has no symbol \(index)") }
      return .string(symbols[Int(index)])
    case .union(let branches):
      let index = try long()
      guard branches.indices.contains(Int(index)) else { throw wrong("its union has no branch \(index)") }
      return try value(branches[Int(index)], depth: depth + 1)
    case .named(let name):
      guard let node = schema.types[name] else { throw wrong("its schema does not define \(name)") }
      return try value(node, depth: depth + 1)
    case .record(let fields):
      var object = JSONObject()
      for field in fields {
        path.append(field.name)
        object[field.name] = try value(field.node, depth: depth + 1)
        path.removeLast()
      }
      return .object(object)
    case .array(let item):
      var elements: [JSONValue] = []
      while let count = try blockCount() {
        for _ in 0..<count { elements.append(try value(item, depth: depth + 1)) }
      }
      return .array(elements)
    case .map(let item):
      var object = JSONObject()
      while let count = try blockCount() {
        for _ in 0..<count {
          let key = try string()
          path.append(key)
          object[key] = try value(item, depth: depth + 1)
          path.removeLast()
        }
      }
      return .object(object)
    }
  }

  /// How many items the next block holds; nil behind the last. A negative count is followed by the block's size.
  private mutating func blockCount() throws(AvroError) -> Int? {
    var count = try long()
    if count == 0 { return nil }
    if count < 0 {
      _ = try long()
      count = count == .min ? .max : -count
    }
    guard count <= itemsLeft else { throw wrong("more than \(Self.itemsMax) items are claimed") }
    itemsLeft -= Int(count)
    return Int(count)
  }

  private mutating func string() throws(AvroError) -> String {
    guard let text = String(validating: try take(try length()), as: UTF8.self) else { throw wrong("is no UTF-8") }
    return text
  }

  private mutating func length() throws(AvroError) -> Int {
    let length = try long()
    guard length >= 0 else { throw wrong("a length of \(length) is claimed") }
    return Int(length)
  }

  /// A whole number: seven bits a byte, the lowest first, the sign in the lowest bit.
  private mutating func long() throws(AvroError) -> Int64 {
    var bits: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      let byte = UInt64(try take(1).first ?? 0)
      bits |= (byte & 0x7F) << shift
      if byte < 0x80 { return Int64(bitPattern: bits >> 1) ^ -Int64(bits & 1) }
    }
    throw wrong("a number takes more than ten bytes")
  }

  private mutating func word<Word: FixedWidthInteger>() throws(AvroError) -> Word {
    let bytes = try take(Word.bitWidth / 8)
    return bytes.reversed().reduce(0) { $0 << 8 | Word($1) }.littleEndian
  }

  private mutating func take(_ count: Int) throws(AvroError) -> ArraySlice<UInt8> {
    guard count <= bytes.count else { throw wrong("\(count) bytes are claimed, \(bytes.count) are there") }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  private static func number(_ value: Double) -> JSONValue { JSONNumber(value).map { .number($0) } ?? .null }

  private static func text(_ bytes: ArraySlice<UInt8>) -> JSONValue {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(Unicode.Scalar(byte)) }
    return .string(String(text))
  }
}

extension AvroSchema.Moment {
  /// The moment that a number is.
  fileprivate func timestamp(_ number: Int64) -> Timestamp {
    switch self {
    case .milliseconds: Timestamp(millisecondsSince1970: number)
    case .microseconds: Timestamp(millisecondsSince1970: number / 1_000)
    case .nanoseconds: Timestamp(millisecondsSince1970: number / 1_000_000)
    }
  }
}
