import Curl
import Push
import Telemetry
import TestKit
import Testing
import Time

@testable import Publish

@Suite("Azure: the answer", .timeLimit(.minutes(1)))
struct AzureAnswerTests {
  let clock = ManualClock(Timestamp(rfc3339: "2026-11-30T12:00:00Z")!)

  struct Case: Sendable, CustomTestStringConvertible {
    let status: Int
    var headers: [String: String] = [:]
    var body = ""
    let kind: String
    let words: String

    var testDescription: String { "\(status) \(headers) \(body)" }
  }

  static let cases: [Case] = [
    Case(status: 201, headers: ["Location": "/news/messages/NH-1?api-version=2020-06"], kind: "sent NH-1", words: ""),
    Case(status: 201, headers: ["TrackingId": "t-1"], kind: "sent t-1", words: ""),
    Case(status: 201, kind: "sent NH-20261130120000000-00000000000000000000000000000000-01", words: ""),
    Case(status: 200, headers: ["Location": "https://x/news/messages/NH-2"], kind: "sent NH-2", words: ""),
    Case(
      status: 200, body: "<html>Log in to the hotel's network</html>", kind: "unknown",
      words: "answered 200, as no hub does: check Endpoint"),
    Case(status: 302, headers: ["Location": "/login"], kind: "closed access", words: "Endpoint in the connection"),
    Case(
      status: 400,
      body: "<Error><Code>400</Code><Detail>The supplied notification payload is invalid.</Detail></Error>",
      kind: "refused", words: "(The supplied notification payload is invalid.)"),
    Case(
      status: 400,
      body: "<Error><Code>400</Code><Detail>The notification has no target applications. The notification format is "
        + "template.</Detail></Error>",
      kind: "closed access", words: "has credentials for no platform: add them there"),
    Case(
      status: 401,
      body: "<Error><Code>401</Code><Detail>InvalidSignature: The token has an invalid signature..TrackingId:1"
        + "</Detail></Error>",
      kind: "closed access", words: "the key of Send Rule is not valid: compare SharedAccessKeyName and"),
    Case(
      status: 401, headers: ["Date": "Mon, 30 Nov 2026 12:17:00 GMT"], kind: "closed access",
      words: "this machine's clock is 17 min behind the hub's; set it"),
    Case(
      status: 401, headers: ["Date": "Mon, 30 Nov 2026 10:30:00 GMT"], kind: "closed access",
      words: "this machine's clock is 1 h 30 min ahead of the hub's; set it"),
    Case(status: 403, kind: "closed access", words: "Send Rule may not send: give it the right Send"),
    Case(status: 403, headers: ["Retry-After": "90"], kind: "closed quota 90", words: "its quota is used up"),
    Case(
      status: 403, body: "<Error><Detail>This operation is not available for your tier</Detail></Error>",
      kind: "closed access", words: "its tier does not allow it"),
    Case(
      status: 403, body: "<Error><Detail>The message is too large.</Detail></Error>", kind: "refused",
      words: "too large"),
    Case(
      status: 404, body: "<Error><Detail>No service is hosted at the specified address.</Detail></Error>",
      kind: "closed access", words: "there is no hub News at 127.0.0.1: check hub.name"),
    Case(status: 408, kind: "retry 0", words: "came too slowly"),
    Case(status: 413, kind: "refused", words: "bytes are too many: 64 KiB"),
    Case(status: 429, headers: ["Retry-After": "7"], kind: "closed quota 7", words: "left alone for 7 s"),
    Case(
      status: 429, headers: ["Retry-After": "Mon, 30 Nov 2026 12:00:20 GMT"], kind: "closed quota 20",
      words: "too much is sent"),
    Case(
      status: 429,
      headers: ["Retry-After": "Monday, 30-Nov-26 11:00:20 GMT", "Date": "Mon, 30 Nov 2026 11:00:00 GMT"],
      kind: "closed quota 20", words: ""),
    Case(status: 429, kind: "closed quota 10", words: ""),
    Case(status: 429, headers: ["Retry-After": "soon"], kind: "closed quota 10", words: ""),
    Case(status: 429, headers: ["Retry-After": "0"], kind: "closed quota 1", words: ""),
    Case(status: 429, headers: ["Retry-After": "99999999999999999999"], kind: "closed quota 3600", words: ""),
    Case(
      status: 503, headers: ["Retry-After": "Sun, 29 Nov 2026 12:00:20 GMT"], kind: "closed quota 1", words: "is busy"),
    Case(status: 503, kind: "closed quota 10", words: ""),
    Case(status: 500, kind: "retry 0", words: "answered 500, that it failed"),
    Case(status: 500, headers: ["Retry-After": "5"], kind: "retry 5", words: ""),
    Case(status: 502, kind: "unknown", words: "for a hub that did not answer it"),
    Case(status: 504, kind: "unknown", words: "for a hub that did not answer it"),
    Case(status: 418, body: "short\nand\tstout", kind: "refused", words: "(short and stout)"),
  ]

