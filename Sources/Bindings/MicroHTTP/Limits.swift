/// What a server grants a client at most. Every number bounds what one stranger can cost.
public struct Limits: Sendable {
  /// The longest request body that a handler sees, in bytes. A longer one is refused with 413.
  public var bodyBytesMax = 64 * 1024
  /// What a target may have instead of `bodyBytesMax`, judged by its method and itself; nil for that. Whoever grants
  /// more here should know who asks.
  public var bodyBytesMaxAt: @Sendable (_ method: String, _ target: RequestTarget) -> Int? = { _, _ in nil }
  /// The request line and the header fields together, in bytes. Longer ones are refused with 431 (a long target: 414).
  /// A connection keeps twice this in memory for as long as it lives.
  public var headerBytesMax = 8 * 1024
  /// Connections open at once; further ones wait in the kernel's backlog.
  public var connectionsMax = 16_384
  /// Connections open at once from one address, or one IPv6 network; further ones are closed.
  public var connectionsPerAddressMax = 1_024
  /// Whether an address stands for many clients, so that the limit on one does not apply: a proxy's, for instance.
  public var isShared: @Sendable (PeerAddress) -> Bool = { $0.isLoopback }
  /// From the first byte of a request to its answer. Reading later than this closes the connection, a handler that
  /// takes longer is cancelled and the client gets 503.
  public var requestTime: Duration = .seconds(30)
  /// How long a connection may neither send nor receive a byte. Whole seconds.
  public var idleTime: Duration = .seconds(60)
  /// How many bytes of a streamed body wait for a slow reader before `ResponseWriter.write(_:)` suspends.
  public var streamBytesMax = 32 * 1024
  /// Threads that serve sockets. Two saturate the cores that a worker of this kind is given.
  public var threads = 2

  /// The limits of a small public service.
  public init() {}

  /// How much of a body beyond its limit is read and thrown away, so that the client sees the 413 instead of a reset
  /// connection. Beyond it the connection is closed without ceremony.
  static let drainedBytesMax = 1024 * 1024
}

/// Why a server answers a request without asking its handler.
public enum Refusal: Sendable, Hashable {
  /// 400: the request breaks HTTP's own rules; the text says which.
  case malformed(String)
  /// 413: the body is longer than `limit` bytes.
  case bodyTooLarge(limit: Int)
  /// 414: the request target is longer than `limit` bytes.
  case targetTooLong(limit: Int)
  /// 431: the header fields are longer than `limit` bytes.
  case headersTooLarge(limit: Int)
  /// 501: a transfer coding other than `chunked`.
  case unknownTransferCoding
  /// 503: the handler did not answer within `Limits.requestTime`.
  case timedOut
  /// 503: the server is about to stop.
  case stopping
  /// 500: the handler answered with a header field that HTTP cannot carry.
  case responseMalformed

  /// The status code that says so.
  public var status: Int {
    switch self {
    case .malformed: 400
    case .bodyTooLarge: 413
    case .targetTooLong: 414
    case .headersTooLarge: 431
    case .unknownTransferCoding: 501
    case .timedOut, .stopping: 503
    case .responseMalformed: 500
    }
  }

  /// One sentence for the client.
  public var reason: String {
    switch self {
    case .malformed(let what): "The request is malformed: \(what)."
    case .bodyTooLarge(let limit): "The request body is longer than \(limit) bytes."
    case .targetTooLong(let limit): "The request target is longer than \(limit) bytes."
    case .headersTooLarge(let limit): "The request header is longer than \(limit) bytes."
    case .unknownTransferCoding: "The only transfer coding understood here is chunked."
    case .timedOut: "The request took too long."
    case .stopping: "The server is about to stop."
    case .responseMalformed: "The answer could not be sent."
    }
  }
}
