import API
import BuiltInHub
import Files
import JSON
import OpenSSL
import Push
import Telemetry
import TestKit
import Testing
import Time

@Suite struct PageRoutesTests {
  private static let html = "<!doctype html><style>a{}</style><script>let a = 1</script><p>Hello"
  private let id = "web-0123456789abcdefghijkl"

  private func token(
    _ served: ServedHub, _ id: String, type: String = "application/json", _ headers: [String] = []
  ) async throws -> RawClient.Answer {
    try await served.ask(
      "POST", "/api/listen-token", ["Content-Type: \(type)"] + headers, body: #"{"installationId":"\#(id)"}"#)
  }

  @Test("The page comes with a policy that lets run only what stands in it")
  func page() async throws {
    try await ServedHub.run(pageHTML: Self.html) { served async throws in
      let answer = try await served.ask("GET", "/")
      #expect(answer.status == 200)
      #expect(answer.body == Self.html)
      #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
      let policy = try #require(answer.header("Content-Security-Policy"))
      #expect(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"))
      #expect(policy.contains("script-src 'sha256-\(Base64.standard.encode(SHA256.digest(of: "let a = 1")))'"))
      #expect(policy.contains("style-src 'sha256-\(Base64.standard.encode(SHA256.digest(of: "a{}")))'"))
      #expect(!policy.contains("unsafe"))
      let tag = try #require(answer.header("ETag"))
      #expect(try await served.ask("GET", "/", ["If-None-Match: \(tag)"]).status == 304)
      #expect(try await served.ask("HEAD", "/").header("Content-Length") == "\(Self.html.utf8.count)")
    }
  }

  @Test("Without the page there is nothing of it")
  func absent() async throws {
    try await ServedHub.run { served async throws in
      #expect(try await served.ask("GET", "/").status == 404)
      #expect(try await token(served, id).status == 404)
    }
  }

  @Test("The page learns the hub's name, the categories and their names in each language")
  func settings() async throws {
    try await ServedHub.run(pageHTML: Self.html) { served async throws in
      let json = try JSONValue(parsing: try await served.ask("GET", "/api/page").body)
      #expect(json["hub"] == "news")
      #expect(json["categories"] == ["World", "Sports"])
      #expect(json["locales"]?[0]?["property"] == "News_French")
      #expect(json["locales"]?[0]?["categories"]?["World"] == "Monde")
    }
  }

  @Test("A token opens the one installation it was asked for, to listen and for twenty minutes")
  func tokenScope() async throws {
    try await ServedHub.run(pageHTML: Self.html) { served async throws in
      let answer = try await token(served, id)
      #expect(answer.status == 200)
      #expect(answer.header("Cache-Control") == "no-store")
      let json = try JSONValue(parsing: answer.body)
      let authorization = try #require(json["token"]?.string)
      #expect(!answer.body.contains("listen-key"))
      let expires = try #require(json["expires"]?.string.flatMap { Timestamp(rfc3339: $0) })
      #expect(SystemClock().now.distance(to: expires) <= .seconds(1200))
      let body = #"{"platform":"sse","pushChannel":"a-handle-of-22-characters-or-more"}"#
      let own = try await served.ask("PUT", "/news/installations/\(id)", token: authorization, body: body)
      #expect(own.status == 200)
      let others = try await served.ask("PUT", "/news/installations/\(id)x", token: authorization, body: body)
      #expect(others.status == 401)
      let send = try await served.ask(
        "POST", "/news/messages", token: authorization, ["ServiceBusNotification-Format: template"], body: "{}")
      #expect(send.status == 401)
      let reserved = #"{"platform":"sse","pushChannel":"a-handle-of-22-characters-or-more","tags":["username:a"]}"#
      #expect(
        try await served.ask("PUT", "/news/installations/\(id)", token: authorization, body: reserved).status == 403)
    }
  }

  @Test(
    "A token for anything but an installation of the page is refused",
    arguments: ["device-1", "web-short", "web-0123456789abcdefghij/..", "web-0123456789abcdefghijk%", ""])
  func foreign(id: String) async throws {
    try await ServedHub.run(pageHTML: Self.html) { served async throws in
      #expect(try await token(served, id).status == 400)
    }
  }

  @Test("A form on another site cannot ask for a token")
  func forms() async throws {
    try await ServedHub.run(pageHTML: Self.html) { served async throws in
      #expect(try await token(served, id, type: "text/plain").status == 415)
      let preflight = try await served.ask("OPTIONS", "/api/listen-token", ["Origin: https://evil.example"])
      #expect(preflight.header("Access-Control-Allow-Origin") == nil)
    }
  }

  @Test("Each client gets a few tokens a minute; behind a trusted proxy clients are told apart")
  func rates() async throws {
    try await ServedHub.run(pageHTML: Self.html, proxies: .init { $0 == "127.0.0.1" }, pageClock: ManualClock()) {
      served async throws in
      for _ in 0..<20 { #expect(try await token(served, id).status == 200) }
      let refused = try await token(served, id)
      #expect(refused.status == 429)
      #expect((1...3).contains(Int(refused.header("Retry-After") ?? "") ?? 0))
      #expect(refused.header("Content-Type") == "application/problem+json")
      let other = try await token(served, id, ["X-Forwarded-For: 192.0.2.1, 203.0.113.9, 127.0.0.1"])
      #expect(other.status == 200)
    }
  }

  @Test("Clients of one IPv6 network count as one, however many addresses they use")
  func networks() async throws {
    try await ServedHub.run(pageHTML: Self.html, proxies: .init { $0 == "127.0.0.1" }, pageClock: ManualClock()) {
      served async throws in
      for host in 1...20 {
        #expect(try await token(served, id, ["X-Forwarded-For: 2001:db8::1:\(host)"]).status == 200)
      }
      #expect(try await token(served, id, ["X-Forwarded-For: 2001:db8:0:0:9:9:9:9"]).status == 429)
      #expect(try await token(served, id, ["X-Forwarded-For: 2001:db8:0:1::1"]).status == 200)
    }
  }

  @Test("Without a rule that may only listen there can be no page")
  func noRule() {
    let hub = LocalHub(name: "news", store: MemoryHubStore(), logger: .silent, metrics: MetricRegistry())
    #expect(throws: PageRoutes.Fault.self) {
      _ = try PageRoutes(
        html: [], hub: hub, categories: [], locales: [],
        accessRules: [AccessRule(name: "Full", keys: [Secret("k")], rights: [.manage])])
    }
  }

  @Test("The page that ships holds all of its parts, and asks nobody else for any")
  func shipped() throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let page = try FileSystem.read("/\(root)/config/page/index.html", bytesMax: 1 << 20)
    let html = String(decoding: page, as: UTF8.self)
    #expect(html.contains("<script>") && html.contains("<style>"))
    for forbidden in [
      "src=\"http", "href=\"http", "@import", "innerHTML", "insertAdjacentHTML", " style=\"", " onclick=",
    ] {
      #expect(!html.contains(forbidden), "\(forbidden)")
    }
  }
}
