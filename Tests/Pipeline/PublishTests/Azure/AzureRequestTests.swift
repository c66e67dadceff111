import Curl
import Files
import JSON
import MicroHTTP
import Push
import Synchronization
import Telemetry
import TestKit
import Testing
import Time

@testable import Publish

@Suite("Azure: the request", .timeLimit(.minutes(1)))
struct AzureRequestTests {
  let clock = ManualClock()

  @Test("A send is the contract's request: path, headers in their order and spelling, and a flat body")
  func contract() async throws {
    let stub = try AzureStub()
    let receipt = try await stub.hub(clock: clock).send(AzureStub.notification)
    #expect(receipt.notificationID == "NH-20261130-1-07")
    let request = try #require(stub.server.requests.first)
    #expect(request.method == "POST")
    #expect(request.target == "/News/messages?api-version=2020-06")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"News_English":"Strong \"quake\"","News_French":"Fort séisme"}"#)
    let names = [
      "Authorization", "Content-Type", "ServiceBusNotification-Format", "ServiceBusNotification-Tags",
    ]
    #expect(request.headers.map(\.name).filter(names.contains) == names)
    #expect(request["Content-Type"] == "application/json;charset=utf-8")
    #expect(request["ServiceBusNotification-Format"] == "template")
    #expect(request["ServiceBusNotification-Tags"] == "World || Science")
    #expect(request["Host"] == "127.0.0.1:\(stub.server.port)")
    let resource = "http%3a%2f%2f127.0.0.1%3a\(stub.server.port)%2fnews"
    let expiry = clock.now.millisecondsSince1970 / 1000 + 1200
    let authorization = try #require(request["Authorization"])
    #expect(authorization.hasPrefix("SharedAccessSignature sr=\(resource)&sig="))
    #expect(authorization.hasSuffix("&se=\(expiry)&skn=Send%20Rule"))
  }

  @Test("Everyone is an audience without a tag header")
  func everyone() async throws {
    let stub = try AzureStub()
    let all = Push.Notification(
      id: AzureStub.notification.id, properties: AzureStub.notification.properties, audience: .everyone)
    _ = try await stub.hub(clock: clock).send(all)
    #expect(stub.server.requests[0]["ServiceBusNotification-Tags"] == nil)
  }

