import Curl
import Synchronization
import TestKit
import Testing

@Suite struct HTTPClientBadServerTests {
  private func failure(
    _ server: RawServer, _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async throws -> HTTPClientError? {
    let client = HTTPClient()
    var request = try request(server)
    change(&request)
    let error = await #expect(throws: HTTPClientError.self) { try await client.send(request) }
    await client.shutdown()
    return error
  }

  @Test("A body shorter than promised is truncated")
  func short() async throws {
    let server = try RawServer(answers: [
      .head("HTTP/1.1 200 OK", "Content-Length: 100", then: .send([1, 2, 3]), .close)
    ])
    #expect(try await failure(server) == .truncated(bytesReceived: 3))
  }

  @Test("So is a chunked body without its end")
  func shortChunk() async throws {
    let server = try RawServer(answers: [
      .head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", then: .send(Array("3\r\nabc\r\n".utf8)), .close)
    ])
    #expect(try await failure(server) == .truncated(bytesReceived: 3))
  }

  @Test("So is one that is reset")
  func reset() async throws {
    let server = try RawServer(answers: [.head("HTTP/1.1 200 OK", "Content-Length: 100", then: .send([1]), .reset)])
    guard case .truncated = try await failure(server) else {
      Issue.record("not truncated")
      return
    }
  }

  @Test("A server that closes without a word gave no answer")
  func silentClose() async throws {
    #expect(try await failure(RawServer(answers: [[.close]])) == .truncated(bytesReceived: 0))
  }

  @Test(
    "Where the head is enough, its answer counts whatever becomes of the body",
    arguments: [
      ("short", "Content-Length: 100", [.send([1, 2]), .close]),
      ("reset", "Content-Length: 100", [.send([1]), .reset]),
      ("silent", "Content-Length: 100", [.hold]), ("too large", "Content-Length: 9999", [.flood([1])]),
      ("endless", "Transfer-Encoding: chunked", [.flood(Array("1\r\nx\r\n".utf8))]),
      ("badly compressed", "Content-Encoding: gzip", [.send([1, 2, 3]), .close]),
    ] as [(String, String, RawServer.Answer)])
  func headIsEnough(name: String, field: String, body: RawServer.Answer) async throws {
    var answer: RawServer.Answer = .head("HTTP/1.1 429 Too Many", "Retry-After: 7", field)
    answer.steps += body.steps
    let server = try RawServer(answers: [answer])
    let client = HTTPClient()
    var request = try request(server)
    request.timeouts.idle = .milliseconds(200)
    request.limits.bodyBytesMax = 1000
    request.isHeadEnough = true
    let response = try await client.send(request)
    #expect(response.status == 429)
    #expect(response.headers["Retry-After"] == "7")
    await client.shutdown()
  }

  @Test("Half a head is not enough")
  func halfHead() async throws {
    let server = try RawServer(answers: [[.send(Array("HTTP/1.1 201 Created\r\nLocation: /a".utf8)), .close]])
    let client = HTTPClient()
    var request = try request(server)
    request.isHeadEnough = true
    let half = request
    await #expect(throws: HTTPClientError.self) { try await client.send(half) }
    await client.shutdown()
  }

  @Test("A body ends where its length says")
  func longBody() async throws {
    let server = try RawServer(answers: [
      .head("HTTP/1.1 200 OK", "Content-Length: 3", then: .send(Array("abcdef".utf8)), .close)
    ])
    let client = HTTPClient()
    #expect(try await client.send(request(server)).body == Array("abc".utf8))
    await client.shutdown()
  }

  @Test("A silent server runs into the idle limit, before and within the body")
  func idle() async throws {
    let silent: [RawServer.Answer] = [
      [.hold], .head("HTTP/1.1 200 OK", "Content-Length: 100", then: .send([1]), .hold),
    ]
    for answer in silent {
      let error = try await failure(RawServer(answers: [answer])) { $0.timeouts.idle = .milliseconds(150) }
      #expect(error == .timedOut(.idle, after: .milliseconds(150)))
    }
  }

  @Test("An endless drip runs into the total limit")
  func drip() async throws {
    let drip = [UInt8](repeating: 32, count: 100_000)
    let server = try RawServer(answers: [.head("HTTP/1.1 200 OK", then: .drip(drip, every: .milliseconds(5)))])
    let error = try await failure(server) { $0.timeouts.total = .milliseconds(300) }
    #expect(error == .timedOut(.total, after: .milliseconds(300)))
    await server.waitUntilLeft()
  }

  @Test("A connection that is never accepted runs into the connect limit")
  func connectTimeout() async throws {
    // Behind its full backlog a listener answers no more connections.
    let backlog = try FullListener()
    let client = HTTPClient()
    var request = HTTPRequest("GET", try WebURL("http://127.0.0.1:\(backlog.port)/"), timeouts: patience)
    request.timeouts.connect = .milliseconds(200)
    await #expect(throws: HTTPClientError.timedOut(.connect, after: .milliseconds(200))) {
      try await client.send(request)
    }
    await client.shutdown()
  }

