import OpenSSL

/// What a page may do in a browser (W3C Content Security Policy 3): run the scripts and styles that stand in it, known
/// by their digests, and talk to where it came from; nothing else.
struct ContentSecurityPolicy {
  /// The header's value.
  let text: String

  /// The policy of a page that holds all of its scripts and styles.
  init(html: [UInt8]) {
    let html = String(decoding: html, as: UTF8.self)
    text = [
      "default-src 'none'", "connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'",
      "frame-ancestors 'none'", "script-src \(Self.sources("script", in: html))",
      "style-src \(Self.sources("style", in: html))",
    ].joined(separator: "; ")
  }

  /// The digests of what stands between the tags of the elements `name` (as we write them, without attributes).
  private static func sources(_ name: String, in html: String) -> String {
    var digests: [String] = []
    var rest = html[...]
    while let start = rest.firstRange(of: "<\(name)>"), let end = rest[start.upperBound...].firstRange(of: "</\(name)>")
    {
      let content = String(rest[start.upperBound..<end.lowerBound])
      digests.append("'sha256-\(Base64.standard.encode(SHA256.digest(of: content)))'")
      rest = rest[end.upperBound...]
    }
    return digests.isEmpty ? "'none'" : digests.joined(separator: " ")
  }
}
