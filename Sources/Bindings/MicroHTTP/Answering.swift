internal import CMicroHTTPD
import Synchronization

/// The course of one request on the thread that serves its connection: judged, read, handed over, answered.
struct Answering {
  let daemon: Daemon
  let handle: OpaquePointer
  let exchange: Exchange

  private var limits: Limits { daemon.limits }
  private var connection: Connection {
    Unmanaged<Connection>.fromOpaque(mhd_socket_context(handle)!).takeUnretainedValue()
  }

  /// Refuses what breaks the rules or the limits before a byte of the body is read.
  func judgeHead(isHTTP11: Bool) -> MHD_Result {
    exchange.stage = .body
    if let refusal = RequestRules.objection(to: exchange, isHTTP11: isHTTP11, limits: limits) {
      return refuse(refusal)
    }
    exchange.bodyBytesMax =
      limits.bodyBytesMaxAt(exchange.method, RequestTarget(exchange.rawTarget)) ?? limits.bodyBytesMax
    guard let length = exchange.headers["Content-Length"].flatMap({ Int($0) }), length > exchange.bodyBytesMax else {
      return .YES
    }
    let refusal = Refusal.bodyTooLarge(limit: exchange.bodyBytesMax)
    // A client that asks first, or has more to send than is worth reading, is told now and loses the connection.
    if exchange.headers["Expect"] != nil || length > exchange.bodyBytesMax + Limits.drainedBytesMax {
      return refuse(refusal)
    }
    exchange.stage = .discarding(refusal)
    return .YES
  }

  /// Takes a piece of the body. `NO` closes the connection.
  func receive(_ piece: UnsafeRawBufferPointer) -> MHD_Result {
    exchange.received += piece.count
    if exchange.received > exchange.bodyBytesMax + Limits.drainedBytesMax { return .NO }
    if case .discarding = exchange.stage { return .YES }
    if exchange.received > exchange.bodyBytesMax {
      exchange.body = []
      exchange.stage = .discarding(.bodyTooLarge(limit: exchange.bodyBytesMax))
    } else {
      exchange.body.append(contentsOf: piece)
    }
    return .YES
  }

  /// The request is whole: puts the connection to sleep and a task to work.
  func handOver() -> MHD_Result {
    if case .discarding(let refusal) = exchange.stage { return refuse(refusal) }
    exchange.stage = .handling
    let connection = connection
    let request = Request(
      method: exchange.method, target: RequestTarget(exchange.rawTarget), headers: exchange.headers,
      body: exchange.body, peer: connection.peer, isSecure: daemon.isSecure)
    exchange.body = []
    connection.enter(.handling(exchange), deadline: .now + limits.requestTime)
    guard exchange.suspend(handle, unless: { daemon.isClosing.load(ordering: .sequentiallyConsistent) }) else {
      return answer()
    }
    exchange.run(request, daemon.handler)
    return .YES
  }

  /// The connection was woken, or may not sleep: sends what there is to send.
  func answer() -> MHD_Result {
    switch exchange.takeOutcome() {
    case .response(let response): send(response)
    case .abandoned(let refusal): refuse(refusal)
    case nil: refuse(.stopping)
    }
  }

  private func refuse(_ refusal: Refusal) -> MHD_Result {
    let head = RequestHead(
      method: exchange.method, target: RequestTarget(exchange.rawTarget), headers: exchange.headers,
      peer: connection.peer)
    return send(daemon.refuse(refusal, head), insteadOf: refusal)
  }

  /// Queues `response`. A refusal's own response that cannot be sent is replaced by the plainest one.
  private func send(_ response: Response, insteadOf refusal: Refusal? = nil) -> MHD_Result {
    let (message, writer) = message(for: response)
    defer { MHD_destroy_response(message) }
    guard let message, (200...599).contains(response.status), add(response.headers, to: message) else {
      return refusal == nil ? refuse(.responseMalformed) : .NO
    }
    if daemon.isDraining.load(ordering: .relaxed) { MHD_add_response_header(message, "Connection", "close") }
    let connection = connection
    if writer != nil, exchange.method == "HEAD" {
      // The library would send a last chunk that a client takes for the beginning of the next answer.
      mhd_end_with_connection(message)
    }
    if let writer, exchange.method != "HEAD" {
      connection.enter(.streaming(writer), deadline: writer.deadline)
      writer.start()
      if daemon.isDraining.load(ordering: .sequentiallyConsistent) { writer.close(.stopping) }
    } else {
      connection.enter(.sending, deadline: .now + limits.requestTime)
    }
    return MHD_queue_response(handle, UInt32(response.status), message)
  }

  private func message(for response: Response) -> (OpaquePointer?, ResponseWriter?) {
    switch response.body {
    case .bytes(let bytes):
      let message = bytes.withUnsafeBytes {
        MHD_create_response_from_buffer(
          $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
      }
      return (message, nil)
    case .stream(let stream):
      let writer = ResponseWriter(
        stream, bytesMax: limits.streamBytesMax, socket: mhd_socket(handle), now: .now)
      let reading = Reading(writer: writer, handle: handle)
      // The library's buffer is the connection's own for a chunked body, so this one can be small.
      let message = MHD_create_response_from_callback(
        mhd_size_unknown, 1024,
        { context, _, buffer, size in
          let reading = Unmanaged<Reading>.fromOpaque(context!).takeUnretainedValue()
          return reading.writer.read(
            into: UnsafeMutableRawBufferPointer(start: buffer, count: size), of: reading.handle)
        },
        Unmanaged.passRetained(reading).toOpaque(),
        { context in
          Unmanaged<Reading>.fromOpaque(context!).takeRetainedValue().writer.close(.clientGone)
        })
      return (message, writer)
    }
  }

  /// Whether every field could be written. The body's length is the library's to say.
  private func add(_ fields: HeaderFields, to message: OpaquePointer) -> Bool {
    fields.allSatisfy { field in
      field.name.lowercased() == "content-length" || MHD_add_response_header(message, field.name, field.value) == .YES
    }
  }
}

/// What the library's callback needs to fill a buffer: the writer, and the connection to suspend.
private final class Reading {
  let writer: ResponseWriter
  let handle: OpaquePointer

  init(writer: ResponseWriter, handle: OpaquePointer) {
    self.writer = writer
    self.handle = handle
  }
}
