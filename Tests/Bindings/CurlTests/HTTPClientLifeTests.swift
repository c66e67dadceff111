import Curl
import TestKit
import Testing

@Suite struct HTTPClientLifeTests {
  @Test("A cancelled request leaves the wire")
  func cancel() async throws {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let server = try RawServer { _ in
      arrived.yield()
      return [.hold]
    }
    let client = HTTPClient()
    let task = Task { try await client.send(request(server)) }
    for await _ in arrivals { break }
    task.cancel()
    await #expect(throws: HTTPClientError.cancelled) { try await task.value }
    await server.waitUntilLeft()
    await client.shutdown()
  }

  @Test("A task that is cancelled before it asks sends nothing")
  func cancelledBefore() async throws {
    let server = try RawServer(answers: [.ok("")])
    let client = HTTPClient()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.send(request(server))
    }
    await #expect(throws: HTTPClientError.cancelled) { try await task.value }
    #expect(server.requests.isEmpty)
    await client.shutdown()
  }

  @Test("Shutting down ends what is on its way, and later requests")
  func shutdown() async throws {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let server = try RawServer { _ in
      arrived.yield()
      return [.hold]
    }
    let client = HTTPClient()
    let task = Task { try await client.send(request(server)) }
    for await _ in arrivals { break }
    await client.shutdown()
    await #expect(throws: HTTPClientError.closed) { try await task.value }
    await #expect(throws: HTTPClientError.closed) { try await client.send(request(server)) }
    await client.shutdown()
    await server.waitUntilLeft()
  }

  @Test("A client that is let go closes its connections")
  func letGo() async throws {
    let server = try RawServer(answers: [.ok("x")])
    var client: HTTPClient? = HTTPClient()
    _ = try await client?.send(request(server))
    #expect(server.openConnectionCount == 1)
    client = nil
    await server.waitUntilLeft()
  }

  @Test("One request more than the client allows is refused")
  func busy() async throws {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let server = try RawServer { request in
      arrived.yield()
      return request.target == "/hold" ? [.hold] : .ok("x")
    }
    var options = HTTPClient.Options()
    options.requestsMax = 1
    let client = HTTPClient(options)
    let task = Task { try await client.send(request(server, "/hold")) }
    for await _ in arrivals { break }
    await #expect(throws: HTTPClientError.busy(requestsMax: 1)) { try await client.send(request(server)) }
    task.cancel()
    _ = await task.result
    #expect(try await client.send(request(server)).status == 200)
    await client.shutdown()
  }
}

@Suite struct HTTPStreamTests {
  private func stream(_ client: HTTPClient, _ server: RawServer) async throws -> HTTPStream {
    var request = try request(server)
    request.timeouts.total = nil
    return try await client.stream(request)
  }

  @Test("The head is here before the body, which comes in pieces until its end")
  func pieces() async throws {
    let text = "data: one\n\ndata: two\n\n"
    let server = try RawServer(answers: [
      .head(
        "HTTP/1.1 200 OK", "Content-Type: text/event-stream", then: .drip(Array(text.utf8), every: .milliseconds(1)),
        .close)
    ])
    let client = HTTPClient()
    let stream = try await stream(client, server)
    #expect(stream.head.headers["content-type"] == "text/event-stream")
    #expect(server.requests.first?["Accept-Encoding"] == nil)
    var bytes: [UInt8] = []
    for try await piece in stream {
      #expect(!piece.isEmpty)
      bytes += piece
    }
    #expect(bytes == Array(text.utf8))
    await client.shutdown()
  }

