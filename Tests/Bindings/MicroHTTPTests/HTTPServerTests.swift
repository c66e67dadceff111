import MicroHTTP
import Synchronization
import TestKit
import Testing

/// Answers with what it was asked: `POST /a?b (3 bytes)`.
private let echo: HTTPServer.Handler = { request in
  Response(
    status: 200, headers: ["Content-Type": "text/plain", "TrackingId": "7"],
    text: "\(request.method) \(request.target.raw) (\(request.body.count) bytes)")
}

private func get(_ target: String, _ fields: String = "") -> String {
  "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
}

@Suite struct HTTPServerTests {
  @Test("A request reaches the handler and its answer the client, names spelled as given")
  func answers() async throws {
    let server = try HTTPServer(handler: echo)
    let answer = try await RawClient(port: server.port).ask(get("/a%20b?c=d"))
    #expect(answer.status == 200)
    #expect(answer.body == "GET /a%20b?c=d (0 bytes)")
    #expect(answer.headerLines.contains("TrackingId: 7"))
    #expect(answer.header("Date") != nil)
    await server.stop(within: .seconds(1))
  }

  @Test("An empty answer says that it is empty, and 204 says nothing", arguments: [(201, "0"), (204, nil)])
  func empty(status: Int, length: String?) async throws {
    let server = try HTTPServer { _ in Response(status: status) }
    let answer = try await RawClient(port: server.port).ask(get("/"))
    #expect(answer.status == status)
    #expect(answer.header("Content-Length") == length)
    await server.stop(within: .seconds(1))
  }

  @Test("HEAD gets the length of what GET would get, and no body")
  func head() async throws {
    let server = try HTTPServer { _ in Response(status: 200, text: "twelve bytes") }
    let client = try RawClient(port: server.port)
    let answer = try await client.ask("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(answer.header("Content-Length") == "12")
    #expect(try await client.ask(get("/")).body == "twelve bytes")
    await server.stop(within: .seconds(1))
  }

  @Test("Any method reaches the handler, with a body or without", arguments: ["PURGE", "PATCH", "DELETE", "get"])
  func methods(method: String) async throws {
    let server = try HTTPServer(handler: echo)
    let client = try RawClient(port: server.port)
    #expect(try await client.ask("\(method) /x HTTP/1.1\r\nHost: x\r\n\r\n").body == "\(method) /x (0 bytes)")
    #expect(
      try await client.ask("\(method) /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc").body
        == "\(method) /x (3 bytes)")
    await server.stop(within: .seconds(1))
  }

  @Test("Pipelined requests are answered one after the other, in order")
  func pipelining() async throws {
    let server = try HTTPServer(handler: echo)
    let client = try RawClient(port: server.port)
    try await client.send((0..<50).map { get("/\($0)") }.joined())
    for index in 0..<50 { #expect(try await client.answer().body == "GET /\(index) (0 bytes)") }
    await server.stop(within: .seconds(1))
  }

  @Test("A chunked body arrives joined")
  func chunked() async throws {
    let server = try HTTPServer { Response(status: 200, body: $0.body) }
    let answer = try await RawClient(port: server.port).ask(
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;note=1\r\ndefg\r\n0\r\n\r\n")
    #expect(answer.body == "abcdefg")
    await server.stop(within: .seconds(1))
  }

  @Test("A client that expects 100 gets it before it sends its body")
  func expectation() async throws {
    let server = try HTTPServer(handler: echo)
    let client = try RawClient(port: server.port)
    try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    #expect(try await client.answer().status == 100)
    try await client.send("abc")
    #expect(try await client.answer().body == "POST / (3 bytes)")
    await server.stop(within: .seconds(1))
  }

  @Test("Header fields are found in any spelling and keep their order")
  func headers() async throws {
    let server = try HTTPServer { request in
      Response(
        status: 200,
        text: "\(request.headers["authorization"] ?? "none") \(request.headers.values("X-A").joined(separator: ","))")
    }
    let answer = try await RawClient(port: server.port)
      .ask(get("/", "AUTHORIZATION: SharedAccessSignature sr=a%2fb&sig=c%3d\r\nx-a: 1\r\nX-A:  2 \r\n"))
    #expect(answer.body == "SharedAccessSignature sr=a%2fb&sig=c%3d 1,2")
    await server.stop(within: .seconds(1))
  }

  @Test("The peer's address is known, on IPv4, IPv6 and both at once", arguments: ["127.0.0.1", "::1", "::"])
  func peers(address: String) async throws {
    let server = try HTTPServer(address: address) { Response(status: 200, text: $0.peer.host) }
    let host = address == "::" ? "127.0.0.1" : address
    #expect(try await RawClient(port: server.port, host: host).ask(get("/")).body == host)
    await server.stop(within: .seconds(1))
  }

  @Test("Three hundred requests sleep at once without a thread each")
  func concurrency() async throws {
    let gate = Gate()
    let server = try HTTPServer { _ in
      await gate.pass()
      return Response(status: 200, text: "through")
    }
    let clients = try (0..<300).map { _ in try RawClient(port: server.port) }
    for client in clients { try await client.send(get("/")) }
    await gate.open(whenWaiting: 300)
    for client in clients { #expect(try await client.answer().body == "through") }
    await server.stop(within: .seconds(1))
  }

  @Test("What cannot be started says why")
  func startErrors() throws {
    let taken = try HTTPServer(handler: echo)
    #expect(throws: HTTPServerError.self) { try HTTPServer(port: taken.port, handler: echo) }
    #expect(throws: HTTPServerError.self) { try HTTPServer(address: "nowhere", handler: echo) }
    let nonsense = TLSIdentity(certificate: "no certificate", key: "no key")
    #expect(throws: HTTPServerError.self) { try HTTPServer(tls: nonsense, handler: echo) }
    #expect("\(nonsense)" == "TLS identity [redacted]")
  }

  @Test("A header field that would split the answer in two is not sent")
  func splitting() async throws {
    let server = try HTTPServer { _ in Response(status: 200, headers: ["X": "a\r\nSet-Cookie: b"]) }
    let answer = try await RawClient(port: server.port).ask(get("/"))
    #expect(answer.status == 500)
    #expect(answer.header("Set-Cookie") == nil)
    await server.stop(within: .seconds(1))
  }
}

/// Lets tasks wait until it opens.
actor Gate {
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var opener: (count: Int, continuation: CheckedContinuation<Void, Never>)?

  func pass() async {
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      if let opener, waiting.count >= opener.count {
        opener.continuation.resume()
        self.opener = nil
      }
    }
  }

  /// Opens as soon as `count` tasks wait.
  func open(whenWaiting count: Int) async {
    if waiting.count < count {
      await withCheckedContinuation { opener = (count, $0) }
    }
    waiting.forEach { $0.resume() }
    waiting = []
  }
}
