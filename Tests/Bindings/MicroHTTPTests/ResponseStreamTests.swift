import MicroHTTP
import Synchronization
import TestKit
import Testing

private let request = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"

@Suite struct ResponseStreamTests {
  @Test("What is written arrives at once, and the body ends when the producer returns")
  func arrives() async throws {
    let gate = Gate()
    let server = try HTTPServer { _ in
      Response(
        headers: ["Content-Type": "text/event-stream"],
        stream: ResponseStream(lifetime: .seconds(60)) { writer in
          try await writer.write(Array("data: 1\n\n".utf8))
          await gate.pass()
          try await writer.write(Array("data: 2\n\n".utf8))
        })
    }
    let client = try RawClient(port: server.port)
    try await client.send(request)
    let head = try await client.answerHead()
    #expect(head.header("Transfer-Encoding") == "chunked")
    #expect(try await client.chunk() == "data: 1\n\n")
    await gate.open(whenWaiting: 1)
    #expect(try await client.chunk() == "data: 2\n\n")
    #expect(try await client.chunk() == "")
    try await client.send(request)
    #expect(try await client.answerHead().status == 200, "the connection is kept")
    await gate.open(whenWaiting: 1)
    await server.stop(within: .seconds(1))
  }

  @Test("A writer waits for a reader that does not read, and nothing is lost")
  func backPressure() async throws {
    let written = Atomic<Int>(0)
    let counter = Box(written)
    let server = try HTTPServer { _ in
      Response(
        stream: ResponseStream(lifetime: .seconds(60)) { writer in
          let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
          for _ in 0..<20_000 {
            try await writer.write(line)
            counter.value.add(1, ordering: .relaxed)
          }
        })
    }
    let client = try RawClient(port: server.port)
    try await client.send(request)
    _ = try await client.answerHead()
    // 20 MB do not fit the sockets' buffers and the writer's 32 KiB: the count comes to rest.
    var before = -1
    while before != counter.value.load(ordering: .relaxed) {
      before = counter.value.load(ordering: .relaxed)
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(before < 20_000)
    var bytes = 0
    while case let chunk = try await client.chunk(), !chunk.isEmpty { bytes += chunk.utf8.count }
    #expect(bytes == 20_000_000)
    await server.stop(within: .seconds(1))
  }

  @Test("A silent stream sends heartbeats")
  func heartbeats() async throws {
    let gate = Gate()
    let server = try HTTPServer { _ in
      Response(
        stream: ResponseStream(
          lifetime: .seconds(60), heartbeat: .init(every: .milliseconds(10), bytes: Array(":\n\n".utf8))
        ) { _ in await gate.pass() })
    }
    let client = try RawClient(port: server.port)
    try await client.send(request)
    _ = try await client.answerHead()
    for _ in 0..<3 { #expect(try await client.chunk() == ":\n\n") }
    await gate.open(whenWaiting: 1)
    #expect(try await client.read(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
    await server.stop(within: .seconds(1))
  }

  @Test("A producer whose client has left is cancelled, and its next write says so")
  func clientGone() async throws {
    let (ends, end) = AsyncStream.makeStream(of: StreamEnd.self)
    let server = try HTTPServer { _ in
      Response(
        stream: ResponseStream(
          lifetime: .seconds(60), heartbeat: .init(every: .milliseconds(10), bytes: Array(":\n\n".utf8))
        ) { writer in
          // Ends by cancellation alone.
          while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
          do throws(StreamEnd) { try await writer.write([1]) } catch { end.yield(error) }
        })
    }
    let client = try RawClient(port: server.port)
    try await client.send(request)
    _ = try await client.chunkAfterHead()
    client.leave()
    #expect(await ends.first { _ in true } == .clientGone)
    await server.stop(within: .seconds(1))
  }

  @Test("A stream ends properly when its lifetime is over")
  func lifetime() async throws {
    let server = try HTTPServer { _ in
      Response(
        stream: ResponseStream(lifetime: .milliseconds(50)) { _ in
          while true { try await Task.sleep(for: .seconds(60)) }
        })
    }
    let client = try RawClient(port: server.port)
    #expect(try await client.ask(request).body == "", "with a last chunk, or this would throw")
    #expect(try await client.ask(request).status == 200)
    await server.stop(within: .seconds(1))
  }

  @Test("A producer that fails breaks the connection off, so that the client knows")
  func failure() async throws {
    struct Failure: Error {}
    let server = try HTTPServer { _ in
      Response(stream: ResponseStream(lifetime: .seconds(60)) { _ in throw Failure() })
    }
    let client = try RawClient(port: server.port)
    try await client.send(request)
    #expect(try await client.answerHead().status == 200)
    #expect(await client.readToEnd() == "", "no last chunk")
    await server.stop(within: .seconds(1))
  }

  @Test("HEAD on a stream starts no producer")
  func head() async throws {
    let started = Box(Atomic<Int>(0))
    let server = try HTTPServer { _ in
      Response(
        headers: ["Content-Type": "text/event-stream"],
        stream: ResponseStream(lifetime: .seconds(60)) { _ in started.value.add(1, ordering: .relaxed) })
    }
    let client = try RawClient(port: server.port)
    #expect(try await client.ask("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").header("Content-Type") == "text/event-stream")
    #expect(await client.readToEnd() == "")
    #expect(started.value.load(ordering: .relaxed) == 0)
    await server.stop(within: .seconds(1))
  }

  @Test("Stopping ends streams at once, and properly")
  func stopping() async throws {
    let server = try HTTPServer { _ in
      Response(
        stream: ResponseStream(lifetime: .seconds(600)) { writer in
          try await writer.write(Array("one".utf8))
          while true { try await Task.sleep(for: .seconds(600)) }
        })
    }
    let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
    for client in clients {
      try await client.send(request)
      #expect(try await client.chunkAfterHead() == "one")
    }
    await server.stop(within: .seconds(10))
    for client in clients { #expect(try await client.chunk() == "") }
  }

  @Test("Six hundred clients listen to one broadcast each")
  func many() async throws {
    let gate = Gate()
    let server = try HTTPServer { _ in
      Response(
        stream: ResponseStream(lifetime: .seconds(60)) { writer in
          await gate.pass()
          try await writer.write(Array("news".utf8))
        })
    }
    let clients = try (0..<600).map { _ in try RawClient(port: server.port) }
    for client in clients { try await client.send(request) }
    await gate.open(whenWaiting: 600)
    for client in clients {
      let answer = try await client.answer()
      #expect(answer.body == "news", "\(answer)")
    }
    await server.stop(within: .seconds(1))
  }
}

extension RawClient {
  fileprivate func chunkAfterHead() async throws -> String {
    _ = try await answerHead()
    return try await chunk()
  }
}

/// Carries a noncopyable value into closures.
final class Box<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}
