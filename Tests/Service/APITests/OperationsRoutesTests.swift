import API
import JSON
import MicroHTTP
import Synchronization
import Telemetry
import TestKit
import Testing

@Suite struct OperationsRoutesTests {
  private static func run(
    health: [HealthCheck] = [], readiness: [HealthCheck] = [], metrics: MetricRegistry = MetricRegistry(),
    _ body: (@Sendable (String) async throws -> RawClient.Answer) async throws -> Void
  ) async throws {
    let listener = try Listener(
      name: "operations", address: "127.0.0.1", port: 0,
      router: Router(OperationsRoutes(health: health, readiness: readiness, metrics: metrics).routes), logger: .silent,
      metrics: metrics)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await listener.run() }
      try await body { try await RawClient(port: listener.port).ask("\($0) HTTP/1.1\r\nHost: x\r\n\r\n") }
      group.cancelAll()
    }
  }

  @Test("Health and readiness are told apart, and a fault is named")
  func verdicts() async throws {
    try await Self.run(
      health: [HealthCheck("poller") { nil }],
      readiness: [HealthCheck("store") { nil }, HealthCheck("group") { "not joined" }]
    ) { ask async throws in
      let health = try await ask("GET /healthz")
      #expect(health.status == 200)
      #expect(health.body == #"{"status":"ok"}"#)
      let ready = try await ask("GET /readyz")
      #expect(ready.status == 503)
      #expect(ready.body == #"{"status":"failing","faults":{"group":"not joined"}}"#)
    }
  }

  @Test("Metrics are Prometheus text, requests among them by route")
  func metrics() async throws {
    let metrics = MetricRegistry()
    metrics.counter("tidings_things_total", help: "Things.").increment(by: 3)
    try await Self.run(metrics: metrics) { ask async throws in
      _ = try await ask("GET /healthz")
      _ = try await ask("BREW /healthz")
      _ = try await ask("GET /nobody/knows/this")
      let answer = try await ask("GET /metrics")
      #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
      for line in [
        "tidings_things_total 3",
        #"tidings_http_requests_total{listener="operations",method="GET",route="/healthz",status="200"} 1"#,
        #"tidings_http_requests_total{listener="operations",method="other",route="/healthz",status="405"} 1"#,
        #"tidings_http_requests_total{listener="operations",method="GET",route="unknown",status="404"} 1"#,
        #"tidings_http_request_seconds_count{listener="operations",route="/healthz"} 2"#,
      ] { #expect(answer.body.contains("\n\(line)\n") || answer.body.hasPrefix(line), "\(line)") }
    }
  }

  @Test("Errors outside Azure's routes are problems in JSON, and 405 names what is possible")
  func problems() async throws {
    try await Self.run { ask async throws in
      let missing = try await ask("GET /nobody")
      #expect(missing.status == 404)
      #expect(missing.header("Content-Type") == "application/problem+json")
      #expect(
        missing.body == #"{"title":"Not Found","status":404,"detail":"Nothing is served at this address."}"#)
      let method = try await ask("POST /metrics")
      #expect(method.status == 405)
      #expect(method.header("Allow") == "GET, HEAD, OPTIONS")
      #expect(try await ask("OPTIONS /metrics").header("Allow") == "GET, HEAD, OPTIONS")
    }
  }

  @Test(
    "A path that leads elsewhere leads nowhere",
    arguments: [
      ("/../etc/passwd", 404), ("/healthz/..", 404), ("/healthz/../healthz", 404), ("//healthz", 404),
      ("/%2e%2e/healthz", 404), ("/healthz%2f", 404), ("/healthz%00", 400), ("/healthz%", 400), ("/%zz", 400),
      ("/%c0%ae", 400), ("/%ff", 400), ("/HEALTHZ", 200), ("/healthz/", 200), ("/healthz?x=%zz", 200),
      ("http://x/healthz", 200),
    ])
  func paths(target: String, status: Int) async throws {
    try await Self.run { ask async throws in
      #expect(try await ask("GET \(target)").status == status)
    }
  }
}

@Suite struct HostileServiceTests {
  @Test("What the server refuses before it routes is worded as the path's routes word it")
  func refusals() async throws {
    try await ServedHub.run { served async throws in
      let long = "X: " + String(repeating: "a", count: 9000)
      let azure = try await served.ask("GET", "/news/installations/d", [long])
      #expect(azure.status == 431)
      #expect(azure.body.hasPrefix("<Error><Code>431</Code>"))
      let other = try await served.ask("GET", "/devices/x/events", [long])
      #expect(other.status == 431)
      #expect(other.header("Content-Type") == "application/problem+json")
      let escapes = try await served.ask("GET", "/news/installations/%zz")
      #expect(escapes.status == 400)
      #expect(escapes.header("Content-Type") == "application/problem+json")
    }
  }

  @Test("Pipelined requests of all kinds are answered in order on one connection")
  func pipelining() async throws {
    try await ServedHub.run { served async throws in
      let client = try RawClient(port: served.port)
      let requests = [
        served.text("GET", "/news/installations/d", token: served.listenToken),
        served.text("GET", "/nowhere"),
        served.text(
          "POST", "/news/messages", token: served.sendToken, ["ServiceBusNotification-Format: template"], body: "{}"),
        served.text("OPTIONS", "/news/messages"),
        served.text("DELETE", "/news/installations/d", token: served.listenToken),
      ]
      try await client.send(requests.joined())
      for status in [404, 404, 201, 204, 204] { #expect(try await client.answer().status == status) }
    }
  }

  @Test("A tracking id that could break a header or the XML is not repeated")
  func trackingIDs() async throws {
    try await ServedHub.run { served async throws in
      for id in ["<b>", "a b", String(repeating: "x", count: 65), "\u{e9}"] {
        let answer = try await served.ask("GET", "/news/installations/d", ["TrackingId: \(id)"])
        #expect(answer.status == 401)
        #expect(answer.header("TrackingId")?.count == 36)
        #expect(!answer.body.contains(id))
      }
    }
  }
}
