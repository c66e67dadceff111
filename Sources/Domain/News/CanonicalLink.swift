/// An article's address without what does not tell articles apart, so that one story in several feeds is one story.
///
/// The scheme, the host's case, a leading `www.`, default ports, fragments, a trailing slash, tracking parameters and the
/// order of the others do not tell articles apart.
public struct CanonicalLink: Sendable, Hashable {
  /// What two addresses of one article share. Not itself an address to be opened.
  public let key: String

  /// The canonical form of an absolute http or https address; nil for anything else, and for a bare host: a publisher's
  /// home page is no article.
  public init?(_ address: String?) {
    guard let address, let separator = address.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = address[..<separator].lowercased()
    guard scheme == "http" || scheme == "https", address[separator...].utf8.starts(with: "://".utf8) else { return nil }
    // Bytes, not characters: all that matters here is ASCII, and every article comes by twice.
    let rest = address.utf8[separator...].dropFirst(3).prefix { $0 != UInt8(ascii: "#") }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let target = rest[authority.endIndex...]
    let path = target.prefix { $0 != UInt8(ascii: "?") }
    let parameters = Substring(target[path.endIndex...].dropFirst()).split(separator: "&")
      .filter { !Self.isTracking($0) }.sorted()

    var host = authority.split(separator: UInt8(ascii: "@")).last.map { Substring($0).lowercased() } ?? ""
    for suffix in [":80", ":443", "."] where host.hasSuffix(suffix) { host.removeLast(suffix.count) }
    if host.hasPrefix("www.") { host.removeFirst(4) }
    var trimmed = path
    while trimmed.last == UInt8(ascii: "/") { trimmed = trimmed.dropLast() }
    guard !host.isEmpty, !trimmed.isEmpty || !parameters.isEmpty else { return nil }
    key = "//" + host + Substring(trimmed) + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
  }

  /// Whether a query parameter only says where the reader came from.
  private static func isTracking(_ parameter: Substring) -> Bool {
    let name = parameter.prefix { $0 != "=" }.lowercased()
    return trackingPrefixes.contains { name.hasPrefix($0) } || trackingNames.contains(name)
  }

  private static let trackingPrefixes = ["utm_", "at_", "mtm_", "pk_", "hsa_"]
  private static let trackingNames: Set<String> = [
    "fbclid", "gclid", "dclid", "msclkid", "yclid", "mc_cid", "mc_eid", "igshid", "cmpid", "ocid", "ns_mchannel",
    "ns_source", "ns_campaign", "ns_linkname", "ref_src", "guccounter", "guce_referrer", "smid", "xtor",
  ]
}
