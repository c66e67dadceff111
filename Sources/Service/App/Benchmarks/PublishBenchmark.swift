internal import Curl
internal import Files
internal import JSON
internal import MicroHTTP
internal import Publish
internal import Push
internal import Telemetry
internal import Time

/// `bench publish`: how fast notifications leave for a hub of Azure's, over TLS, as the worker sends them. The hub is an
/// endpoint in this process that takes everything.
struct PublishBenchmark: Benchmark {
  let name = "publish"
  let summary = "sends 100,000 notifications over TLS to an endpoint like Azure's beside it, which takes them all"

  private static let notifications = 100_000
  private static let width = AzureConnection.sendsMax

  func run(on files: [String], _ console: Console) async throws -> BenchmarkReport {
    guard files.isEmpty else { throw CommandFailure.usage("this benchmark makes its own input") }
    let folder = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(folder) }
    let endpoint = try HTTPServer(tls: BenchmarkIdentity.tls) { request in
      guard request.method == "POST", request.headers["Authorization"]?.hasPrefix("SharedAccessSignature sr=") == true,
        request.headers["ServiceBusNotification-Format"] == "template"
      else { return Response(status: 400) }
      return Response(status: 201, headers: ["Location": "/news/messages/NH-1?api-version=2020-06"])
    }
    try FileSystem.write(Array(BenchmarkIdentity.certificate.utf8), to: "\(folder)/ca.pem")
    let client = AzureConnection.client(caFile: "\(folder)/ca.pem")
    let text =
      "Endpoint=sb://127.0.0.1:\(endpoint.port)/;SharedAccessKeyName=Send;SharedAccessKey=key-of-the-bench"
    let connection = try AzureConnection(
      try ConnectionString(parsing: text), hub: "news", client: client, clock: console.clock, logger: .silent)
    let hub = AzureHub(connection, clock: console.clock)
    let notification = try Self.notification(at: console.clock.now)
    _ = try await hub.send(notification)

    console.say("bench publish: sending")
    let measurement = try await Measurement.of("send") {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<Self.width {
          group.addTask {
            for _ in stride(from: lane, to: Self.notifications, by: Self.width) { _ = try await hub.send(notification) }
          }
        }
        try await group.waitForAll()
      }
      return [.init(count: Double(Self.notifications), unit: "sends")]
    }
    await client.shutdown()
    await endpoint.stop(within: .seconds(1))
    return BenchmarkReport(
      input: [
        "atOnce": .number(JSONNumber(Self.width)),
        "bytesPerBody": .number(JSONNumber(notification.properties.json.serialized().count)),
        "endpoint": "in this process: its processor time is counted as well",
      ],
      measurements: [measurement])
  }

  private static func notification(at now: Timestamp) throws -> Notification {
    Notification(
      id: NotificationID(at: now),
      properties: [
        "News_English": "Breaking World News: strong quake off Hokkaido",
        "News_French": "Flash Monde : Fort séisme au large de Hokkaido", "News_Mandarin": "国际快讯：北海道附近海域发生强烈地震",
        "messageParam": "Strong quake off Hokkaido", "title": "Strong quake off Hokkaido", "category": "World",
        "url": "https://news.example/quake", "articleId": "urn:bench:1", "storyId": "urn:bench:1", "version": "1",
        "kind": "alert", "collapseId": "urn:bench:1", "breaking": "false",
      ],
      audience: .matching(try TagExpression(parsing: "World")))
  }
}
