internal import CMicroHTTPD
import Glibc

// What libmicrohttpd calls, on the thread that serves the connection.

private func daemon(_ context: UnsafeMutableRawPointer?) -> Daemon {
  Unmanaged<Daemon>.fromOpaque(context!).takeUnretainedValue()
}

private func connection(_ handle: OpaquePointer?) -> Connection {
  Unmanaged<Connection>.fromOpaque(mhd_socket_context(handle)!).takeUnretainedValue()
}

/// Somebody wants to connect. A connection too many is closed at once, and so is any to a server that is about to stop.
///
/// libmicrohttpd's own way to stop accepting, `MHD_quiesce_daemon`, can abort the process (0.9.75): the caller and a
/// thread of the pool that happens to be awake both take the listening socket out of the thread's epoll set, and whoever
/// comes second panics.
func connectionOffered(
  context: UnsafeMutableRawPointer?, address: UnsafePointer<sockaddr>?, length: socklen_t
) -> MHD_Result {
  let peer = address.flatMap { PeerAddress($0) } ?? PeerAddress(host: "unknown", port: 0)
  return daemon(context).admits(peer) ? .YES : .NO
}

/// A socket was accepted, or is about to be closed.
func connectionChanged(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?,
  stored: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, change: MHD_ConnectionNotificationCode
) {
  let daemon = daemon(context)
  switch change {
  case .CONNECTION_NOTIFY_STARTED:
    let peer = mhd_peer(handle).flatMap { PeerAddress($0) } ?? PeerAddress(host: "unknown", port: 0)
    let connection = Connection(
      socket: mhd_socket(handle), peer: peer, deadline: .now + daemon.limits.requestTime)
    stored!.pointee = Unmanaged.passRetained(connection).toOpaque()
    daemon.opened(connection)
  case .CONNECTION_NOTIFY_CLOSED:
    guard let pointer = stored!.pointee else { return }
    stored!.pointee = nil
    daemon.closed(Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue())
  }
}

/// A request line has arrived. What it returns stands in the `exchange` of the calls that follow.
func targetArrived(
  context: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, handle: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  let exchange = Exchange(
    rawTarget: target.map { String(cString: $0) } ?? "",
    targetHoldsNUL: target.map { mhd_target_holds_nul($0) != 0 } ?? false)
  if let target { mhd_hide_query(target) }
  connection(handle).begin(exchange, deadline: .now + daemon(context).limits.requestTime)
  return Unmanaged.passUnretained(exchange).toOpaque()
}

/// The request is over: answered, or its client is gone.
func requestCompleted(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?,
  stored: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, reason: MHD_RequestTerminationCode
) {
  let limits = daemon(context).limits
  stored?.pointee = nil
  // The next request has until then to send its first line; the library closes an idle connection earlier.
  connection(handle).complete(deadline: .now + limits.idleTime + limits.requestTime)
}

/// The header has arrived; then each piece of the body; then the end of it; then, after a suspension, once more.
func requestArrived(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?, url: UnsafePointer<CChar>?,
  method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, piece: UnsafePointer<CChar>?,
  size: UnsafeMutablePointer<Int>?, stored: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let handle, let size, let pointer = stored?.pointee else { return .NO }
  let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
  let answering = Answering(daemon: daemon(context), handle: handle, exchange: exchange)
  switch exchange.stage {
  case .head:
    exchange.method = method.map { String(cString: $0) } ?? ""
    exchange.headers = headerFields(handle)
    return answering.judgeHead(isHTTP11: version.map { strcmp($0, "HTTP/1.0") != 0 } ?? false)
  case .body, .discarding:
    guard size.pointee > 0 else { return answering.handOver() }
    defer { size.pointee = 0 }
    return answering.receive(UnsafeRawBufferPointer(start: piece, count: size.pointee))
  case .handling:
    return answering.answer()
  }
}

private func headerFields(_ handle: OpaquePointer) -> HeaderFields {
  var fields: [HeaderFields.Field] = []
  fields.reserveCapacity(16)
  withUnsafeMutablePointer(to: &fields) { pointer in
    _ = MHD_get_connection_values_n(
      handle, .HEADER_KIND,
      { context, _, name, nameSize, value, valueSize in
        func text(_ bytes: UnsafeRawBufferPointer.SubSequence) -> String { String(decoding: bytes, as: UTF8.self) }
        let name = UnsafeRawBufferPointer(start: name, count: nameSize)[...]
        // The library drops the blanks before a value and keeps those behind it.
        var value = UnsafeRawBufferPointer(start: value, count: valueSize)[...]
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        context!.assumingMemoryBound(to: [HeaderFields.Field].self).pointee
          .append(HeaderFields.Field(text(name), text(value)))
        return .YES
      }, pointer)
  }
  return HeaderFields(fields)
}
