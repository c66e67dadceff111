import API
import JSON
import Push
import Synchronization
import Telemetry
import TestKit
import Testing

@Suite struct DeviceRoutesTests {
  private let handle = "a-handle-of-22-characters-or-more"

  private func listen(_ served: ServedHub, _ query: String = "", _ headers: [String] = []) async throws -> EventReader {
    let client = try RawClient(port: served.port)
    try await client.send(served.text("GET", "/devices/\(handle)/events\(query)", headers))
    let head = try await client.answerHead()
    #expect(head.status == 200)
    #expect(head.header("Content-Type") == "text/event-stream")
    #expect(head.header("Access-Control-Allow-Origin") == "*")
    let reader = EventReader(client)
    #expect(try await reader.next() == ["retry: 2000"])
    return reader
  }

  @Test("A push arrives as an event that names the notification")
  func arrives() async throws {
    try await ServedHub.run { served async throws in
      #expect(try await served.register("d", handle: handle).status == 200)
      let client = try await listen(served)
      let sent = try await served.send(#"{"News_French":"Salut \"monde\" <b>"}"#)
      let id = try #require(sent.header("Location")?.split(separator: "/").last?.prefix { $0 != "?" })
      #expect(
        try await client.next()
          == ["id: \(id)", "event: notification", #"data: {"message":"Salut \"monde\" <b>"}"#])
    }
  }

  @Test("Without an id everything retained comes; with one, in header or query, what is strictly after it")
  func resumes() async throws {
    try await ServedHub.run { served async throws in
      #expect(try await served.register("d", handle: handle).status == 200)
      let first = try await listen(served)
      var ids: [String] = []
      for number in 1...3 {
        _ = try await served.send(#"{"News_French":"n\#(number)"}"#)
        ids.append(String(try await first.next()[0].dropFirst(4)))
      }
      let all = try await listen(served)
      for id in ids { #expect(try await all.next()[0] == "id: \(id)") }
      let byHeader = try await listen(served, "?lastEventID=\(ids[0])", ["Last-Event-ID: \(ids[1])"])
      #expect(try await byHeader.next()[0] == "id: \(ids[2])", "the header outranks the query")
      let byQuery = try await listen(served, "?lastEventID=\(ids[0])")
      #expect(try await byQuery.next()[0] == "id: \(ids[1])")
      let unknown = try await listen(served, "?lastEventID=nonsense%0A%00")
      #expect(try await unknown.next()[0] == "id: \(ids[0])")
    }
  }

  @Test("A body of several lines stays one event, and cannot begin a field of its own")
  func lines() async throws {
    try await ServedHub.run { served async throws in
      let xml = #"<a><b>one</b>\n<b>two</b>\r\n<c/>\revent: x</a>"#
      #expect(try await served.register("d", handle: handle, template: xml).status == 200)
      let client = try await listen(served)
      _ = try await served.send("{}")
      #expect(
        try await client.next().dropFirst()
          == ["event: notification", "data: <a><b>one</b>", "data: <b>two</b>", "data: <c/>", "data: event: x</a>"])
    }
  }

  @Test(
    "A handle that is short, unknown or strange listens to nothing",
    arguments: [
      "short", "a-handle-of-22-characters-but-never-registered", "..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
      "%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00",
    ])
  func unknownHandles(handle: String) async throws {
    try await ServedHub.run { served async throws in
      let answer = try await served.ask("GET", "/devices/\(handle)/events")
      #expect([404, 400].contains(answer.status))
      #expect(answer.header("Content-Type") == "application/problem+json")
    }
  }

  @Test("Silence is filled with comments")
  func heartbeats() async throws {
    var options = DeviceRoutes.Options()
    options.heartbeat = .milliseconds(50)
    try await ServedHub.run(options: options) { served async throws in
      #expect(try await served.register("d", handle: handle).status == 200)
      let client = try await listen(served)
      for _ in 0..<2 { #expect(try await client.next(skippingComments: false) == [":"]) }
    }
  }

  @Test("A stream ends with its lifetime, with its device, and with the server; each time properly")
  func ends() async throws {
    var options = DeviceRoutes.Options()
    options.lifetime = .milliseconds(50)
    try await ServedHub.run(options: options) { served async throws in
      #expect(try await served.register("d", handle: handle).status == 200)
      let answer = try await served.ask("GET", "/devices/\(handle)/events")
      #expect("retry: 2000\n\n".hasPrefix(answer.body), "with a last chunk, or this would throw")
    }
    let left = Mutex<EventReader?>(nil)
    try await ServedHub.run { served async throws in
      #expect(try await served.register("d", handle: handle).status == 200)
      let forgotten = try await listen(served)
      let delete = try await served.ask("DELETE", "/news/installations/d", token: served.listenToken)
      #expect(delete.status == 204)
      #expect(try await forgotten.next() == [])
      #expect(try await served.register("d", handle: handle).status == 200)
      let client = try await listen(served)
      left.withLock { $0 = client }
    }
    let client = try #require(left.withLock { $0 })
    #expect(try await client.next() == [])
  }

  @Test("Another origin's page may listen and register, and is told so beforehand")
  func crossOrigin() async throws {
    try await ServedHub.run { served async throws in
      for (path, methods) in [("/devices/x/events", "GET"), ("/news/installations/d", "PUT, GET, DELETE")] {
        let answer = try await served.ask(
          "OPTIONS", path, ["Origin: https://app.example", "Access-Control-Request-Method: PUT"])
        #expect(answer.status == 204)
        #expect(answer.header("Access-Control-Allow-Origin") == "*")
        #expect(answer.header("Access-Control-Allow-Methods") == methods)
        #expect(answer.header("Access-Control-Allow-Headers")?.contains("Last-Event-ID") == true)
      }
      let send = try await served.ask("OPTIONS", "/news/messages")
      #expect(send.status == 204)
      #expect(send.header("Access-Control-Allow-Origin") == nil)
    }
  }

  @Test("Neither a handle nor a token gets into the log or the metrics")
  func discretion() async throws {
    let lines = Lines()
    let logger = Logger(level: .debug) { record in lines.add("\(record)") }
    try await ServedHub.run(logger: logger) { served async throws in
      #expect(try await served.register("d", handle: handle).status == 200)
      _ = try await listen(served)
      _ = try await served.ask("GET", "/devices/\(handle)x/events")
      _ = try await served.ask("GET", "/news/installations/d", token: served.token("Listen", ServedHub.sendKey))
      let all = lines.all + served.metrics.exposition()
      #expect(all.contains("/devices/{handle}/events"))
      #expect(!all.contains(handle))
      #expect(!all.contains("SharedAccessSignature"))
    }
  }
}

/// Takes a stream of events apart; several may come in one chunk, or one in several.
final class EventReader: Sendable {
  private let client: RawClient
  private let unread = Mutex("")

  init(_ client: RawClient) { self.client = client }

  /// The lines of the next event; none at the end of the stream.
  func next(skippingComments: Bool = true) async throws -> [String] {
    while true {
      let event = unread.withLock { unread -> String? in
        guard let end = unread.firstRange(of: "\n\n") else { return nil }
        defer { unread.removeSubrange(..<end.upperBound) }
        return String(unread[..<end.lowerBound])
      }
      if let event {
        if event == ":", skippingComments { continue }
        return event.split(separator: "\n").map(String.init)
      }
      let chunk = try await client.chunk()
      if chunk.isEmpty { return [] }
      unread.withLock { $0 += chunk }
    }
  }
}

/// Collects log lines.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: String { lines.withLock { $0.joined(separator: "\n") } }
}
