import Dispatch
import Glibc
import Synchronization

/// A TCP client that sends exactly the bytes it is given: what no HTTP client would send, and when.
///
/// Its calls block on a queue of its own, never on the threads that tests and handlers share.
public final class RawClient: Sendable {
  /// An answer as it came.
  public struct Answer: Sendable {
    /// The status code.
    public let status: Int
    /// The lines between the status line and the body, in order.
    public let headerLines: [String]
    /// The body; chunks are joined.
    public let body: String

    /// The first value of `name`, compared without case.
    public func header(_ name: String) -> String? {
      for line in headerLines where line.lowercased().hasPrefix(name.lowercased() + ":") {
        return String(line.dropFirst(name.count + 1).drop { $0 == " " })
      }
      return nil
    }
  }

  /// What went wrong on the socket.
  public enum Failure: Error {
    /// A call failed with this errno.
    case system(call: String, errno: Int32)
    /// The other side closed while more was expected; what had come by then.
    case closed(String)
    /// Nothing came for a minute; what had come by then.
    case silent(String)
  }

  private let socket: Int32
  private let queue = DispatchQueue(label: "raw client")
  private let unread = Mutex<[UInt8]>([])

  /// Connects to a numeric address.
  public init(port: UInt16, host: String = "127.0.0.1") throws {
    let isV6 = host.contains(":")
    socket = Glibc.socket(isV6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var v4 = sockaddr_in()
    v4.sin_family = sa_family_t(AF_INET)
    v4.sin_port = port.bigEndian
    var v6 = sockaddr_in6()
    v6.sin6_family = sa_family_t(AF_INET6)
    v6.sin6_port = port.bigEndian
    let connected: Int32
    if isV6 {
      inet_pton(AF_INET6, host, &v6.sin6_addr)
      connected = withUnsafePointer(to: &v6) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    } else {
      inet_pton(AF_INET, host, &v4.sin_addr)
      connected = withUnsafePointer(to: &v4) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    // The socket is closed by `deinit`, which also runs for an object that was complete when its init threw.
    if connected != 0 { throw Failure.system(call: "connect", errno: errno) }
  }

  deinit { close(socket) }

  /// Sends text as UTF-8.
  public func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  /// Sends bytes, all of them. A side that has closed is no error here: what it said before is still to be read.
  public func send(_ bytes: [UInt8]) async throws {
    await onQueue { [socket] in
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.send(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return }
        sent += count
      }
    }
  }

  /// Closes the sending half.
  public func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// Closes both halves, as a browser does that goes away.
  public func leave() { shutdown(socket, Int32(SHUT_RDWR)) }

  /// Sends a request and reads its answer.
  public func ask(_ request: String) async throws -> Answer {
    try await send(request)
    return try await answer(hasBody: !request.hasPrefix("HEAD "))
  }

  /// The next answer, 100 included.
  public func answer(hasBody: Bool = true) async throws -> Answer {
    let head = try await read(until: "\r\n\r\n").split(separator: "\r\n", omittingEmptySubsequences: true).map(
      String.init)
    let status = head.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    var answer = Answer(status: status, headerLines: Array(head.dropFirst()), body: "")
    guard hasBody, status >= 200, status != 204, status != 304 else { return answer }
    var body = ""
    if let length = answer.header("Content-Length").flatMap({ Int($0) }) {
      body = try await read(count: length)
    } else if answer.header("Transfer-Encoding") == "chunked" {
      while true {
        let chunk = try await self.chunk()
        if chunk.isEmpty { break }
        body += chunk
      }
    } else {
      body = await readToEnd()
    }
    answer = Answer(status: status, headerLines: answer.headerLines, body: body)
    return answer
  }

  /// The header of the next answer, its body left to be read.
  public func answerHead() async throws -> Answer { try await answer(hasBody: false) }

  /// The next chunk of a chunked body, empty at its end.
  public func chunk() async throws -> String {
    // The line's end is one Character.
    let size = Int(try await read(until: "\r\n").dropLast(), radix: 16) ?? 0
    let chunk = try await read(count: size)
    _ = try await read(count: 2)
    return chunk
  }

  /// Everything up to and with `end`.
  public func read(until end: String) async throws -> String {
    let end = Array(end.utf8)
    while true {
      let found: String? = unread.withLock { unread in
        guard unread.count >= end.count else { return nil }
        for start in 0...(unread.count - end.count) where unread[start..<start + end.count].elementsEqual(end) {
          defer { unread.removeFirst(start + end.count) }
          return String(decoding: unread[..<(start + end.count)], as: UTF8.self)
        }
        return nil
      }
      if let found { return found }
      try await receive()
    }
  }

  /// Exactly `count` bytes.
  public func read(count: Int) async throws -> String {
    while unread.withLock({ $0.count }) < count { try await receive() }
    return unread.withLock { unread in
      defer { unread.removeFirst(count) }
      return String(decoding: unread[..<count], as: UTF8.self)
    }
  }

  /// Whatever comes until the other side closes.
  public func readToEnd() async -> String {
    while (try? await receive()) != nil {}
    return unread.withLock { String(decoding: $0, as: UTF8.self) }
  }

  private func receive() async throws {
    let result: Result<[UInt8], Failure> = await onQueue { [self] in
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = recv(socket, &buffer, buffer.count, 0)
      let soFar = unread.withLock { String(decoding: $0, as: UTF8.self) }
      if count > 0 { return .success(Array(buffer[..<count])) }
      if count == 0 || errno == ECONNRESET { return .failure(.closed(soFar)) }
      return .failure(errno == EAGAIN ? .silent(soFar) : .system(call: "recv", errno: errno))
    }
    let bytes = try result.get()
    unread.withLock { $0 += bytes }
  }

  private func onQueue<R: Sendable>(_ work: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: work()) } }
  }
}
