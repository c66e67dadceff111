internal import Glibc
internal import Synchronization

/// An HTTP server on loopback that says exactly the bytes it is told to, so that it can misbehave: cut bodies, drips,
/// silences, resets, lies about lengths. A thread a connection; connections are kept until an answer closes them.
public final class RawServer: Sendable {
  /// What a client asked.
  public struct Request: Sendable {
    /// `GET`, `POST`, …
    public var method: String
    /// Path and query, as sent.
    public var target: String
    /// In order, as sent.
    public var headers: [(name: String, value: String)]
    /// As long as `Content-Length` said.
    public var body: [UInt8]
    /// Counts from 0, over all connections.
    public var number: Int
    /// Counts from 0: tells whether a connection was used again.
    public var connection: Int

    /// The first value of that name, whatever its case.
    public subscript(name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// What the server does with a connection, one after the other.
  public enum Step: Sendable {
    /// Says these bytes.
    case send([UInt8])
    /// Says these bytes one at a time, with a pause before each.
    case drip([UInt8], every: Duration)
    /// Says these bytes again and again until the client leaves.
    case flood([UInt8])
    /// Says nothing until the client leaves.
    case hold
    /// Ends the connection in good order.
    case close
    /// Breaks the connection off (RST).
    case reset
  }

  /// All steps of an answer.
  public struct Answer: Sendable, ExpressibleByArrayLiteral {
    /// In order.
    public var steps: [Step]

    /// Any steps.
    public init(arrayLiteral elements: Step...) { steps = elements }

    /// Well-formed: status line, headers, `Content-Length` unless given, body. The connection stays.
    public static func status(_ status: Int, _ headers: [String: String] = [:], body: [UInt8] = []) -> Answer {
      var head = "HTTP/1.1 \(status) Fixture\r\n"
      for (name, value) in headers.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
      let isSilent = status == 204 || status == 304
      if headers["Content-Length"] == nil, !isSilent { head += "Content-Length: \(body.count)\r\n" }
      return [.send(Array((head + "\r\n").utf8) + body)]
    }

    /// Well-formed, status 200.
    public static func ok(_ body: String, _ headers: [String: String] = [:]) -> Answer {
      status(200, headers, body: Array(body.utf8))
    }

    /// The head alone, to be followed by other steps.
    public static func head(_ lines: String..., then steps: Step...) -> Answer {
      var answer: Answer = [.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))]
      answer.steps += steps
      return answer
    }
  }

  /// The port it listens on.
  public let port: UInt16
  private let address: String
  private let state: Connections
  private let place: Listener

  /// Listens on a free port.
  ///
  /// - Parameters:
  ///   - address: an IPv4 or IPv6 address of this machine.
  ///   - remembers: whether `requests` tells what was asked; a long run had better not.
  public init(
    address: String = "127.0.0.1", remembers: Bool = true, _ answer: @escaping @Sendable (Request) -> Answer
  ) throws {
    self.address = address
    place = try Listener(address: address)
    port = place.port
    state = Connections(remembers: remembers, answer: answer)
    try open()
  }

  /// Gives the answers in their order, and the last one from then on.
  public convenience init(address: String = "127.0.0.1", answers: [Answer]) throws {
    try self.init(address: address) { request in answers[min(request.number, answers.count - 1)] }
  }

  deinit { stop() }

  /// `http://address:port` and the path.
  public func url(_ path: String = "/") -> String {
    "http://\(address.contains(":") ? "[\(address)]" : address):\(port)\(path)"
  }

  /// All that was asked so far.
  public var requests: [Request] { state.requests }

  /// Connections made so far.
  public var connectionCount: Int { state.count }

  /// Connections open now.
  public var openConnectionCount: Int { state.openCount }

  /// Returns when no connection is open any more.
  public func waitUntilLeft() async {
    await state.waitUntilLeft()
  }

  /// Closes the port and all connections.
  public func stop() { state.stop() }

  /// Listens again after `stop`, on the same port, which nobody else gets meanwhile.
  public func open() throws {
    let listener = try place.listener()
    state.begin(listener)
    startThread { [state] in state.accept(listener) }
  }
}

/// Why a fixture server does not listen.
public struct RawServerError: Error, CustomStringConvertible {
  /// The call that failed, and the system's words.
  public let description: String
}

/// Owns a port, on which listeners may come and go.
private final class Listener: Sendable {
  let port: UInt16
  private let address: String
  private let reservation: Int32