  @Test("A reader that does not read makes the server wait, and loses nothing")
  func backPressure() async throws {
    let count = 8 << 20
    let body = [UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let server = try RawServer(answers: [.status(200, body: body)])
    let client = HTTPClient()
    let stream = try await stream(client, server)
    // Other requests go on while the stream stands.
    let other = try RawServer(answers: [.ok("x")])
    for _ in 0..<20 { _ = try await client.send(request(other)) }
    var received = 0
    var largest = 0
    for try await piece in stream {
      #expect(piece.elementsEqual(body[received..<(received + piece.count)]))
      received += piece.count
      largest = max(largest, piece.count)
    }
    #expect(received == count)
    #expect(largest <= HTTPStream.bufferBytesMax)
    await client.shutdown()
  }

  @Test("A server that falls silent ends the stream with the idle limit")
  func idle() async throws {
    let server = try RawServer(answers: [.head("HTTP/1.1 200 OK", then: .send([1]), .hold)])
    let client = HTTPClient()
    var request = try request(server)
    request.timeouts = HTTPTimeouts(total: nil, idle: .milliseconds(150))
    var reader = try await client.stream(request).makeAsyncIterator()
    #expect(try await reader.next() == [1])
    await #expect(throws: HTTPClientError.timedOut(.idle, after: .milliseconds(150))) { try await reader.next() }
    await client.shutdown()
  }

  @Test("Letting go of a stream, cancelling it or its reader ends the request")
  func ends() async throws {
    let server = try RawServer(answers: [.head("HTTP/1.1 200 OK", then: .hold)])
    let client = HTTPClient()
    do {
      _ = try await stream(client, server)
    }
    await server.waitUntilLeft()

    let cancelled = try await stream(client, server)
    cancelled.cancel()
    var reader = cancelled.makeAsyncIterator()
    await #expect(throws: HTTPClientError.cancelled) { try await reader.next() }
    await server.waitUntilLeft()

    let held = try await stream(client, server)
    let task = Task {
      var reader = held.makeAsyncIterator()
      return try await reader.next()
    }
    task.cancel()
    await #expect(throws: HTTPClientError.cancelled) { try await task.value }
    await server.waitUntilLeft()
    await client.shutdown()
  }

  @Test("A stream that breaks says so after what came")
  func broken() async throws {
    let server = try RawServer(answers: [.head("HTTP/1.1 200 OK", "Content-Length: 10", then: .send([1, 2]), .close)])
    let client = HTTPClient()
    var reader = try await stream(client, server).makeAsyncIterator()
    #expect(try await reader.next() == [1, 2])
    await #expect(throws: HTTPClientError.self) { try await reader.next() }
    await client.shutdown()
  }

  @Test("Beyond a host's connections requests wait for their turn, and that is not the time to connect")
  func turns() async throws {
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
    let server = try RawServer { request in
      request.number == 0 ? [.drip(head, every: .milliseconds(30))] : .status(200)
    }
    var options = HTTPClient.Options()
    options.connectionsPerHostMax = 1
    let client = HTTPClient(options)
    var request = try request(server)
    request.timeouts = HTTPTimeouts(total: .seconds(20), connect: .milliseconds(600))
    try await withThrowingTaskGroup(of: Int.self) { [request] group in
      for _ in 0..<8 { group.addTask { try await client.send(request).status } }
      for try await status in group { #expect(status == 200) }
    }
    #expect(server.connectionCount == 1)
    await client.shutdown()
  }

  @Test("Who waits for his turn too long is told so, and nothing was sent")
  func noTurn() async throws {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let server = try RawServer { _ in
      arrived.yield()
      return [.hold]
    }
    var options = HTTPClient.Options()
    options.connectionsPerHostMax = 1
    let client = HTTPClient(options)
    let first = Task { [client] in try await client.send(request(server)) }
    for await _ in arrivals { break }
    var second = try request(server)
    second.timeouts = HTTPTimeouts(total: .milliseconds(200), connect: .milliseconds(100))
    let waiting = second
    await #expect(throws: HTTPClientError.timedOut(.turn, after: .milliseconds(200))) { try await client.send(waiting) }
    first.cancel()
    await #expect(throws: HTTPClientError.cancelled) { try await first.value }
    #expect(server.requests.count == 1)
    await client.shutdown()
  }
}
