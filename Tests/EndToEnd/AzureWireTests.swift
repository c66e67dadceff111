import Files
import Glibc
import JSON
import TestKit
import Testing

/// A request as `hub.py` saw it.
private struct SeenRequest: Sendable {
  let action: String
  let line: String
  let fields: [(name: String, value: String)]
  let body: String
  /// What is wrong with its token, nil for nothing.
  let fault: String?

  /// Nil for a line that is no request.
  init?(_ line: String) {
    guard let json = try? JSONValue(parsing: line), let action = json["action"]?.string,
      let method = json["method"]?.string, let target = json["target"]?.string, let body = json["body"]?.string
    else { return nil }
    self.action = action
    self.line = "\(method) \(target)"
    self.body = body
    fields = (json["fields"]?.array ?? []).compactMap { field in
      guard let name = field.array?.first?.string, let value = field.array?.last?.string else { return nil }
      return (name, value)
    }
    fault = json["fault"]?.string
  }

  subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }

  var headline: String? { (try? JSONValue(parsing: body))?["News_English"]?.string }
}

/// The hub in Python, which ends with its owner.
private struct ForeignHub {
  static let python = ProcessEnvironment.variables["TIDINGS_PYTHON"]

  let folder: Folder
  let process: ChildProcess
  let port: Int

  /// The certificate's file.
  var certificate: String { "\(folder.path)/hub.pem" }

  var connectionString: String {
    "Endpoint=sb://127.0.0.1:\(port)/;SharedAccessKeyName=Send;SharedAccessKey=\(Worker.fullKey)"
  }

  init(_ networkProtocol: String, _ actions: [String] = [], in folder: Folder) async throws {
    self.folder = folder
    process = try ChildProcess(
      try #require(Self.python),
      [
        "\(Program.root)/Tests/EndToEnd/hub.py", try folder.write(LoopbackCertificate.certificate, to: "hub.pem"),
        try folder.write(LoopbackCertificate.key, to: "hub.key"), Worker.fullKey, networkProtocol,
      ] + actions)
    port = try #require(await process.value { Int($0) }, "\(process.lines(.errors))")
  }

  /// What it has seen so far.
  func requests() throws -> [SeenRequest] {
    try process.lines().dropFirst().map { line in try #require(SeenRequest(line), "\(line)") }
  }

  /// Waits until it has taken each of these headlines, in whatever order: what is news at one moment goes side by side.
  func takes(_ headlines: [String]) async throws {
    for headline in headlines {
      _ = try await request { $0.headline == headline && $0.action != "early" }
    }
  }

  /// Waits for a request.
  func request(where isWanted: @Sendable (SeenRequest) -> Bool) async throws -> SeenRequest {
    try #require(
      await process.value { line in
        SeenRequest(line).flatMap { isWanted($0) ? $0 : nil }
      }, "\(process.lines(.errors))")
  }

  /// A worker that sends to it what a feed gets new.
  func worker(reading feed: GrowingFeed, caFile: String?) throws -> Worker {
    try Worker(
      configuration: folder.write(
        """
        feeds:
          interval: 1s
          allowAddresses: [127.0.0.0/8]
          list: [{url: "\(feed.url)", category: Sports, language: en}]
        hub: {kind: azure, name: news, connectionString: "\(connectionString)", caFile: \(caFile ?? "null")}
        store: {sqlite: "\(folder.path)/tidings.db"}
        server: {port: 0, operationsPort: 0}
        logging: {level: debug, format: json}
        """, to: "tidings.yaml"))
  }
}

@Suite(
  "Azure's wire", .timeLimit(.minutes(3)),
  .enabled(if: ForeignHub.python != nil, "TIDINGS_PYTHON is not set; deploy/test.sh sets it up"))
struct AzureWireTests {
  @Test(
    "Over TLS a hub that shares no code with the worker finds each request as the contract has it",
    arguments: ["h2", "http/1.1"])
  func contract(networkProtocol: String) async throws {
    let folder = try Folder()
    let hub = try await ForeignHub(networkProtocol, in: folder)
    defer { hub.process.signal(SIGKILL) }
    let feed = try GrowingFeed(category: "sports", itemsMax: 4)
    let worker = try hub.worker(reading: feed, caFile: hub.certificate)
    try await hub.takes(["sports 2", "sports 3", "sports 4"])
    #expect(await worker.stop() == .exited(0))
    let requests = try hub.requests()
    #expect(requests.compactMap(\.headline).sorted() == ["sports 2", "sports 3", "sports 4"])
    for request in requests {
      #expect(request.fault == nil)
      #expect(request.line == "POST /news/messages?api-version=2020-06")
      #expect(request["Content-Type"] == "application/json;charset=utf-8")
      #expect(request["ServiceBusNotification-Format"] == "template")
      #expect(request["ServiceBusNotification-Tags"] == "Sports")
      let token = try #require(request["Authorization"])
      #expect(token.hasPrefix("SharedAccessSignature sr=https%3a%2f%2f127.0.0.1%3a\(hub.port)%2fnews&sig="))
      #expect(request["Content-Length"] == "\(request.body.utf8.count)")
    }
  }

