import MicroHTTP

/// The proxies whose word about the client is taken.
public struct Proxies: Sendable {
  private let isTrusted: @Sendable (String) -> Bool

  /// Takes the word of those numeric addresses of which `isTrusted` says so.
  public init(isTrusted: @escaping @Sendable (String) -> Bool) { self.isTrusted = isTrusted }

  /// Nobody's word is taken.
  public static let none = Proxies { _ in false }

  /// How `request` was sent by the client itself, before any proxy.
  func origin(of request: Request) -> Origin {
    let headers = request.headers
    var origin = Origin(
      scheme: request.isSecure ? "https" : "http", host: headers["Host"] ?? "localhost", client: request.peer.host)
    guard isTrusted(request.peer.host) else { return origin }
    if let scheme = last(headers, "X-Forwarded-Proto"), ["http", "https"].contains(scheme) { origin.scheme = scheme }
    if let host = last(headers, "X-Forwarded-Host"), isAuthority(host) { origin.host = host }
    // Each proxy adds whom it heard from at the end: the last that is no proxy of ours is the client.
    let hops = list(headers, "X-Forwarded-For")
    if let client = hops.last(where: { !isTrusted($0) }) ?? hops.first { origin.client = client }
    return origin
  }

  private func list(_ headers: HeaderFields, _ name: String) -> [String] {
    headers.values(name).flatMap { $0.split(separator: ",") }
      .map { $0.filter { $0 != " " } }
  }

  private func last(_ headers: HeaderFields, _ name: String) -> String? { list(headers, name).last?.lowercased() }

  private func isAuthority(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x61...0x7A: true
        default: ".-:[]".utf8.contains(byte)
        }
      }
  }
}

/// Where a request came from and what it took this server for.
struct Origin {
  var scheme: String
  /// With its port, as in a `Host` header.
  var host: String
  /// The client's numeric address.
  var client: String

  /// `http://host`.
  var base: String { "\(scheme)://\(host)" }
}
