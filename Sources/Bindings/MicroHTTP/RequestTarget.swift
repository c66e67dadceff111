/// What a request asks for: the target exactly as it stood in the request line, and the parts it is made of.
///
/// Nothing is normalised: `%2F` inside a segment stays inside it, `..` is a segment like any other, and an empty
/// segment (a doubled or a trailing slash) is kept, so that whoever routes decides what these mean.
public struct RequestTarget: Sendable, Hashable {
  /// One `name=value` of the query, raw and decoded.
  public struct QueryItem: Sendable, Hashable {
    /// The name as it stood in the query.
    public let rawName: String
    /// The value as it stood in the query, empty without a `=`.
    public let rawValue: String
    /// The name, decoded; `+` is a blank.
    public let name: String
    /// The value, decoded; `+` is a blank.
    public let value: String
  }

  /// The whole target, percent-encoded, as the client sent it.
  public let raw: String
  /// The path of it, percent-encoded, starting with a slash (`*` for `OPTIONS *`).
  public let rawPath: String
  /// The query without its question mark, percent-encoded; nil when there is none.
  public let rawQuery: String?
  /// The path's segments, percent-decoded, without the first slash: `/a/b%20c/` is `["a", "b c", ""]`.
  /// Nil when an escape is incomplete, is no UTF-8 or hides a NUL: such a path names nothing.
  public let segments: [String]?
  /// The query's items in order. An escape that cannot be decoded is kept as it is.
  public let query: [QueryItem]

  /// Takes apart a target in origin form (`/path?query`), absolute form (`http://host/path?query`) or `*`.
  public init(_ raw: String) {
    self.raw = raw
    var rest = raw.utf8[...]
    if rest.first != UInt8(ascii: "/"), let authority = Self.authorityStart(raw) {
      let path = raw.utf8[authority...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
      rest = raw.utf8[(path ?? raw.utf8.endIndex)...]
    }
    rest = rest.prefix { $0 != UInt8(ascii: "#") }
    let question = rest.firstIndex(of: UInt8(ascii: "?"))
    let path = String(rest[..<(question ?? rest.endIndex)]) ?? "/"
    rawPath = path.isEmpty ? "/" : path
    rawQuery = question.map { String(rest[rest.index(after: $0)...]) ?? "" }
    segments = Self.segments(rawPath)
    query = Self.items(rawQuery)
  }

  /// The first decoded value of the query item `name`, compared without case: clients spell `api-version` freely.
  public func queryValue(_ name: String) -> String? {
    query.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  private static func authorityStart(_ raw: String) -> String.Index? {
    for scheme in ["http://", "https://"] where raw.lowercased().hasPrefix(scheme) {
      return raw.utf8.index(raw.startIndex, offsetBy: scheme.utf8.count)
    }
    return nil
  }

  private static func segments(_ path: String) -> [String]? {
    guard path.utf8.first == UInt8(ascii: "/") else { return [path] }
    var segments: [String] = []
    for segment in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let decoded = percentDecoded(segment, plusIsBlank: false) else { return nil }
      segments.append(decoded)
    }
    return segments
  }

  private static func items(_ query: String?) -> [QueryItem] {
    guard let query else { return [] }
    return query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
      let equals = pair.firstIndex(of: UInt8(ascii: "="))
      let name = pair[..<(equals ?? pair.endIndex)]
      let value = equals.map { pair[pair.index(after: $0)...] } ?? pair[pair.endIndex...]
      let rawName = String(name) ?? ""
      let rawValue = String(value) ?? ""
      return QueryItem(
        rawName: rawName, rawValue: rawValue,
        name: percentDecoded(name, plusIsBlank: true) ?? rawName,
        value: percentDecoded(value, plusIsBlank: true) ?? rawValue)
    }
  }

  /// The text that `encoded` stands for (RFC 3986, 2.1), or nil: an incomplete escape, no UTF-8, a NUL.
  static func percentDecoded(_ encoded: Substring.UTF8View, plusIsBlank: Bool) -> String? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(encoded.count)
    var position = encoded.startIndex
    while position < encoded.endIndex {
      let byte = encoded[position]
      encoded.formIndex(after: &position)
      if byte == UInt8(ascii: "%") {
        guard let high = hexDigit(encoded, &position), let low = hexDigit(encoded, &position) else { return nil }
        decoded.append(high << 4 | low)
      } else {
        decoded.append(plusIsBlank && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return decoded.contains(0) ? nil : String(validating: decoded, as: UTF8.self)
  }

  private static func hexDigit(_ text: Substring.UTF8View, _ position: inout String.Index) -> UInt8? {
    guard position < text.endIndex else { return nil }
    let byte = text[position]
    text.formIndex(after: &position)
    switch byte {
    case 0x30...0x39: return byte - 0x30
    case 0x41...0x46: return byte - 0x41 + 10
    case 0x61...0x66: return byte - 0x61 + 10
    default: return nil
    }
  }
}