  @Test(
    "The signature is the one that Python's hmac makes of the same key and parts",
    .enabled(if: FileSystem.kind(of: python) == .file, "no Python: TIDINGS_PYTHON names one"))
  func independentSignature() async throws {
    let stub = try AzureStub()
    _ = try await stub.hub(clock: clock).send(AzureStub.notification)
    let script = """
      from base64 import b64encode
      from hmac import digest
      from sys import argv
      from urllib.parse import unquote
      scheme, _, rest = argv[1].partition(" ")
      parts = [pair.split("=", 1) for pair in rest.split("&")]
      assert scheme == "SharedAccessSignature" and [name for name, _ in parts] == ["sr", "sig", "se", "skn"]
      parts = dict(parts)
      signed = (parts["sr"] + "\\n" + parts["se"]).encode()
      made = b64encode(digest(argv[2].encode(), signed, "sha256")).decode()
      assert unquote(parts["sig"]) == made, made
      print(unquote(parts["sr"]))
      """
    let process = try ChildProcess(
      Self.python, ["-c", script, try #require(stub.server.requests.first?["Authorization"]), AzureStub.key])
    #expect(await process.ending() == .exited(0), "\(process.lines(.errors))")
    #expect(process.lines() == ["http://127.0.0.1:\(stub.server.port)/news"])
  }

  private static let python = ProcessEnvironment.variables["TIDINGS_PYTHON"] ?? "/usr/bin/python3"

  @Test(
    "A recorded client that signs for the hub has the same signature for the same end",
    .enabled(if: Corpora.arePresent, Corpora.absence))
  func recordedSignatures() throws {
    let recording = try Corpora.json("recordings/sas-vectors.json")
    let key = try #require(recording["key"]?.string)
    var compared = 0
    for vector in try #require(recording["vectors"]?.array) where vector["client"]?.string == "pypi-rest" {
      let recorded = try SharedAccessSignature(parsing: #require(vector["token"]?.string))
      let expiry = Timestamp(secondsSince1970: try #require(Int64(recorded.expiry)))
      let connection = try ConnectionString(
        parsing: "Endpoint=sb://127.0.0.1:18443/;SharedAccessKeyName=\(recorded.ruleName);SharedAccessKey=\(key)")
      let ours = SharedAccessSignature(
        for: "\(connection.endpoint)/MyHub", ruleName: connection.ruleName, key: connection.key,
        at: expiry - SharedAccessSignature.lifetime)
      #expect(ours.resource == recorded.resource)
      #expect(Self.signature(ours.authorization) == Self.signature(try #require(vector["token"]?.string)))
      compared += 1
    }
    #expect(compared > 0)
  }

  /// That client leaves the slashes of base64 as they are.
  private static func signature(_ authorization: String) -> String? {
    authorization.split { $0 == " " || $0 == "&" }.first { $0.hasPrefix("sig=") }
      .map { String($0).replacing("%2F", with: "/") }
  }

  @Test(
    "The same send by another SDK differs only in how it spells the path, the version and the token",
    .enabled(if: Corpora.arePresent, Corpora.absence))
  func anotherClient() async throws {
    let text = String(
      decoding: try Corpora.read("recordings/client-requests/pypi-rest/001-POST-_myhub_messages_.http"), as: UTF8.self)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    let stub = try AzureStub()
    let tags = try TagExpression(parsing: "fr || news")
    _ = try await stub.hub(clock: clock).send(
      Push.Notification(
        id: AzureStub.notification.id, properties: ["News_English": "Hello"], audience: .matching(tags)))
    let ours = stub.server.requests[0]
    #expect(lines[0] == "POST /myhub/messages/?api-version=2015-04 HTTP/1.1")
    for name in ["ServiceBusNotification-Format", "ServiceBusNotification-Tags"] {
      #expect(lines.first { $0.hasPrefix("\(name): ") } == "\(name): \(try #require(ours[name]))")
    }
    #expect(lines.contains("Content-type: application/json"))
    #expect(try JSONValue(parsing: Array((lines.last ?? "").utf8)) == JSONValue(parsing: ours.body))
  }

  @Test("A token is used for eighteen of its twenty minutes, and not after a clock was set back")
  func renewal() async throws {
    let stub = try AzureStub()
    let hub = try stub.hub(clock: clock)
    for step in [.zero, .seconds(18 * 60) - .milliseconds(1), .milliseconds(1)] as [Duration] {
      clock.advance(by: step)
      _ = try await hub.send(AzureStub.notification)
    }
    clock.advance(by: .zero - .seconds(3600))
    _ = try await hub.send(AzureStub.notification)
    let tokens = stub.server.requests.map { $0["Authorization"] }
    #expect(tokens[0] == tokens[1])
    #expect(tokens[1] != tokens[2])
    #expect(tokens[2] != tokens[3])
  }

  @Test("A token that was refused is not used again")
  func refusedToken() async throws {
    let stub = try AzureStub(answers: [.status(401)])
    let hub = try stub.hub(clock: clock)
    for _ in 0..<2 {
      _ = await outcome(of: hub)
      clock.advance(by: .seconds(1))
    }
    #expect(Set(stub.server.requests.map { $0["Authorization"] }).count == 2)
  }

  @Test("Over TLS the hub's certificate has to be signed by whom the operator trusts")
  func tls() async throws {
    let seen = Mutex<[Request]>([])
    let server = try HTTPServer(
      tls: .init(certificate: LoopbackCertificate.certificate, key: LoopbackCertificate.key)
    ) { request in
      seen.withLock { $0.append(request) }
      return Response(status: 201, headers: ["Location": "/news/messages/NH-1"])
    }
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    try FileSystem.write(Array(LoopbackCertificate.certificate.utf8), to: "\(directory)/ca.pem")
    let text = "endpoint=sb://LOCALHOST:\(server.port)/;sharedAccessKey=\(AzureStub.key);sharedAccessKeyName=full"
    func hub(_ options: HTTPClient.Options) throws -> AzureHub {
      AzureHub(
        try AzureConnection(
          ConnectionString(parsing: text), hub: "news", client: HTTPClient(options), clock: clock,
          logger: .silent),
        clock: clock)
    }
    #expect(await outcome(of: try hub(HTTPClient.Options())).kind == "closed unreachable")
    #expect(seen.withLock { $0.isEmpty })
    #expect(await outcome(of: try hub(HTTPClient.Options(caFile: "\(directory)/ca.pem"))).kind == "sent NH-1")
    let authorization = seen.withLock { $0.first?.headers["Authorization"] }
    #expect(authorization?.contains("sr=https%3a%2f%2flocalhost%3a\(server.port)%2fnews&") == true)
    await server.stop(within: .seconds(1))
  }
}
