// Makes absolute URLs of the references that documents hold: RFC 3986, section 5, forgiving what browsers forgive.

internal import CLibcurl
internal import Glibc

/// A reference as documents write them – relative, protocol-relative, with spaces, umlauts and backslashes – made an
/// absolute URL in ASCII.
///
/// libcurl's own resolver is not used for this: it turns a space of the query into `+`, loses the last path segment
/// before a lone fragment, and knows no `mailto:`.
public enum URLReference {
  /// The absolute URL that `reference` means in a document at `base`; nil if it is relative and there is no base that
  /// could complete it, or if it names no host where its scheme needs one.
  ///
  /// What is legal stays as it was written, so that identities derived from links are stable; scheme and host become
  /// lower case, dot segments go, and what no URL may contain is percent-encoded (an international host name becomes
  /// punycode). Any scheme is let through: who wants only web links asks for a ``WebURL``.
  public static func resolve(_ reference: String, against base: String? = nil) -> String? {
    if isCleanWebURL(reference) { return reference }
    let reference = Components(cleaning: reference)
    if reference.scheme != nil { return reference.absolute() }
    guard let base else { return nil }
    let parts = Components(cleaning: base)
    guard parts.scheme != nil else { return nil }
    return reference.merged(with: parts)?.absolute()
  }

  /// Nine links of ten need nothing: `http://host/path` of legal bytes, in lower case up to the path.
  private static func isCleanWebURL(_ text: String) -> Bool {
    let bytes = text.utf8.span
    var index = 0
    for expected in "http".utf8 {
      guard index < bytes.count, bytes[index] == expected else { return false }
      index += 1
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: "s") { index += 1 }
    for expected in "://".utf8 {
      guard index < bytes.count, bytes[index] == expected else { return false }
      index += 1
    }
    let hostStart = index
    while index < bytes.count, ByteSet.plainHost.contains(bytes[index]) { index += 1 }
    guard index > hostStart, bytes[hostStart] != UInt8(ascii: ":") else { return false }
    guard index < bytes.count else { return true }
    var inPath = bytes[index] == UInt8(ascii: "/")
    guard inPath || bytes[index] == UInt8(ascii: "?") || bytes[index] == UInt8(ascii: "#") else { return false }
    var previous: UInt8 = 0
    while index < bytes.count {
      let byte = bytes[index]
      guard ByteSet.legal.contains(byte) else { return false }
      if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { inPath = false }
      // `/.` may begin a dot segment.
      if inPath, byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return false }
      previous = byte
      index += 1
    }
    return true
  }
}

/// Which of the 256 bytes belong.
struct ByteSet: Sendable {
  private var low: UInt128 = 0

  init(_ text: String) {
    for byte in text.utf8 where byte < 128 { low |= 1 << UInt128(byte) }
  }

  /// Bytes above 127 belong to no set of URL bytes.
  func contains(_ byte: UInt8) -> Bool { byte < 128 && (low >> UInt128(byte)) & 1 == 1 }

  private static let letters = "abcdefghijklmnopqrstuvwxyz"
  private static let digits = "0123456789"

  /// A host, perhaps with a port, that needs no rewriting.
  static let plainHost = ByteSet(letters + digits + "-._:")
  /// RFC 3986's unreserved and reserved characters, and the percent sign. A percent sign that begins no escape stays:
  /// servers have been seen that want it so, and encoding it would change the link's identity.
  static let legal = ByteSet(letters + letters.uppercased() + digits + "-._~:/?#[]@!$&'()*+,;=%")
  static let scheme = ByteSet(letters + letters.uppercased() + digits + "+-.")
}

/// The five parts of RFC 3986, as bytes. An absent part differs from an empty one.
private struct Components {
  var scheme: [UInt8]?
  var authority: [UInt8]?
  var path: [UInt8] = []
  var query: [UInt8]?
  var fragment: [UInt8]?

  var isWeb: Bool { scheme == Array("http".utf8) || scheme == Array("https".utf8) }