  @Test("In HTTP/2 a hub that takes leave or answers early costs no push and doubles none")
  func hardHTTP2() async throws {
    let folder = try Folder()
    let hub = try await ForeignHub("h2", ["goaway", "early", "goaway", "take", "goaway"], in: folder)
    defer { hub.process.signal(SIGKILL) }
    let feed = try GrowingFeed(category: "sports", itemsMax: 7)
    let worker = try hub.worker(reading: feed, caFile: hub.certificate)
    let headlines = (2...7).map { "sports \($0)" }
    try await hub.takes(headlines)
    let cause = await worker.value(of: "hub.paused") { record in record["cause"]?.string }
    #expect(cause == "quota")
    #expect(await worker.stop() == .exited(0))
    let requests = try hub.requests()
    #expect(requests.map(\.action).sorted() == ["early", "goaway", "goaway", "goaway", "take", "take", "take"])
    #expect(requests.filter { $0.action != "early" }.compactMap(\.headline).sorted() == headlines)
    #expect(try await AzureTests.outcomes(in: "\(folder.path)/tidings.db") == ["sent": 6])
  }

  @Test("A hub whose certificate nobody vouches for gets nothing, and the log says what to do")
  func untrusted() async throws {
    let folder = try Folder()
    let hub = try await ForeignHub("h2", in: folder)
    defer { hub.process.signal(SIGKILL) }
    let feed = try GrowingFeed(category: "sports", itemsMax: 4)
    let worker = try hub.worker(reading: feed, caFile: nil)
    let reason = await worker.value(of: "hub.paused") { record in record["reason"]?.string }
    #expect(reason?.hasPrefix("TLS with 127.0.0.1 failed: ") == true)
    #expect(reason?.contains("name the file with that authority's certificate in hub.caFile") == true)
    #expect(await worker.stop() == .exited(0))
    #expect(try hub.requests().isEmpty)
    // With its certificate named all that waited is sent.
    let second = try hub.worker(reading: feed, caFile: hub.certificate)
    try await hub.takes(["sports 2", "sports 3", "sports 4"])
    #expect(await second.stop() == .exited(0))
    #expect(try hub.requests().compactMap(\.headline).sorted() == ["sports 2", "sports 3", "sports 4"])
  }

  @Test("The same send by a client from PyPI has the same bytes but for what the contract leaves open")
  func otherClient() async throws {
    let folder = try Folder()
    let hub = try await ForeignHub("http/1.1", in: folder)
    defer { hub.process.signal(SIGKILL) }
    let feed = try GrowingFeed(category: "sports", itemsMax: 2)
    let worker = try hub.worker(reading: feed, caFile: hub.certificate)
    let ours = try await hub.request { _ in true }
    #expect(await worker.stop() == .exited(0))
    let client = try ChildProcess(
      try #require(ForeignHub.python),
      [
        "\(Program.root)/Tests/EndToEnd/azure_client.py", hub.connectionString, ours.body,
        try #require(ours["ServiceBusNotification-Tags"]),
      ],
      environment: ["REQUESTS_CA_BUNDLE": hub.certificate])
    try #require(await client.ending() == .exited(0), "\(client.lines(.errors))")
    let theirs = try #require(try hub.requests().last)
    #expect(try hub.requests().count == 2)

    // A slash at the path's end, and an older version.
    #expect(ours.line == "POST /news/messages?api-version=2020-06")
    #expect(theirs.line == "POST /news/messages/?api-version=2015-04")
    // What each says of itself and of the connection.
    let own = ["user-agent", "accept-encoding", "accept", "connection", "content-length"]
    func names(_ request: SeenRequest) -> [String] {
      request.fields.map { $0.name.lowercased() }.filter { !own.contains($0) }
    }
    #expect(Set(names(ours)) == Set(names(theirs)) && names(ours).count == names(theirs).count)
    for name in names(ours) where name != "authorization" && name != "content-type" {
      #expect(ours[name] == theirs[name], "\(name)")
    }
    #expect(ours["Content-Type"] == "application/json;charset=utf-8" && theirs["Content-Type"] == "application/json")
    // The token's parts in another order, and its life shorter: both are signed for the same hub by the same rule.
    #expect(ours.fault == nil && theirs.fault == nil)
    func token(_ request: SeenRequest) -> [String: String] {
      let pairs = (request["Authorization"] ?? "").split(separator: " ").last?.split(separator: "&") ?? []
      return Dictionary(
        pairs.map { pair in
          let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
          return (parts[0], parts[1])
        }, uniquingKeysWith: { first, _ in first })
    }
    #expect(Set(token(ours).keys) == ["sr", "sig", "se", "skn"] && Set(token(theirs).keys) == Set(token(ours).keys))
    #expect(token(ours)["sr"] == token(theirs)["sr"] && token(ours)["skn"] == token(theirs)["skn"])
    // Blanks and escapes in the JSON, and not what it says.
    #expect(try JSONValue(parsing: ours.body) == JSONValue(parsing: theirs.body))
  }
}
