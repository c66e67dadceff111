// Holds libcurl: HTTP requests out, responses in. Never knows what they are for.

internal import CLibcurl
internal import Synchronization

/// Sends HTTP requests: one libcurl multi handle on one thread, which lives as long as the client.
///
/// Redirects are the caller's, one hop at a time, so that each can be judged; proxies named in the environment are
/// ignored; HTTP/2 is used over TLS where the server offers it. A cancelled task's request leaves the wire.
public final class HTTPClient: Sendable {
  /// What all requests of a client share.
  public struct Options: Sendable {
    /// Judges every address before it is connected to; nil for servers that the operator names.
    public var guarded: AddressGuard?
    /// A PEM file of the only certificates to trust; nil for the system's.
    public var caFile: String?
    /// Where to send all requests instead of to their hosts. The proxy then chooses the address, so a guard judges
    /// only addresses that URLs spell out.
    public var proxy: HTTPProxy?
    /// Requests on their way at once; one more is refused. Bounds the client's memory.
    public var requestsMax = 1024
    /// Connections to one host at once; where the host does not take several requests over one, one more waits for its
    /// turn. No more than a server takes for an attack.
    public var connectionsPerHostMax = 64
    /// Whether requests share a connection at the same time where HTTP/2 allows it. False for what must not arrive
    /// twice: of what was under way when a server takes leave (GOAWAY) libcurl does not tell what it refused, which may
    /// be sent again, from what it may have had.
    public var multiplexes = true
    /// Connections kept open for another request, and as many of libcurl's handles, which hold a few KiB each.
    public var idleConnectionsMax = 64

    /// No guard, the system's certificates, no proxy.
    public init(guarded: AddressGuard? = nil, caFile: String? = nil, proxy: HTTPProxy? = nil) {
      self.guarded = guarded
      self.caFile = caFile
      self.proxy = proxy
    }
  }

  private let queue: CommandQueue
  private let options: Options
  private let thread: PollThread.Handle

  /// Starts the client's thread.
  public init(_ options: Options = Options()) {
    self.options = options
    queue = CommandQueue(requestsMax: options.requestsMax)
    thread = PollThread.start(queue: queue, options: options)
  }

  /// Ends the thread without waiting for it: it holds all that it needs.
  deinit {
    queue.post(.stop)
  }

  /// Sends `request` and returns the whole answer, whatever its status.
  public func send(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
    guard request.timeouts.total != nil else { throw .invalidRequest("it has no total time limit") }
    try check(request)
    let collector = Collector()
    let transfer = Transfer(request, options: options, receiver: .collector(collector))
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        collector.continuation = continuation
        start(transfer)
      }
    } onCancel: {
      cancel(transfer)
    }
    var response = try answer.get()
    guard request.acceptsCompression else { return response }
    do throws(HTTPClientError) {
      response.body = try ContentCoding.decode(response, bytesMax: request.limits.bodyBytesMax)
    } catch {
      guard request.isHeadEnough else { throw error }
      response.body = []
    }
    return response
  }

  /// Sends `request` and returns once the head of its answer is here; the body follows as it comes. Compression is not
  /// offered: it would hold events back.
  public func stream(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPStream {
    try check(request)
    let buffer = StreamBuffer()
    var request = request
    request.acceptsCompression = false
    let transfer = Transfer(request, options: options, receiver: .stream(buffer))
    buffer.attach(transfer, queue)
    let head = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        buffer.awaitHead(continuation)
        start(transfer)
      }
    } onCancel: {
      cancel(transfer)
    }
    return HTTPStream(head: try head.get(), buffer: buffer)
  }

  /// Ends what is on its way with ``HTTPClientError/closed`` and returns when the thread has ended.
  public func shutdown() async {
    queue.post(.stop)
    await thread.join()
  }

  private func check(_ request: HTTPRequest) throws(HTTPClientError) {
    try request.validate()
    // Behind a proxy no socket of ours shows the address, but a literal one needs no look-up.
    if options.proxy != nil, let guarded = options.guarded, let address = IPAddress(request.url.host),
      let refusal = guarded.refusal(of: address)
    {
      throw .refusedAddress(refusal, host: request.url.host)
    }
  }

  private func start(_ transfer: Transfer) {
    switch queue.post(.start(transfer)) {
    case .taken: return
    case .full: transfer.receiver.fail(.busy(requestsMax: options.requestsMax))
    case .closed: transfer.receiver.fail(.closed)
    }
  }

  private func cancel(_ transfer: Transfer) {
    // The flag serves a cancellation that comes before the start.
    transfer.isCancelled.store(true, ordering: .releasing)
    queue.post(.cancel(transfer))
  }
}

/// A proxy that the operator names.
public struct HTTPProxy: Hashable, Sendable, CustomStringConvertible {
  /// As libcurl takes it; may hold a login.
  let text: String
  /// Scheme, host and port, without the login.
  public let description: String

  /// Parses `http://`, `https://`, `socks5://`, `socks5h://`, `socks4://` or `socks4a://` with host and port.
  public init(_ text: String) throws(MalformedURL) {
    let handle = try URLHandle(parsing: text)
    guard let scheme = handle.part(CURLUPART_SCHEME), Self.schemes.contains(scheme) else {
      throw MalformedURL("the scheme of a proxy must be one of \(Self.schemes.joined(separator: ", "))")
    }
    guard let host = handle.part(CURLUPART_HOST), !host.isEmpty else { throw MalformedURL("a proxy needs a host") }
    self.text = text
    description = "\(scheme)://\(host)" + (handle.part(CURLUPART_PORT).map { ":\($0)" } ?? "")
  }

  private static let schemes = ["http", "https", "socks5", "socks5h", "socks4", "socks4a"]
}