  @Test("Every answer says what to do about it", arguments: cases)
  func judges(_ answer: Case) async throws {
    let stub = try AzureStub(answers: [.status(answer.status, answer.headers, body: Array(answer.body.utf8))])
    let result = await outcome(of: try stub.hub(clock: clock))
    #expect(result.kind == answer.kind)
    #expect(result.why.contains(answer.words), "\(result.why)")
    #expect(!result.why.contains(AzureStub.key) && !result.why.contains("sig="))
  }

  @Test("A detail that repeats the token, or goes on and on, is not passed on")
  func details() async throws {
    let leaking = try AzureStub(answers: [.status(400, body: Array("token sr=x&sig=abc is bad".utf8))])
    #expect(await outcome(of: try leaking.hub(clock: clock)).why.contains("abc") == false)
    let long = try AzureStub(answers: [.status(400, body: Array(String(repeating: "é", count: 20_000).utf8))])
    #expect(await outcome(of: try long.hub(clock: clock)).why.count < 400)
  }

  @Test(
    "What was sent and not answered may have been taken",
    arguments: [
      ("nothing", [.hold]), ("an end", [.close]), ("a reset", [.reset]),
      ("half a head", [.send(Array("HTTP/1.1 201 Crea".utf8)), .close]),
      ("no HTTP", [.send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)), .close]),
    ] as [(String, RawServer.Answer)])
  func lostAnswers(name: String, answer: RawServer.Answer) async throws {
    let stub = try AzureStub(answers: [answer])
    let result = await outcome(of: try stub.hub(timeouts: HTTPTimeouts(idle: .milliseconds(300))))
    #expect(result.kind == "unknown", "\(name): \(result)")
    #expect(result.why.hasPrefix("the request was sent and "))
    #expect(stub.server.requests.count == 1)
  }

  @Test("What never left may be sent again: there is no host, no listener, or no TLS")
  func neverLeft() async throws {
    let server = try RawServer(answers: [[.close]])
    let gone = try RawServer(answers: [[.close]])
    let port = gone.port
    gone.stop()
    await gone.waitUntilLeft()
    for endpoint in ["sb://tidings.invalid/", "http://127.0.0.1:\(port)/", "sb://127.0.0.1:\(server.port)/"] {
      let connection = try ConnectionString(
        parsing: "Endpoint=\(endpoint);SharedAccessKeyName=a;SharedAccessKey=b")
      let hub = AzureHub(
        try AzureConnection(connection, hub: "news", client: HTTPClient(), clock: clock, logger: .silent),
        clock: clock)
      #expect(await outcome(of: hub).kind == "closed unreachable", "\(endpoint)")
    }
  }

  @Test("A request that finds its kept connection broken is not sent a second time")
  func brokenConnection() async throws {
    let stub = try AzureStub { request in request.number == 1 ? [.reset] : AzureStub.created }
    let hub = try stub.hub(clock: clock)
    #expect(await outcome(of: hub).kind.hasPrefix("sent"))
    #expect(await outcome(of: hub).kind == "unknown")
    #expect(stub.server.requests.count == 2)
  }

  @Test("A request that is under way when the worker stops is seen to its end")
  func cancelled() async throws {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let stub = try AzureStub { _ in
      arrived.yield()
      return [.drip(Array("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n".utf8), every: .milliseconds(5))]
    }
    let hub = try stub.hub(clock: clock)
    let sending = Task { await outcome(of: hub) }
    for await _ in arrivals { break }
    sending.cancel()
    #expect(await sending.value.kind.hasPrefix("sent"))
  }
}
