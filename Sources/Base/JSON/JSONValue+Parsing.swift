extension JSONValue {
  /// Reads the one value that the UTF-8 text `source` holds. Of equal keys in an object the last wins, as in JavaScript.
  public init(parsing source: [UInt8]) throws(JSONError) {
    var scanner = JSONScanner(source)
    // `next` gives nil only after a value.
    guard let first = try scanner.next() else { preconditionFailure("a text without a value is an error") }
    self = try Self.value(from: first, &scanner)
    _ = try scanner.next()
  }

  /// Reads the one value that `source` holds. Of equal keys in an object the last wins, as in JavaScript.
  public init(parsing source: some StringProtocol) throws(JSONError) {
    try self.init(parsing: Array(source.utf8))
  }

  // Recursive: the scanner bounds the depth.
  private static func value(
    from token: JSONScanner.Token, _ scanner: inout JSONScanner
  ) throws(JSONError) -> JSONValue {
    switch token {
    case .null: return .null
    case .bool(let flag): return .bool(flag)
    case .number(let number): return .number(number)
    case .string(let text): return .string(text)
    case .beginArray:
      var elements: [JSONValue] = []
      while let token = try scanner.next() {
        if case .endArray = token { break }
        elements.append(try value(from: token, &scanner))
      }
      return .array(elements)
    case .beginObject:
      var object = JSONObject()
      while case .key(let key)? = try scanner.next(), let token = try scanner.next() {
        object[key] = try value(from: token, &scanner)
      }
      return .object(object)
    case .key, .endArray, .endObject: preconditionFailure("the scanner gives these only inside a container")
    }
  }
}
