import MicroHTTP
import TestKit
import Testing

@Suite struct HostileRequestTests {
  private static func server(_ change: (inout Limits) -> Void = { _ in }) throws -> HTTPServer {
    var limits = Limits()
    limits.bodyBytesMax = 1000
    change(&limits)
    return try HTTPServer(limits: limits) { Response(status: 200, text: "\($0.body.count)") }
  }

  @Test(
    "What breaks HTTP's rules is refused, and its connection closed",
    arguments: [
      ("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /a\u{7F} HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("G\u{1}T / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: x\r\nName : y\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
      ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
      ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", 413),
    ] as [(String, Int)])
  func malformed(request: String, status: Int) async throws {
    let server = try Self.server()
    let client = try RawClient(port: server.port)
    #expect(try await client.ask(request).status == status)
    // The library sends some of its own refusals twice, but never what follows.
    #expect(!(await client.readToEnd().contains("HTTP/1.1 200")))
    await server.stop(within: .seconds(1))
  }

  @Test("A header too long for the limit or for memory is refused with 431, a target with 414")
  func tooLong() async throws {
    let server = try Self.server()
    func status(_ target: String, _ value: String) async throws -> Int {
      try await RawClient(port: server.port).ask("GET \(target) HTTP/1.1\r\nHost: x\r\nX: \(value)\r\n\r\n").status
    }
    let long = String(repeating: "a", count: 9000)
    let huge = String(repeating: "a", count: 200_000)
    #expect(try await status("/", long) == 431)
    #expect(try await status("/", huge) == 431)
    #expect(try await status("/" + long, "") == 414)
    #expect(try await status("/" + huge, "") == 414)
    #expect(try await status("/?" + String(repeating: "a&", count: 3000), "") == 200)
    #expect(try await status("/", "y" + String(repeating: "\r\na:b", count: 1500)) == 431)
    await server.stop(within: .seconds(1))
  }

  @Test("A body over the limit is refused with 413, however it comes, and never reaches the handler")
  func bodies() async throws {
    let server = try Self.server()
    let body = String(repeating: "b", count: 1001)
    func client() throws -> RawClient { try RawClient(port: server.port) }
    let post = "POST / HTTP/1.1\r\nHost: x\r\n"
    let exact = try await client().ask(post + "Content-Length: 1000\r\n\r\n" + body.dropLast())
    #expect(exact.body == "1000")
    #expect(try await client().ask(post + "Content-Length: 1001\r\n\r\n" + body).status == 413)
    #expect(
      try await client().ask(post + "Content-Length: 1001\r\nExpect: 100-continue\r\n\r\n").status == 413,
      "told before it sends")
    #expect(try await client().ask(post + "Content-Length: 99999999999\r\n\r\n").status == 413)
    #expect(try await client().ask(post + "Content-Length: 999999999999999999999999\r\n\r\n").status == 413)
    let chunked = post + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n\(body)\r\n0\r\n\r\n"
    #expect(try await client().ask(chunked).status == 413)
    let kept = try client()
    #expect(try await kept.ask(post + "Content-Length: 1001\r\n\r\n" + body).status == 413)
    #expect(try await kept.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200, "the connection is in step")
    await server.stop(within: .seconds(1))
  }

  @Test("An endless chunked body is cut off")
  func endless() async throws {
    let server = try Self.server()
    let client = try RawClient(port: server.port)
    try await client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = "10000\r\n" + String(repeating: "z", count: 65536) + "\r\n"
    for _ in 0..<64 { try await client.send(chunk) }
    #expect(await client.readToEnd() == "")
    await server.stop(within: .seconds(1))
  }