  init(address: String) throws {
    self.address = address
    reservation = try Self.bound(to: address, port: 0)
    var bound = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = withUnsafeMutablePointer(to: &bound) { [reservation] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(reservation, $0, &length) }
    }
    guard code == 0 else { throw RawServerError(description: "getsockname: \(String(cString: strerror(errno)))") }
    // The port stands at the same place for both families.
    port = UInt16(bigEndian: bound.sin6_port)
  }

  deinit { close(reservation) }

  func listener() throws -> Int32 {
    let descriptor = try Self.bound(to: address, port: port)
    guard listen(descriptor, 64) == 0 else {
      throw RawServerError(description: "\(address): \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  /// A socket that does not listen refuses, and lets another one listen at its port.
  private static func bound(to address: String, port: UInt16) throws -> Int32 {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &list) == 0, let info = list?.pointee else {
      throw RawServerError(description: "\(address) is no address")
    }
    defer { freeaddrinfo(list) }
    let descriptor = socket(info.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var isShared: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
    guard descriptor >= 0, bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 else {
      throw RawServerError(description: "\(address): \(String(cString: strerror(errno)))")
    }
    return descriptor
  }
}

private final class Connections: Sendable {
  private struct State {
    var open: Set<Int32> = []
    var count = 0
    var requestCount = 0
    var requests: [RawServer.Request] = []
    /// Nil while the port is closed.
    var listener: Int32?
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let remembers: Bool
  private let answer: @Sendable (RawServer.Request) -> RawServer.Answer
  private let state = Mutex(State())

  init(remembers: Bool, answer: @escaping @Sendable (RawServer.Request) -> RawServer.Answer) {
    self.remembers = remembers
    self.answer = answer
  }

  var requests: [RawServer.Request] { state.withLock { $0.requests } }
  var count: Int { state.withLock { $0.count } }
  var openCount: Int { state.withLock { $0.open.count } }

  func begin(_ listener: Int32) { state.withLock { $0.listener = listener } }

  func accept(_ listener: Int32) {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      let number = state.withLock { state -> Int? in
        guard state.listener == listener else { return nil }
        state.open.insert(descriptor)
        defer { state.count += 1 }
        return state.count
      }
      guard let number else {
        close(descriptor)
        break
      }
      startThread { self.serve(descriptor, number) }
    }
    close(listener)
  }

  func stop() {
    state.withLock { state in
      guard let listener = state.listener else { return }
      state.listener = nil
      // Wakes the threads, which close what is theirs.
      shutdown(listener, Int32(SHUT_RDWR))
      for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  func waitUntilLeft() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.open.isEmpty { state.waiters.append(continuation) }
        return state.open.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }

  private func serve(_ descriptor: Int32, _ connection: Int) {
    var reader = RequestReader(descriptor)
    serving: while var request = reader.next() {
      request.connection = connection
      state.withLock { state in
        request.number = state.requestCount
        state.requestCount += 1
        if remembers { state.requests.append(request) }
      }
      for step in answer(request).steps {
        if !perform(step, descriptor) { break serving }
      }
    }
    let waiters = state.withLock { state in
      state.open.remove(descriptor)
      close(descriptor)
      guard state.open.isEmpty else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// False when the connection is over.
  private func perform(_ step: RawServer.Step, _ descriptor: Int32) -> Bool {
    switch step {
    case .send(let bytes): return send(bytes, descriptor)
    case .drip(let bytes, let pause):
      for byte in bytes {
        if waitForEnd(descriptor, Int32(pause / .milliseconds(1))) || !send([byte], descriptor) { return false }
      }
      return true
    case .flood(let bytes):
      while send(bytes, descriptor) {}
      return false
    case .hold:
      while !waitForEnd(descriptor, -1) {}
      return false
    case .close: return false
    case .reset:
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      return false
    }
  }

  private func send(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Waits that long (-1: for ever) and tells whether the client has left.
  private func waitForEnd(_ descriptor: Int32, _ milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, milliseconds) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
  }
}

private struct RequestReader {
  private let descriptor: Int32
  private var pending: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next request of a connection; nil at its end.
  mutating func next() -> RawServer.Request? {
    let blank = Array("\r\n\r\n".utf8)
    var end: Int?
    while true {
      if pending.first == Self.tlsHandshake {
        pending = []
        return RawServer.Request(method: "TLS", target: "", headers: [], body: [], number: 0, connection: 0)
      }
      end = pending.firstRange(of: blank)?.upperBound
      if end != nil { break }
      guard fill() else { return nil }
    }
    guard let end else { return nil }
    let lines = String(decoding: pending[..<(end - 4)], as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    pending.removeFirst(end)
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return nil }
    var request = RawServer.Request(
      method: String(words[0]), target: String(words[1]), headers: [], body: [], number: 0, connection: 0)
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard let name = parts.first else { continue }
      let value = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
      request.headers.append((String(name), value))
    }
    let length = request["Content-Length"].flatMap { Int($0) } ?? 0
    while pending.count < length {
      guard fill() else { return nil }
    }
    request.body = Array(pending.prefix(length))
    pending.removeFirst(length)
    return request
  }

  /// The first byte of TLS, which is answered like a request of the method `TLS`.
  private static let tlsHandshake: UInt8 = 22

  private mutating func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    pending += chunk[..<count]
    return true
  }
}
