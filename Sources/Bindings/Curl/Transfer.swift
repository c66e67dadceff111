internal import CLibcurl
internal import Glibc
internal import Synchronization

/// One request on its way.
///
/// Sendable because only the poll thread touches it once it is started, but for `isCancelled` and `receiver`, which
/// guard themselves.
final class Transfer: @unchecked Sendable {
  let request: HTTPRequest
  let receiver: Receiver
  /// Set by the task that waits, before it tells the poll thread.
  let isCancelled = Atomic(false)

  private let options: HTTPClient.Options
  private var easy: EasyHandle?
  private var headerLines: UnsafeMutablePointer<curl_slist>?
  private var upload = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

  private var parser: HeadParser
  private var body: [UInt8] = []
  /// Why a callback broke the transfer off: more precise than libcurl's code, which only says that one did.
  private var failure: HTTPClientError?
  /// The last address that the guard refused: the reason, if no other could be connected to.
  private var refusal: AddressGuard.Refusal?

  private var startedAt = ContinuousClock.now
  private var lastActivity = ContinuousClock.now
  /// When it got a socket. Before, it waits for its turn, or for its host's address, which libcurl gives up in time.
  private var connectingSince: ContinuousClock.Instant?
  private var isConnected = false
  private var isPaused = false

  /// Where the answer goes.
  enum Receiver {
    case collector(Collector)
    case stream(StreamBuffer)

    func fail(_ error: HTTPClientError) {
      switch self {
      case .collector(let collector): collector.finish(.failure(error))
      case .stream(let buffer): buffer.finish(error)
      }
    }
  }

  init(_ request: HTTPRequest, options: HTTPClient.Options, receiver: Receiver) {
    self.request = request
    self.options = options
    self.receiver = receiver
    parser = HeadParser(bytesMax: request.limits.headerBytesMax)
  }

  deinit {
    curl_slist_free_all(headerLines)
    upload.deallocate()
  }

