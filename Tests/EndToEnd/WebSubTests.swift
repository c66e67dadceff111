import Curl
import JSON
import OpenSSL
import TestKit
import Testing

/// A hub that brings news at once, from outside: it asks, verifies and delivers over HTTP.
@Suite("WebSub")
struct WebSubTests {
  private static func rss(_ guids: String...) -> String {
    let items = guids.map { "<item><guid>\($0)</guid><title>Item \($0)</title></item>" }.joined()
    return "<rss version=\"2.0\"><channel><title>News</title>\(items)</channel></rss>"
  }

  @Test("What a feed's hub brings, signed, is pushed at once; what is forged is not", .timeLimit(.minutes(2)))
  func delivery() async throws {
    let folder = try Folder()
    let hub = try RawServer { _ in .status(202) }
    let publisher = try RawServer { _ in
      .ok(Self.rss("old"), ["Link": "<\(hub.url("/hub"))>; rel=hub, <https://news.example/feed>; rel=self"])
    }
    let configuration = try folder.write(
      """
      feeds:
        list: [{url: "\(publisher.url("/feed"))", category: World}]
        allowAddresses: [127.0.0.0/8]
      hub:
        accessRules:
          - {name: DefaultListenSharedAccessSignature, key: \(Worker.listenKey), rights: [Listen]}
          - {name: DefaultFullSharedAccessSignature, key: \(Worker.fullKey), rights: [Listen, Send, Manage]}
      store: {sqlite: "\(folder.path)/tidings.db"}
      server: {port: 0, operationsPort: 0, publicUrl: "https://push.example.org"}
      logging: {level: debug, format: json}
      """, to: "tidings.yaml")
    let worker = try Worker(configuration: configuration)
    let address = try await worker.address()
    let phone = Phone(handle: "phone-of-the-websub-tests", tags: ["World"], property: "News_English")
    try await phone.register(at: address)

    // The worker reads the feed, finds its hub, and asks.
    let asked = await worker.value(of: "websub.requested") { _ in true }
    #expect(asked == true)
    let form = try #require(hub.requests.first { $0.method == "POST" })
    let fields = try Self.fields(of: form.body)
    #expect(fields["hub.mode"] == "subscribe" && fields["hub.topic"] == "https://news.example/feed")
    let callback = try #require(fields["hub.callback"])
    #expect(callback.hasPrefix("https://push.example.org/api/websub/"))
    let local = address + callback.dropFirst("https://push.example.org".count)

    let client = HTTPClient()
    let query = "?hub.mode=subscribe&hub.topic=https://news.example/feed&hub.challenge=seven&hub.lease_seconds=864000"
    let verification = try await client.send(HTTPRequest("GET", try WebURL(local + query)))
    #expect(verification.status == 200 && String(decoding: verification.body, as: UTF8.self) == "seven")

    let secret = try #require(fields["hub.secret"])
    func deliver(_ guid: String, signedWith key: String) async throws -> Int {
      let body = Array(Self.rss(guid, "old").utf8)
      let code = KeyedDigest.sha256.authenticationCode(for: body, key: Array(key.utf8))
      return try await client.send(
        HTTPRequest(
          "POST", try WebURL(local),
          headers: ["Content-Type": "application/rss+xml", "X-Hub-Signature": "sha256=\(hexadecimal(code))"], body: body
        )
      ).status
    }
    #expect(try await deliver("forged", signedWith: "guess") / 100 == 2)
    #expect(try await deliver("new", signedWith: secret) / 100 == 2)
    #expect(try await deliver("newer", signedWith: secret) / 100 == 2)
    let bodies = try await phone.mailbox(at: address) { $0.count >= 2 }
    #expect(
      Set(bodies.compactMap { $0["message"]?.string }) == [
        "Breaking World News: Item new", "Breaking World News: Item newer",
      ])

    let list = try ChildProcess(Program.path, ["feeds", "list", "--config", configuration])
    #expect(await list.ending() == .exited(0), "\(list.lines(.errors))")
    let health = try JSONValue(parsing: list.lines().joined())
    #expect(health["hub"]?["state"] == "active" && health["hub"]?["lastDelivery"] != nil)
    #expect(health["hub"]?["url"]?.string == hub.url("/hub"))
    #expect(await worker.stop() == .exited(0))
    await client.shutdown()
  }

  /// The fields of a form (`application/x-www-form-urlencoded`).
  private static func fields(of body: [UInt8]) throws -> [String: String] {
    var fields: [String: String] = [:]
    for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      var bytes: [UInt8] = []
      var rest = Array(parts[1].utf8)[...]
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
          bytes.append(byte)
          continue
        }
        bytes.append(try #require(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)))
        rest = rest.dropFirst(2)
      }
      fields[String(parts[0])] = String(decoding: bytes, as: UTF8.self)
    }
    return fields
  }
}