  @Test(
    "A request that does not come to its end in time loses its connection, though bytes keep coming",
    arguments: [
      "", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\nabc",
    ])
  func slow(start: String) async throws {
    let server = try Self.server { $0.requestTime = .milliseconds(300) }
    let client = try RawClient(port: server.port)
    try await client.send(start)
    let drip = Task {
      while !Task.isCancelled {
        try await client.send("a")
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    #expect(await client.readToEnd() == "")
    drip.cancel()
    await server.stop(within: .seconds(1))
  }

  @Test("A handler that takes too long is cancelled, and its client gets 503")
  func slowHandler() async throws {
    var limits = Limits()
    limits.requestTime = .milliseconds(100)
    let (cancellations, cancelled) = AsyncStream.makeStream(of: Void.self)
    let server = try HTTPServer(limits: limits) { _ in
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
      cancelled.yield()
      return Response(status: 200)
    }
    let client = try RawClient(port: server.port)
    let answer = try await client.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(answer.status == 503)
    #expect(answer.body == "The request took too long.\n")
    #expect(await cancellations.first { _ in true } != nil)
    await server.stop(within: .seconds(1))
  }

  @Test("A silent connection is closed after the idle time")
  func idle() async throws {
    let server = try Self.server { $0.idleTime = .seconds(1) }
    let client = try RawClient(port: server.port)
    #expect(try await client.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
    #expect(await client.readToEnd() == "")
    await server.stop(within: .seconds(1))
  }

  @Test("One address gets no more connections than its share")
  func perAddress() async throws {
    let server = try Self.server {
      $0.connectionsPerAddressMax = 2
      $0.isShared = { _ in false }
    }
    let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    let first = try RawClient(port: server.port)
    let second = try RawClient(port: server.port)
    #expect(try await first.ask(request).status == 200)
    #expect(try await second.ask(request).status == 200)
    let third = try RawClient(port: server.port)
    try await third.send(request)
    #expect(await third.readToEnd() == "")
    #expect(try await second.ask(request).status == 200)
    await server.stop(within: .seconds(1))
  }

  @Test("Noise instead of HTTP is closed, and the server goes on", arguments: [0, 1, 2])
  func noise(seed: UInt64) async throws {
    let server = try Self.server()
    var state = seed &+ 88_172_645_463_325_252
    for _ in 0..<40 {
      var bytes: [UInt8] = []
      for _ in 0..<400 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        bytes.append(UInt8(truncatingIfNeeded: state))
      }
      let client = try RawClient(port: server.port)
      try await client.send(bytes + Array("\r\n\r\n".utf8))
      client.finishSending()
      let answer = await client.readToEnd()
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 5"))
    }
    #expect(try await RawClient(port: server.port).ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
    await server.stop(within: .seconds(1))
  }

  @Test("A client that half-closes after its request is answered")
  func halfClosed() async throws {
    let server = try Self.server()
    let client = try RawClient(port: server.port)
    try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    client.finishSending()
    #expect(try await client.answer().status == 200)
    await server.stop(within: .seconds(1))
  }
}

@Suite struct HTTPServerStopTests {
  @Test("Stopping waits for requests under way, and takes no more")
  func graceful() async throws {
    let gate = Gate()
    let (entries, entered) = AsyncStream.makeStream(of: Void.self)
    let server = try HTTPServer { _ in
      entered.yield()
      await gate.pass()
      return Response(status: 200, text: "done")
    }
    let client = try RawClient(port: server.port)
    try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = await entries.first { _ in true }
    async let stopped: Void = server.stop(within: .seconds(60))
    async let opened: Void = gate.open(whenWaiting: 1)
    let answer = try await client.answer()
    #expect(answer.body == "done")
    _ = await (opened, stopped)
    #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
  }

  @Test("Past its deadline stopping answers 503, cancels and closes; stopping twice is stopping once")
  func hard() async throws {
    let (entries, entered) = AsyncStream.makeStream(of: Void.self)
    let server = try HTTPServer { _ in
      entered.yield()
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
      return Response(status: 200)
    }
    let client = try RawClient(port: server.port)
    try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = await entries.first { _ in true }
    async let one: Void = server.stop(within: .milliseconds(20))
    async let two: Void = server.stop(within: .seconds(60))
    #expect(try await client.answer().status == 503)
    _ = await (one, two)
    await server.stop(within: .zero)
  }

  @Test("A server that nobody holds any more closes its sockets")
  func released() async throws {
    var server: HTTPServer? = try HTTPServer { _ in Response(status: 200) }
    let client = try RawClient(port: server!.port)
    #expect(try await client.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
    server = nil
    #expect(await client.readToEnd() == "")
  }

  @Test("Stopping in the middle of a storm of requests neither hangs nor aborts", arguments: 0..<10)
  func storm(round: Int) async throws {
    let server = try HTTPServer { request in
      if request.target.rawPath == "/s" {
        return Response(
          stream: ResponseStream(lifetime: .seconds(60)) { writer in
            while true { try await writer.write([UInt8](repeating: 65, count: 500)) }
          })
      }
      await Task.yield()
      return Response(status: 200)
    }
    let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
    for (index, client) in clients.enumerated() {
      try await client.send(
        String(repeating: "GET /\(index % 3 == 0 ? "s" : "r") HTTP/1.1\r\nHost: x\r\n\r\n", count: 200))
    }
    await server.stop(within: round % 2 == 0 ? .zero : .milliseconds(10))
    for client in clients { _ = await client.readToEnd() }
  }

  @Test("Stopping while clients come and go neither hangs nor aborts", arguments: 0..<20)
  func churn(round: Int) async throws {
    let server = try HTTPServer { _ in Response(status: 200) }
    let port = server.port
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          // Until the server is gone.
          while let client = try? RawClient(port: port) {
            _ = try? await client.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
          }
        }
      }
      for _ in 0..<round { await Task.yield() }
      await server.stop(within: .milliseconds(round))
    }
  }
}