  /// The transfer that an easy handle serves.
  static func of(_ easy: UnsafeMutableRawPointer) -> Transfer? {
    var pointer: UnsafeMutableRawPointer?
    tidings_curl_get_private(easy, &pointer)
    return pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Gives the easy handle back, which must leave the multi handle while the transfer still lives.
  func release() -> EasyHandle? {
    defer { easy = nil }
    return easy
  }

  // MARK: Time

  /// How much longer the transfer may take.
  enum Patience {
    case ended(HTTPClientError)
    /// Nothing can have run out before.
    case until(ContinuousClock.Instant)
    case endless
  }

  func patience(now: ContinuousClock.Instant) -> Patience {
    let limits = request.timeouts
    var next: ContinuousClock.Instant?
    if let total = limits.total {
      if startedAt + total <= now { return .ended(.timedOut(stage(after: total), after: total)) }
      next = startedAt + total
    }
    if !isConnected {
      let connectBy = (connectingSince ?? now) + limits.connect
      if connectBy <= now { return .ended(.timedOut(.connect, after: limits.connect)) }
      // Silence counts once connected, which may be any moment.
      let soonest = min(connectBy, now + limits.idle)
      next = min(next ?? soonest, soonest)
    } else if !isPaused {
      if lastActivity + limits.idle <= now { return .ended(.timedOut(.idle, after: limits.idle)) }
      next = min(next ?? lastActivity + limits.idle, lastActivity + limits.idle)
    }
    return next.map { .until($0) } ?? .endless
  }

  private func stage(after total: Duration) -> HTTPClientError.Stage {
    if isConnected { return .total }
    // Of an address that does not come libcurl would have told by the time to connect.
    return connectingSince == nil && total > request.timeouts.connect ? .turn : .connect
  }

  /// The reader has room again.
  func resume(now: ContinuousClock.Instant) {
    guard isPaused, let easy else { return }
    isPaused = false
    lastActivity = now
    curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  // MARK: Setting up

  func prepare(_ handle: EasyHandle, now: ContinuousClock.Instant) {
    easy = handle
    startedAt = now
    lastActivity = now
    let easy = handle.pointer
    let this = Unmanaged.passUnretained(self).toOpaque()
    tidings_curl_set_pointer(easy, CURLOPT_PRIVATE, this)
    tidings_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    // A look-up that was given up must not hold the thread until the resolver answers.
    tidings_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
    setConnection(easy, this)
    setTarget(easy)
    setHeaders(easy)
    setCallbacks(easy, this)
  }

  private func setConnection(_ easy: UnsafeMutableRawPointer, _ this: UnsafeMutableRawPointer) {
    tidings_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    tidings_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
    tidings_curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    tidings_curl_set_long(easy, CURLOPT_PIPEWAIT, 1)
    tidings_curl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    tidings_curl_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
    if let caFile = options.caFile {
      tidings_curl_set_text(easy, CURLOPT_CAINFO, caFile)
      tidings_curl_set_text(easy, CURLOPT_CAPATH, nil)
    }
    // An empty text, unlike none, keeps libcurl from asking the environment.
    tidings_curl_set_text(easy, CURLOPT_PROXY, options.proxy?.text ?? "")
    tidings_curl_set_text(easy, CURLOPT_NOPROXY, "")
    tidings_curl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // libcurl divides the time to connect among a host's addresses, so it must know it; `patience` does the rest.
    tidings_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.timeouts.connect))
    tidings_curl_set_long(easy, CURLOPT_TIMEOUT_MS, request.timeouts.total.map(milliseconds) ?? 0)
    tidings_curl_set_pointer(easy, CURLOPT_PREREQDATA, this)
    tidings_curl_set_prerequest_callback(easy, Self.onReady)
    tidings_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, this)
    tidings_curl_set_open_socket_callback(easy, Self.onOpenSocket)
  }

  private func milliseconds(_ duration: Duration) -> Int { max(1, Int(duration / .milliseconds(1))) }

  private func setTarget(_ easy: UnsafeMutableRawPointer) {
    tidings_curl_set_text(easy, CURLOPT_URL, request.url.text)
    tidings_curl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
    if let login = request.url.login {
      tidings_curl_set_long(easy, CURLOPT_HTTPAUTH, tidings_curl_auth_basic)
      tidings_curl_set_text(easy, CURLOPT_USERNAME, login.user)
      tidings_curl_set_text(easy, CURLOPT_PASSWORD, login.password)
    }
    if let body = request.body {
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, body.count))
      _ = copy.initialize(from: body)
      upload = UnsafeBufferPointer(copy)
      tidings_curl_set_long(easy, CURLOPT_POST, 1)
      tidings_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      tidings_curl_set_pointer(easy, CURLOPT_POSTFIELDS, copy.baseAddress)
    } else if request.method == "HEAD" {
      tidings_curl_set_long(easy, CURLOPT_NOBODY, 1)
    } else {
      tidings_curl_set_long(easy, CURLOPT_HTTPGET, 1)
    }
    tidings_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
  }

  private func setHeaders(_ easy: UnsafeMutableRawPointer) {
    for field in request.headers.fields { addLine(field.name, field.value) }
    if request.acceptsCompression, request.headers["Accept-Encoding"] == nil {
      addLine("Accept-Encoding", Array(ContentCoding.offer.utf8))
    }
    if request.body != nil {
      // libcurl would call it a form, and wait for leave to send a large one.
      if request.headers["Content-Type"] == nil { addLine("Content-Type", nil) }
      addLine("Expect", nil)
    }
    tidings_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headerLines)
  }

  /// libcurl's notation: `Name: value`, `Name;` for an empty value, `Name:` to leave a header of its own out.
  private func addLine(_ name: String, _ value: [UInt8]?) {
    var line = Array(name.utf8)
    if let value {
      line += value.isEmpty ? [UInt8(ascii: ";")] : Array(": ".utf8) + value
    } else {
      line.append(UInt8(ascii: ":"))
    }
    line.append(0)
    line.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        if let longer = curl_slist_append(headerLines, text.baseAddress) { headerLines = longer }
      }
    }
  }

  private func setCallbacks(_ easy: UnsafeMutableRawPointer, _ this: UnsafeMutableRawPointer) {
    tidings_curl_set_pointer(easy, CURLOPT_HEADERDATA, this)
    tidings_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, Self.onHeader)
    tidings_curl_set_pointer(easy, CURLOPT_WRITEDATA, this)
    tidings_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, Self.onBody)
    // Only an upload that takes a while needs more to show that it is alive than the answer.
    if upload.count > Self.watchedUploadBytes {
      tidings_curl_set_long(easy, CURLOPT_NOPROGRESS, 0)
      tidings_curl_set_pointer(easy, CURLOPT_XFERINFODATA, this)
      tidings_curl_set_progress_callback(easy, Self.onProgress)
    }
  }

  /// What fits into a socket's buffer is sent at once.
  private static let watchedUploadBytes = 64 << 10
  private var uploaded: curl_off_t = 0

  // MARK: Callbacks, on the poll thread

  private static func transfer(_ user: UnsafeMutableRawPointer?) -> Transfer? {
    user.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let onOpenSocket: curl_opensocket_callback = { user, _, address in
    guard let transfer = Transfer.transfer(user), let address else { return CURL_SOCKET_BAD }
    return transfer.openSocket(address)
  }

  private static let onReady: curl_prereq_callback = { user, peer, _, _, _ in
    guard let transfer = Transfer.transfer(user), let peer else { return CURL_PREREQFUNC_ABORT }
    return transfer.isReady(peer: String(cString: peer)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
  }

  private static let onHeader: tidings_curl_data_callback = { bytes, _, count, user in
    guard let transfer = Transfer.transfer(user), let bytes else { return 0 }
    return transfer.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
  }

  private static let onBody: tidings_curl_data_callback = { bytes, _, count, user in
    guard let transfer = Transfer.transfer(user), let bytes else { return 0 }
    return transfer.receiveBody(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  private static let onProgress: curl_xferinfo_callback = { user, _, _, _, uploaded in
    Transfer.transfer(user)?.noteUpload(uploaded)
    return 0
  }

  private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr),
      let peer = IPAddress(UnsafeRawPointer(address) + offset)
    else { return CURL_SOCKET_BAD }
    // With a proxy the socket leads to the proxy, which the operator has named.
    if options.proxy == nil, let guarded = options.guarded, let refusal = guarded.refusal(of: peer) {
      self.refusal = refusal
      return CURL_SOCKET_BAD
    }
    connectingSince = connectingSince ?? .now
    return socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
  }

  /// A connection stands, new or reused. The guard looks again: a reused one was opened for another request.
  private func isReady(peer: String) -> Bool {
    // libcurl sends anew by itself, POST too, where a reused connection broke before a byte of the answer.
    guard !isConnected || request.isRepeatable else {
      failure = .truncated(bytesReceived: 0)
      return false
    }
    isConnected = true
    lastActivity = .now
    guard options.proxy == nil, let guarded = options.guarded else { return true }
    guard let address = IPAddress(peer) else { return false }
    guard let refusal = guarded.refusal(of: address) else { return true }
    failure = .refusedAddress(refusal, host: request.url.host)
    return false
  }

  private func noteUpload(_ count: curl_off_t) {
    guard count != uploaded else { return }
    uploaded = count
    lastActivity = .now
  }

  private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    lastActivity = .now
    do {
      guard try parser.take(line) else { return true }
    } catch {
      failure = error
      return false
    }
    switch receiver {
    case .collector:
      guard let length = parser.contentLength, hasBody, length > request.limits.bodyBytesMax else { return true }
      failure = .tooLarge(.body, bytesMax: request.limits.bodyBytesMax)
      return false
    case .stream(let buffer):
      buffer.takeHead(head())
      return true
    }
  }

  private var hasBody: Bool { request.method != "HEAD" && parser.status != 204 && parser.status != 304 }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    lastActivity = .now
    switch receiver {
    case .collector:
      guard body.count + bytes.count <= request.limits.bodyBytesMax else {
        failure = .tooLarge(.body, bytesMax: request.limits.bodyBytesMax)
        return 0
      }
      body.append(contentsOf: bytes)
      return bytes.count
    case .stream(let buffer):
      if buffer.offer(bytes) { return bytes.count }
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
  }

  // MARK: The end

  /// libcurl is done with the transfer.
  func complete(_ code: CURLcode) {
    if code != CURLE_OK || failure != nil || !parser.isComplete { return fail(error(code)) }
    succeed()
  }

  /// The transfer ends with `error`, unless what has come of the answer is enough.
  func fail(_ error: HTTPClientError) {
    if parser.isComplete, request.isHeadEnough, case .collector = receiver { succeed() } else { receiver.fail(error) }
  }

  private func succeed() {
    switch receiver {
    case .collector(let collector):
      var response = HTTPResponse(head: head(), body: body, timings: timings())
      response.bodyBytesReceived = body.count
      collector.finish(.success(response))
    case .stream(let buffer):
      buffer.finish(nil)
    }
  }

  private func head() -> HTTPResponseHead {
    var peer: UnsafePointer<CChar>?
    if let easy { tidings_curl_get_text(easy.pointer, CURLINFO_PRIMARY_IP, &peer) }
    return HTTPResponseHead(
      status: parser.status, headers: parser.headers, version: parser.version,
      peer: peer.flatMap { IPAddress(String(cString: $0)) })
  }

  private func timings() -> HTTPTimings {
    var timings = HTTPTimings()
    timings.resolved = time(CURLINFO_NAMELOOKUP_TIME_T)
    timings.connected = time(CURLINFO_CONNECT_TIME_T)
    timings.secured = time(CURLINFO_APPCONNECT_TIME_T)
    timings.firstByte = time(CURLINFO_STARTTRANSFER_TIME_T)
    timings.total = time(CURLINFO_TOTAL_TIME_T)
    return timings
  }

  private func time(_ key: CURLINFO) -> Duration {
    var microseconds: curl_off_t = 0
    if let easy { tidings_curl_get_offset(easy.pointer, key, &microseconds) }
    return .microseconds(microseconds)
  }

  /// Whether libcurl fails so before it sends anything on a connection.
  private static func isBeforeRequest(_ code: CURLcode) -> Bool {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY,
      CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      true
    default: false
    }
  }

  private func error(_ code: CURLcode) -> HTTPClientError {
    if let failure { return failure }
    let url = request.url
    if let refusal, !isConnected { return .refusedAddress(refusal, host: url.host) }
    let reason = easy?.reason(code) ?? ""
    // The request left on a connection that broke, and libcurl found no other one to send it anew.
    if isConnected, !request.isRepeatable, Self.isBeforeRequest(code) { return .truncated(bytesReceived: 0) }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .unresolved(host: url.host)
    case CURLE_COULDNT_CONNECT: return .unreachable(host: url.host, port: url.port, reason: reason)
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxy(reason: reason)
    case CURLE_OPERATION_TIMEDOUT:
      let total = request.timeouts.total ?? request.timeouts.connect
      return isConnected
        ? .timedOut(.total, after: total) : .timedOut(.connect, after: min(total, request.timeouts.connect))
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      return .untrusted(host: url.host, reason: reason)
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      return .truncated(bytesReceived: body.count)
    // libcurl says so of a header line or a cookie beyond its own bounds, long before memory is short: a stranger's
    // answer, and no reason to end the process.
    case CURLE_OUT_OF_MEMORY: return .tooLarge(.headers, bytesMax: request.limits.headerBytesMax)
    default: return .malformedAnswer(reason)
    }
  }
}
