/// One request. Nothing is followed, retried or remembered: one request, one answer.
public struct HTTPRequest: Sendable {
  /// `GET`, `POST`, … as sent.
  public var method: String
  /// Where to. A login in the URL is sent as Basic authentication.
  public var url: WebURL
  /// Sent in their order, values byte for byte. `Host`, `Content-Length` and, unless given, `Accept` and
  /// `Accept-Encoding` are added.
  public var headers: HTTPHeaders
  /// Sent with its length; nil for none.
  public var body: [UInt8]?
  /// How long to wait for what.
  public var timeouts: HTTPTimeouts
  /// How much to take in.
  public var limits: HTTPLimits
  /// Whether to offer gzip and deflate, and to undo them. Not for streams.
  public var acceptsCompression = true
  /// Whether it may be sent once more where the connection, kept from an earlier request, breaks before a byte of the
  /// answer: as a rule the server closed it at that moment. False for what must not arrive twice: it fails with
  /// ``HTTPClientError/truncated(bytesReceived:)``, and nobody knows whether the server has it.
  public var isRepeatable = true
  /// Whether an answer is one as soon as its head is here, so that a body that breaks off, is too large or never ends
  /// only comes shorter. For answers whose status says all that matters. A server may say no before it has the whole
  /// request, and then lets go of it (RFC 9113, section 8.1). Not for streams.
  public var isHeadEnough = false

  /// A request; what is not said has a default that suits a document of a few megabytes.
  public init(
    _ method: String = "GET", _ url: WebURL, headers: HTTPHeaders = [:], body: [UInt8]? = nil,
    timeouts: HTTPTimeouts = HTTPTimeouts(), limits: HTTPLimits = HTTPLimits()
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeouts = timeouts
    self.limits = limits
  }
}

/// How long a request may take.
public struct HTTPTimeouts: Hashable, Sendable {
  /// From start to the last byte; nil for none, which only a stream may have.
  public var total: Duration?
  /// Name look-up, connection and TLS together.
  public var connect: Duration
  /// Without a byte, once connected.
  public var idle: Duration

  /// The defaults let a slow but living server answer.
  public init(total: Duration? = .seconds(30), connect: Duration = .seconds(10), idle: Duration = .seconds(15)) {
    self.total = total
    self.connect = connect
    self.idle = idle
  }
}

/// How much of an answer is taken in before it is given up.
public struct HTTPLimits: Hashable, Sendable {
  /// Bytes of the body, both as they come and after decompression: a bomb bursts against the second.
  public var bodyBytesMax: Int
  /// Bytes of all header lines. Servers of good will stay below 16 KiB.
  public var headerBytesMax: Int

  /// The defaults hold every feed met so far five times over.
  public init(bodyBytesMax: Int = 16 << 20, headerBytesMax: Int = 64 << 10) {
    self.bodyBytesMax = bodyBytesMax
    self.headerBytesMax = headerBytesMax
  }
}

extension HTTPRequest {
  /// Refuses what could smuggle a second header or request onto the wire.
  func validate() throws(HTTPClientError) {
    guard Self.isToken(method) else { throw .invalidRequest("the method must be a token, such as GET") }
    for field in headers.fields {
      guard Self.isToken(field.name) else {
        throw .invalidRequest("“\(field.name)” is no name of a header: letters, digits and !#$%&'*+-.^_`|~ are")
      }
      guard field.value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        throw .invalidRequest("the value of the header \(field.name) holds a line break or control character")
      }
    }
  }

  private static let token = ByteSet(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~")

  private static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(token.contains) }
}
