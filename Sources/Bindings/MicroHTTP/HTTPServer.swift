// Holds libmicrohttpd: HTTP requests in, responses out. Never knows a route.

/// An HTTP/1.1 server on one address: every request is handed to one async handler, whole and within its limits.
///
/// A handler runs in a task of its own while its connection sleeps; it is cancelled when it takes longer than
/// `Limits.requestTime`, or when the server stops. libmicrohttpd does not tell when a sleeping connection's client
/// leaves, so that a handler may work for nobody until then. The server runs from `init` until `stop(within:)`, or until
/// it is let go of.
public final class HTTPServer: Sendable {
  /// Answers one request.
  public typealias Handler = @Sendable (Request) async -> Response
  /// Words the answer to a request that never reaches the handler.
  public typealias Refuse = @Sendable (Refusal, RequestHead) -> Response

  /// The port it listens on, the one that the system chose if it was asked to.
  public let port: UInt16
  private let daemon: Daemon

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - address: a numeric IPv4 or IPv6 address; `::` takes both.
  ///   - port: 0 lets the system choose.
  ///   - tls: the certificate and key; nil for clear text.
  public init(
    address: String = "127.0.0.1", port: UInt16 = 0, tls: TLSIdentity? = nil, limits: Limits = Limits(),
    refuse: @escaping Refuse = { refusal, _ in Response(refusing: refusal) },
    handler: @escaping Handler
  ) throws(HTTPServerError) {
    ListeningSocket.makeRoom(forConnections: limits.connectionsMax)
    let socket = try ListeningSocket(address: address, port: port)
    self.port = socket.port
    daemon = Daemon(limits: limits, isSecure: tls != nil, refuse: refuse, handler: handler)
    try daemon.start(on: socket.descriptor, tls: tls)
  }

  deinit { daemon.stop(within: .zero, then: {}) }

  /// Takes no more connections, ends streams, waits for requests under way as long as `deadline`, answers 503 for those
  /// that are left, and closes everything. Returns when the last socket is closed, also when its task is cancelled.
  public func stop(within deadline: Duration) async {
    await withCheckedContinuation { continuation in
      daemon.stop(within: deadline) { continuation.resume() }
    }
  }
}
