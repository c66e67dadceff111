/// The address that a request wants opened, in the form in which a token's address is compared with it.
public struct AccessRequest: Hashable, Sendable {
  private let host: String
  private let segments: [String]
  private let aliases: Set<String>

  /// A request to `path`, raw as it was sent (what follows a `?` is ignored), that named `host` in its `Host` header.
  ///
  /// `aliases` are further names, with their ports if any, under which clients know this hub. Azure's own names
  /// (`*.servicebus.windows.net`, `*.notificationhub.windows.net`) always are: a device may sign for the name it was
  /// built with and be led here by the resolver.
  public init(host: String, path: String, aliases: Set<String> = []) {
    self.host = Self.authority(host)
    self.aliases = Set(aliases.map(Self.authority))
    segments = Self.segments(path)
  }

  /// Whether a token for `resource`, percent-encoded, opens it: its address is this one or one above it, whatever its
  /// scheme and query.
  func isCovered(by resource: String) -> Bool {
    guard let address = percentDecoded(resource)?.lowercased(), let scheme = address.firstRange(of: "://"),
      ["http", "https", "sb"].contains(address[..<scheme.lowerBound])
    else { return false }
    let rest = address[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let scope = Self.segments(rest[authority.endIndex...])
    return isOurs(String(authority)) && segments.starts(with: scope) && !(segments + scope).contains { $0 == ".." }
  }

  private func isOurs(_ authority: String) -> Bool {
    let authority = Self.authority(authority)
    if authority == host || aliases.contains(authority) { return true }
    let name = authority.prefix { $0 != ":" }
    return name.hasSuffix(".servicebus.windows.net") || name.hasSuffix(".notificationhub.windows.net")
  }

  /// A host and a port, lower-cased. The ports that go without saying are left out: some clients sign them and then do
  /// not send them. Of which scheme they are says nothing, for some sign http and speak https.
  private static func authority(_ text: String) -> String {
    let text = text.lowercased()
    for port in [":443", ":80"] where text.hasSuffix(port) { return String(text.dropLast(port.count)) }
    return text
  }

  /// The path's segments, lower-cased. Some clients encode the path once before they encode the whole address, so both
  /// sides are decoded once more; a segment that cannot be is compared as it is.
  private static func segments(_ path: some StringProtocol) -> [String] {
    path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").map { segment in
      (percentDecoded(segment) ?? String(segment)).lowercased()
    }
  }
}
