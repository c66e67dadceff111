/// Status line, header fields and how they came.
public struct HTTPResponseHead: Sendable {
  /// 200–599; informational answers are passed over.
  public var status: Int
  /// In their order; trailers are not among them.
  public var headers: HTTPHeaders
  /// `1.0`, `1.1` or `2`.
  public var version: String
  /// Whom we spoke to: the server, or the proxy where one is configured.
  public var peer: IPAddress?

  /// What a test of a caller needs an answer for.
  public init(status: Int, headers: HTTPHeaders = [:], version: String = "1.1", peer: IPAddress? = nil) {
    self.status = status
    self.headers = headers
    self.version = version
    self.peer = peer
  }
}

/// A whole answer.
public struct HTTPResponse: Sendable {
  /// Status and headers.
  public var head: HTTPResponseHead
  /// The body, decompressed.
  public var body: [UInt8]
  /// How many bytes of body came over the wire.
  public var bodyBytesReceived: Int
  /// How long it took.
  public var timings: HTTPTimings

  /// What a test of a caller needs an answer for.
  public init(head: HTTPResponseHead, body: [UInt8] = [], timings: HTTPTimings = HTTPTimings()) {
    self.head = head
    self.body = body
    bodyBytesReceived = body.count
    self.timings = timings
  }

  /// The status code.
  public var status: Int { head.status }
  /// The header fields.
  public var headers: HTTPHeaders { head.headers }
}

/// When a request reached which stage, counted from its start; zero where a reused connection skipped the stage.
public struct HTTPTimings: Hashable, Sendable {
  /// The name was resolved.
  public var resolved = Duration.zero
  /// TCP was connected.
  public var connected = Duration.zero
  /// TLS was agreed.
  public var secured = Duration.zero
  /// The first byte of the answer came.
  public var firstByte = Duration.zero
  /// The last byte came.
  public var total = Duration.zero

  /// All zero.
  public init() {}
}
