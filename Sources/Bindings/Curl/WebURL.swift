internal import CLibcurl

/// An absolute `http` or `https` URL that a request can be sent to: parsed once, canonical ever after.
///
/// Numeric hosts in any spelling (`0x7f.1`, `2130706433`, `0177.0.0.1`) become dotted decimals, default ports and dot
/// segments go, an empty path is `/`.
public struct WebURL: Hashable, Sendable {
  /// The two schemes that requests are sent over.
  public enum Scheme: String, Hashable, Sendable {
    /// Clear text, port 80 unless the URL says otherwise.
    case http
    /// TLS, port 443 unless the URL says otherwise.
    case https
  }

  /// The scheme.
  public let scheme: Scheme
  /// Lower case, international names in punycode, IPv6 literals in brackets.
  public let host: String
  /// The port, the scheme's own if the URL names none.
  public let port: UInt16
  /// Begins with a slash; percent-encoded.
  public let path: String
  /// Without the question mark; percent-encoded.
  public let query: String?
  /// Without the hash; percent-encoded. Never sent.
  public let fragment: String?
  /// What stands before the `@`, decoded: sent as Basic authentication, never shown.
  let login: Login?

  struct Login: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    var user: String
    var password: String

    var description: String { "[redacted]" }
    /// `dump` and failing tests look here.
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// Parses `text`, forgiving what ``URLReference`` forgives.
  public init(_ text: String) throws(MalformedURL) {
    guard let absolute = URLReference.resolve(text) else {
      throw MalformedURL("an absolute URL is needed, such as https://example.org/feed.xml")
    }
    let handle = try URLHandle(parsing: absolute)
    let scheme = handle.part(CURLUPART_SCHEME) ?? ""
    guard let known = Scheme(rawValue: scheme) else {
      throw MalformedURL("the scheme must be http or https, not \(scheme)")
    }
    guard let host = handle.host, !host.isEmpty,
      let portText = handle.part(CURLUPART_PORT, flags: UInt32(CURLU_DEFAULT_PORT)), let port = UInt16(portText)
    else { throw MalformedURL("host or port cannot be used") }
    self.scheme = known
    self.host = host.lowercased()
    self.port = port
    path = handle.part(CURLUPART_PATH) ?? "/"
    query = handle.part(CURLUPART_QUERY)
    fragment = handle.part(CURLUPART_FRAGMENT)
    let user = handle.part(CURLUPART_USER, flags: UInt32(CURLU_URLDECODE))
    let password = handle.part(CURLUPART_PASSWORD, flags: UInt32(CURLU_URLDECODE))
    login = user == nil && password == nil ? nil : Login(user: user ?? "", password: password ?? "")
  }

  private init(_ other: WebURL, login: Login?) {
    scheme = other.scheme
    host = other.host
    port = other.port
    path = other.path
    query = other.query
    fragment = other.fragment
    self.login = login
  }

  /// The whole URL without user and password: for requests, logs and stores.
  public var text: String {
    var out = origin + path
    if let query { out += "?" + query }
    if let fragment { out += "#" + fragment }
    return out
  }

  /// Scheme, host and port, the port only where it is not the scheme's own: `https://example.org:8443`.
  public var origin: String {
    let isDefault = port == (scheme == .http ? 80 : 443)
    return "\(scheme.rawValue)://\(host)" + (isDefault ? "" : ":\(port)")
  }

  /// Whether user or password are part of the URL.
  public var hasLogin: Bool { login != nil }

  /// The URL that a `Location` of this one's answer names. A user and a password stay where scheme, host and port do,
  /// and are dropped everywhere else.
  public func redirected(to location: String) throws(MalformedURL) -> WebURL {
    guard let absolute = URLReference.resolve(location, against: text) else {
      throw MalformedURL("a redirect to no usable address")
    }
    let target = try WebURL(absolute)
    if target.login == nil, target.origin == origin { return WebURL(target, login: login) }
    return target
  }
}

extension WebURL: CustomStringConvertible, CustomDebugStringConvertible {
  /// ``text``: without user and password.
  public var description: String { text }
  /// ``text``: without user and password.
  public var debugDescription: String { text }
}
