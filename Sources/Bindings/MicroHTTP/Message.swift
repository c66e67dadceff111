/// One request, whole: its body has arrived and is within the server's limit.
public struct Request: Sendable {
  /// The method as sent, upper case by convention: `GET`, `POST`, or one that nobody has heard of.
  public let method: String
  /// What is asked for.
  public let target: RequestTarget
  /// The header fields in order.
  public let headers: HeaderFields
  /// The body, chunks joined; empty when there is none.
  public let body: [UInt8]
  /// Whoever holds the other end of the socket (perhaps a proxy).
  public let peer: PeerAddress
  /// Whether the connection is TLS.
  public let isSecure: Bool

  /// A request made by hand, for a handler's test.
  public init(
    method: String, target: RequestTarget, headers: HeaderFields = [:], body: [UInt8] = [],
    peer: PeerAddress = PeerAddress(host: "127.0.0.1", port: 0), isSecure: Bool = false
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.peer = peer
    self.isSecure = isSecure
  }
}

/// An answer: a status, header fields written exactly as given, and bytes or a stream of them.
///
/// `Date`, `Content-Length`, `Transfer-Encoding` and `Connection` are the server's own; a `Content-Length` here is
/// ignored. A response to `HEAD` is written as for `GET`, without its body.
public struct Response: Sendable {
  /// What follows the header.
  public enum Body: Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// What a producer writes as time goes by.
    case stream(ResponseStream)
  }

  /// The status code, 200 to 599.
  public var status: Int
  /// The header fields, spelled as they shall be.
  public var headers: HeaderFields
  /// The body.
  public var body: Body

  /// An answer of bytes, none by default.
  public init(status: Int, headers: HeaderFields = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = .bytes(body)
  }

  /// An answer of text in UTF-8.
  public init(status: Int, headers: HeaderFields = [:], text: String) {
    self.init(status: status, headers: headers, body: Array(text.utf8))
  }

  /// An answer that goes on.
  public init(status: Int = 200, headers: HeaderFields = [:], stream: ResponseStream) {
    self.status = status
    self.headers = headers
    self.body = .stream(stream)
  }

  /// The answer to a refused request: its reason as plain text.
  public init(refusing refusal: Refusal) {
    self.init(
      status: refusal.status, headers: ["Content-Type": "text/plain; charset=utf-8"], text: refusal.reason + "\n")
  }
}

/// What is known of a request that is refused before its handler sees it.
public struct RequestHead: Sendable {
  /// The method as sent.
  public let method: String
  /// What is asked for.
  public let target: RequestTarget
  /// The header fields in order.
  public let headers: HeaderFields
  /// Whoever holds the other end of the socket.
  public let peer: PeerAddress
}

/// The address and port at the other end of a socket.
public struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
  /// The numeric address: `192.0.2.7`, `2001:db8::1`. An IPv4 address that came in over IPv6 is written as IPv4.
  public let host: String
  /// The port, 1 to 65535; 0 when unknown.
  public let port: UInt16

  /// An address as it is written.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Whether it is this machine.
  public var isLoopback: Bool { host == "::1" || host.hasPrefix("127.") }

  /// What one client has at most: an IPv4 address; of an IPv6 address the 64 bits that name a network, since one
  /// household has all the rest to choose from.
  public var network: String {
    guard host.contains(":") else { return host }
    let halves = host.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    let head = halves[0].split(separator: ":").map(String.init)
    guard halves.count == 2 else { return head.prefix(4).joined(separator: ":") }
    let tail = halves[1].split(separator: ":").map(String.init)
    let zeros = Array(repeating: "0", count: max(0, 8 - head.count - tail.count))
    return (head + zeros + tail).prefix(4).joined(separator: ":")
  }

  /// `192.0.2.7:4711`, `[2001:db8::1]:4711`.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// A certificate chain and its private key, both PEM. The key is never printed.
public struct TLSIdentity: Sendable, CustomStringConvertible, CustomReflectable {
  let certificate: String
  let key: String

  /// A chain (the server's certificate first) and the key of its first certificate.
  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }

  /// Says that it is one, not which.
  public var description: String { "TLS identity [redacted]" }
  /// Empty, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a server could not start.
public enum HTTPServerError: Error, CustomStringConvertible, Sendable {
  /// The address is no numeric IPv4 or IPv6 address.
  case address(String)
  /// The system refused the socket: the call and errno.
  case socket(call: String, errno: Int32)
  /// The library refused to start: what it said, a bad certificate for instance.
  case library(String)

  /// One sentence.
  public var description: String {
    switch self {
    case .address(let text): "\(text) is no numeric IPv4 or IPv6 address"
    case .socket(let call, let errno): "\(call): \(ListeningSocket.message(errno))"
    case .library(let message): message
    }
  }
}