  @Test("A body beyond the limit is given up, announced or not")
  func tooLarge() async throws {
    let announced = try RawServer(answers: [.head("HTTP/1.1 200 OK", "Content-Length: 50000000", then: .hold)])
    #expect(try await failure(announced) { $0.limits.bodyBytesMax = 1000 } == .tooLarge(.body, bytesMax: 1000))
    let flood = try RawServer(answers: [.head("HTTP/1.1 200 OK", then: .flood([UInt8](repeating: 65, count: 4096)))])
    #expect(try await failure(flood) { $0.limits.bodyBytesMax = 1 << 20 } == .tooLarge(.body, bytesMax: 1 << 20))
    await flood.waitUntilLeft()
  }

  @Test("Endless headers are given up")
  func endlessHeaders() async throws {
    let server = try RawServer(answers: [
      [.send(Array("HTTP/1.1 200 OK\r\n".utf8)), .flood(Array("X-More: of this\r\n".utf8))]
    ])
    #expect(try await failure(server) { $0.limits.headerBytesMax = 8192 } == .tooLarge(.headers, bytesMax: 8192))
  }

  @Test(
    "One endless line is given up, in the head and in the trailer",
    arguments: ["", "Transfer-Encoding: chunked\r\n\r\n0\r\n"])
  func endlessLine(before: String) async throws {
    let server = try RawServer(answers: [
      [
        .send(Array("HTTP/1.1 200 OK\r\n\(before)X-More: ".utf8)),
        .flood([UInt8](repeating: UInt8(ascii: "a"), count: 4096)),
      ]
    ])
    let client = HTTPClient()
    await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest("GET", WebURL("http://127.0.0.1:\(server.port)/"), timeouts: patience))
    }
    await client.shutdown()
  }

  @Test(
    "What is not HTTP is no answer",
    arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "<rss>"])
  func notHTTP(text: String) async throws {
    let error = try await failure(RawServer(answers: [[.send(Array(text.utf8)), .close]]))
    guard case .malformedAnswer = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("A closed port is unreachable, a name without address unresolved")
  func unreachable() async throws {
    let server = try RawServer(answers: [])
    let port = server.port
    server.stop()
    let client = HTTPClient()
    var error = await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest("GET", WebURL("http://127.0.0.1:\(port)/"), timeouts: patience))
    }
    guard case .unreachable("127.0.0.1", port, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    error = await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest("GET", WebURL("http://nowhere.invalid/"), timeouts: patience))
    }
    #expect(error == .unresolved(host: "nowhere.invalid"))
    await client.shutdown()
  }

  @Test("What must not arrive twice is not sent anew when a kept connection breaks; other requests are")
  func brokenConnection() async throws {
    let server = try RawServer { request in
      // Every second request of a connection finds it broken.
      request.connection == 0 && request.number > 0 ? [.reset] : .ok("x")
    }
    let client = HTTPClient()
    var request = HTTPRequest("POST", try WebURL(server.url()), body: [1])
    request.isRepeatable = false
    _ = try await client.send(request)
    await #expect(throws: HTTPClientError.truncated(bytesReceived: 0)) { try await client.send(request) }
    #expect(server.requests.count == 2)
    await client.shutdown()

    let other = try RawServer { request in request.connection == 0 && request.number > 0 ? [.reset] : .ok("x") }
    let patient = HTTPClient()
    request = HTTPRequest("POST", try WebURL(other.url()), body: [1])
    for _ in 0..<2 { _ = try await patient.send(request) }
    #expect(other.requests.map(\.connection) == [0, 0, 1])
    await patient.shutdown()
  }

  @Test("A request that left on a kept connection may have arrived, also where the server is gone by then")
  func goneServer() async throws {
    let leaving = Mutex<RawServer?>(nil)
    let server = try RawServer { request in
      if request.number > 0 { leaving.withLock { $0.take() }?.stop() }
      return .ok("x")
    }
    leaving.withLock { $0 = server }
    let client = HTTPClient()
    var request = HTTPRequest("POST", try WebURL(server.url()), body: [1])
    request.isRepeatable = false
    _ = try await client.send(request)
    await #expect(throws: HTTPClientError.truncated(bytesReceived: 0)) { try await client.send(request) }
    #expect(server.requests.count == 2)
    // One that finds nobody has not left.
    let refused = await #expect(throws: HTTPClientError.self) { try await client.send(request) }
    guard case .unreachable("127.0.0.1", server.port, _) = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    try server.open()
    _ = try await client.send(request)
    await client.shutdown()
  }

  @Test("TLS with a server that speaks none is untrusted")
  func noTLS() async throws {
    let server = try RawServer(answers: [.ok("x")])
    let client = HTTPClient()
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest("GET", WebURL("https://localhost:\(server.port)/"), timeouts: patience))
    }
    await client.shutdown()
    guard case .untrusted("localhost", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

@Suite struct HTTPClientGuardTests {
  @Test(
    "A private address is refused whatever its spelling, and no byte goes there",
    arguments: [
      "127.0.0.1", "0x7f.1", "2130706433", "0177.0.0.1", "127.1", "localhost", "127.0.0.1.", "[::ffff:127.0.0.1]",
    ])
  func refused(host: String) async throws {
    let server = try RawServer(answers: [.ok("secret")])
    let client = HTTPClient(.init(guarded: AddressGuard()))
    let url = try WebURL("http://\(host):\(server.port)/latest/meta-data")
    let error = await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest("GET", url, timeouts: patience))
    }
    guard case .refusedAddress(let refusal, _) = error else {
      // A trailing dot after a number is no address for some resolvers.
      guard case .unresolved = error, host.hasSuffix(".") else {
        Issue.record("\(String(describing: error))")
        return
      }
      return
    }
    #expect(refusal.reason == "loopback")
    #expect(error?.description.contains("\(refusal.address)") == true)
    #expect(server.connectionCount == 0)
    await client.shutdown()
  }

  @Test("An opened range is reached, first and on a reused connection")
  func allowed() async throws {
    let server = try RawServer(answers: [.ok("x")])
    let client = HTTPClient(.init(guarded: AddressGuard(allowing: [try AddressBlock("127.0.0.0/8")])))
    for _ in 0..<2 { #expect(try await client.send(request(server)).status == 200) }
    #expect(server.connectionCount == 1)
    await client.shutdown()
  }

  @Test("A named proxy is used, and a literal private address not handed to it")
  func proxy() async throws {
    let proxy = try RawServer { .ok("via proxy: \($0.target)") }
    let named = try HTTPProxy("http://user:secret@127.0.0.1:\(proxy.port)")
    #expect(!"\(named)".contains("secret"))
    let client = HTTPClient(.init(guarded: AddressGuard(), proxy: named))
    let response = try await client.send(HTTPRequest("GET", WebURL("http://feeds.example/a"), timeouts: patience))
    #expect(String(decoding: response.body, as: UTF8.self) == "via proxy: http://feeds.example/a")
    await #expect(throws: HTTPClientError.self) {
      try await client.send(HTTPRequest("GET", WebURL("http://0x7f.1/a"), timeouts: patience))
    }
    #expect(proxy.requests.count == 1)
    await client.shutdown()
    #expect(throws: MalformedURL.self) { try HTTPProxy("ftp://127.0.0.1:1") }
  }
}