  /// Splits a reference after dropping what browsers drop: surrounding blanks and control characters, and line breaks
  /// and tabs anywhere.
  init(cleaning text: String) {
    var bytes = Array(text.utf8)
    bytes.removeAll { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    var rest = bytes[...]
    while let first = rest.first, first <= 0x20 { rest.removeFirst() }
    while let last = rest.last, last <= 0x20 { rest.removeLast() }

    if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
      fragment = Array(rest[(hash + 1)...])
      rest = rest[..<hash]
    }
    if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
      scheme = rest[..<colon].map(Self.lowercase)
      rest = rest[(colon + 1)...]
    }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = Array(rest[(mark + 1)...])
      rest = rest[..<mark]
    }
    path = Array(rest)
    splitAuthority()
  }

  private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, (0x61...0x7A).contains(first | 0x20) else { return false }
    return bytes.allSatisfy(ByteSet.scheme.contains)
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  private mutating func splitAuthority() {
    let slash = UInt8(ascii: "/")
    if scheme == nil || isWeb {
      for index in path.indices where path[index] == UInt8(ascii: "\\") { path[index] = slash }
    }
    var start = 2
    if isWeb {
      // `http:/host` and `http:///host` are what people type; no web URL lacks a host.
      start = path.prefix { $0 == slash }.count
    } else if !path.starts(with: [slash, slash]) {
      return
    }
    let end = path[start...].firstIndex(of: slash) ?? path.endIndex
    authority = Array(path[start..<end])
    path.removeFirst(end)
  }

  /// RFC 3986, section 5.2.2, for a reference without a scheme.
  func merged(with base: Components) -> Components? {
    var target = self
    target.scheme = base.scheme
    if authority != nil { return target }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      if query == nil { target.query = base.query }
      // `mailto:a@b` can complete a fragment, nothing else.
      return base.isHierarchical || query == nil ? target : nil
    }
    guard base.isHierarchical else { return nil }
    if path.first != UInt8(ascii: "/") {
      if let slash = base.path.lastIndex(of: UInt8(ascii: "/")) {
        target.path = base.path[...slash] + path
      } else {
        target.path = [UInt8(ascii: "/")] + path
      }
    }
    return target
  }

  private var isHierarchical: Bool { authority != nil || path.first == UInt8(ascii: "/") }

  /// The text, or nil if the host is missing or impossible.
  func absolute() -> String? {
    guard let scheme else { return nil }
    var out = scheme + [UInt8(ascii: ":")]
    if let authority {
      out += Array("//".utf8)
      if isWeb {
        guard let clean = Self.webAuthority(authority) else { return nil }
        out += clean
      } else {
        Self.append(authority[...], to: &out)
      }
    }
    Self.append(isHierarchical ? Self.removingDotSegments(path)[...] : path[...], to: &out)
    if let query {
      out.append(UInt8(ascii: "?"))
      Self.append(query[...], to: &out)
    }
    if let fragment {
      out.append(UInt8(ascii: "#"))
      Self.append(fragment[...], to: &out)
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func webAuthority(_ authority: [UInt8]) -> [UInt8]? {
    var out: [UInt8] = []
    var host = authority[...]
    if let at = host.lastIndex(of: UInt8(ascii: "@")) {
      append(host[..<at], to: &out)
      out.append(UInt8(ascii: "@"))
      host = host[(at + 1)...]
    }
    var port: ArraySlice<UInt8> = []
    if let colon = host.lastIndex(of: UInt8(ascii: ":")), !host[colon...].contains(UInt8(ascii: "]")) {
      port = host[colon...]
      host = host[..<colon]
    }
    guard !host.isEmpty, host.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    if host.allSatisfy({ $0 < 0x80 }) {
      out += host.map(lowercase)
    } else {
      guard let ascii = punycode(String(decoding: host, as: UTF8.self)) else { return nil }
      out += Array(ascii.utf8)
    }
    return out + port
  }

  /// RFC 3986, section 5.2.4.
  private static func removingDotSegments(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    guard path.contains(UInt8(ascii: ".")) else { return path }
    var kept: [ArraySlice<UInt8>] = []
    let segments = path.split(separator: slash, omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      if segment.elementsEqual(".".utf8) {
        if isLast { kept.append([]) }
      } else if segment.elementsEqual("..".utf8) {
        // The empty segment before the first slash is the root.
        if kept.count > 1 { kept.removeLast() }
        if isLast { kept.append([]) }
      } else {
        kept.append(segment)
      }
    }
    return Array(kept.joined(separator: [slash]))
  }

  private static func append(_ bytes: ArraySlice<UInt8>, to out: inout [UInt8]) {
    let hex = Array("0123456789ABCDEF".utf8)
    for byte in bytes {
      if ByteSet.legal.contains(byte) {
        out.append(byte)
      } else {
        out.append(UInt8(ascii: "%"))
        out.append(hex[Int(byte >> 4)])
        out.append(hex[Int(byte & 15)])
      }
    }
  }

  /// libcurl knows IDNA through libidn2, which reads the name in the character set of the thread's locale.
  private static func punycode(_ host: String) -> String? {
    guard let utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else { return nil }
    let previous = uselocale(utf8)
    defer {
      uselocale(previous)
      freelocale(utf8)
    }
    guard let handle = try? URLHandle(parsing: "http://\(host)/") else { return nil }
    return handle.host?.lowercased()
  }
}
