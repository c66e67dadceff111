import Curl
import Telemetry
import TestKit
import Testing
import Time
import Zlib

@testable import Ingest

@Suite struct FeedFetcherTests {
  static let feed = "<rss version=\"2.0\"><channel><title>News</title></channel></rss>"
  /// No passing test waits for these.
  static let patience = HTTPTimeouts(total: .seconds(20), connect: .seconds(10), idle: .seconds(10))

  /// Fetches with a guard that opens 127.0.0.1, where the fixture servers are, and nothing else.
  private func fetch(
    _ server: RawServer, _ path: String = "/feed", validators: FeedValidators = FeedValidators(),
    headers: [FeedHeader] = [], timeouts: HTTPTimeouts = patience, limits: HTTPLimits = HTTPLimits()
  ) async throws -> Fetch {
    let client = HTTPClient(.init(guarded: AddressGuard(allowing: [try AddressBlock("127.0.0.1")])))
    let options = FeedFetcher.Options(
      userAgent: "Tidings/test (+mailto:desk@example.org)", timeouts: timeouts, limits: limits)
    let fetcher = FeedFetcher(client: client, options: options, clock: ManualClock())
    let fetch = try await fetcher.fetch(try WebURL(server.url(path)), validators: validators, headers: headers)
    await client.shutdown()
    return fetch
  }

  private func document(_ fetch: Fetch) throws -> FetchedDocument {
    guard case .document(let document, _) = try fetch.result.get() else { throw Unexpected(fetch: fetch) }
    return document
  }

  private func failure(_ fetch: Fetch) throws -> FetchError {
    guard case .failure(let error) = fetch.result else { throw Unexpected(fetch: fetch) }
    return error
  }

  struct Unexpected: Error { let fetch: Fetch }

  @Test("A document comes with its type and validators, and the request says who asks")
  func document() async throws {
    let server = try RawServer(answers: [
      .ok(Self.feed, ["ETag": "W/\"a\"", "Last-Modified": "yesterday", "Content-Type": "text/xml; charset=koi8-r"])
    ])
    let fetch = try await fetch(server)
    let document = try document(fetch)
    #expect(document.bytes == Array(Self.feed.utf8))
    #expect(document.contentType == "text/xml; charset=koi8-r")
    #expect(document.validators.entityTag == "W/\"a\"" && document.validators.lastModified == "yesterday")
    #expect(document.validators.contentHash?.count == 64)
    #expect(fetch.status == 200 && fetch.hops.count == 1 && fetch.movedTo == nil)
    let asked = try #require(server.requests.first)
    #expect(asked["User-Agent"] == "Tidings/test (+mailto:desk@example.org)")
    #expect(asked["Accept"]?.contains("application/rss+xml") == true)
    #expect(asked["If-None-Match"] == nil && asked["If-Modified-Since"] == nil)
  }

  @Test(
    "Validators go back byte for byte, and 304 is no document",
    arguments: ["\"abc\"", "W/\"abc\"", "unquoted", "\"a,b\"", "W/\"caf\u{E9}\"", "\"\""])
  func conditional(tag: String) async throws {
    let server = try RawServer(answers: [.status(304)])
    let validators = FeedValidators(entityTag: tag, lastModified: "Mon, 30 Nov 2026  12:00:00 GMT")
    let fetch = try await fetch(server, validators: validators)
    guard case .unchanged(let known, _) = try fetch.result.get() else { throw Unexpected(fetch: fetch) }
    #expect(known == validators)
    #expect(server.requests.first?["If-Modified-Since"] == "Mon, 30 Nov 2026  12:00:00 GMT")
    let sent = try #require(server.requests.first?["If-None-Match"])
    // The server reads UTF-8, which a lone byte above 127 is not.
    #expect(sent == String(decoding: tag.unicodeScalars.map { UInt8($0.value) }, as: UTF8.self))
  }

  @Test("A 304 may renew the validators; one that nobody asked for is an error")
  func renewed() async throws {
    let server = try RawServer(answers: [.status(304, ["ETag": "\"new\""])])
    let fetch = try await fetch(server, validators: FeedValidators(entityTag: "\"old\"", lastModified: "then"))
    guard case .unchanged(let known, _) = try fetch.result.get() else { throw Unexpected(fetch: fetch) }
    #expect(known == FeedValidators(entityTag: "\"new\"", lastModified: "then"))
    #expect(
      try failure(await self.fetch(server, validators: FeedValidators(contentHash: "00"))) == .refused(status: 304))
  }

  @Test("The same body again is unchanged, whatever the validators say")
  func sameBody() async throws {
    let server = try RawServer { .ok(Self.feed, ["ETag": "\"\($0.number)\""]) }
    let first = try document(await fetch(server)).validators
    let second = try await fetch(server, validators: first)
    guard case .unchanged(let known, _) = try second.result.get() else { throw Unexpected(fetch: second) }
    #expect(known.entityTag == "\"1\"" || known.entityTag == "\"0\"")
    #expect(known.contentHash == first.contentHash)
  }

  @Test("Redirects are followed, and only an unbroken run of permanent ones from the start is a move")
  func redirects() async throws {
    let server = try RawServer { request in
      switch request.target {
      case "/old": .status(301, ["Location": "/older"])
      case "/older": .status(308, ["Location": "http://127.0.0.1:\(request["Host"]!.split(separator: ":")[1])/now"])
      case "/now": .status(302, ["Location": "today?x=a b"])
      case "/today?x=a%20b": .status(301, ["Location": "/feed"])
      default: .ok(Self.feed)
      }
    }
    let fetch = try await fetch(server, "/old")
    _ = try document(fetch)
    #expect(fetch.hops.map(\.status) == [301, 308, 302, 301, 200])
    #expect(fetch.movedTo?.path == "/now")
    #expect(fetch.finalURL.path == "/feed")
    #expect(try await self.fetch(server, "/now").movedTo == nil)
  }

  @Test("A move to what does not answer is none")
  func movedNowhere() async throws {
    let server = try RawServer { $0.target == "/old" ? .status(301, ["Location": "/none"]) : .status(404) }
    let fetch = try await fetch(server, "/old")
    #expect(fetch.movedTo == nil && fetch.status == 404)
  }

  @Test("Five redirects are followed, a sixth is not")
  func loop() async throws {
    let server = try RawServer { request in
      let step = Int(request.target.dropFirst()) ?? 0
      return step == 0 ? .ok(Self.feed) : .status(302, ["Location": "/\(step - 1)"])
    }
    #expect(try await fetch(server, "/5").status == 200)
    #expect(try failure(await fetch(server, "/6")) == .tooManyRedirects(5))
    let endless = try RawServer(answers: [.status(301, ["Location": "/again"])])
    #expect(try failure(await fetch(endless)) == .tooManyRedirects(5))
    #expect(endless.requests.count == 6)
  }

  @Test(
    "A redirect into a private network is refused at connect",
    arguments: [
      "http://169.254.169.254/latest/meta-data", "http://[::1]:9/", "http://[::ffff:10.0.0.1]/", "http://167772161/",
      "http://0x0a.1/", "http://[64:ff9b::a9fe:a9fe]/", "http://[2002:a00:1::]/", "http://[fc00::1]/",
      "http://127.0.0.2/",
      "https://10.0.0.1/", "//192.168.1.1/feed", "http://0/",
    ])
  func privateNetworks(location: String) async throws {
    let server = try RawServer(answers: [.status(302, ["Location": location])])
    let fetch = try await fetch(server)
    guard case .unreachable(.refusedAddress(let refusal, _)) = try failure(fetch) else {
      throw Unexpected(fetch: fetch)
    }
    #expect(try failure(fetch).description.contains("\(refusal.address)"))
    #expect(fetch.hops.map(\.status) == [302, nil])
  }

  @Test(
    "A redirect to anything but the web is refused",
    arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://x/", "data:,x"])
  func otherSchemes(location: String) async throws {
    let server = try RawServer(answers: [.status(302, ["Location": location])])
    guard case .badRedirect = try failure(await fetch(server)) else {
      Issue.record("\(location) was not refused")
      return
    }
  }

  @Test("The operator's headers go to the feed's origin only")
  func headers() async throws {
    let other = try RawServer(answers: [.ok(Self.feed)])
    let server = try RawServer { request in
      request.target == "/feed"
        ? .status(302, ["Location": "/same"]) : .status(302, ["Location": "http://127.0.0.1:\(other.port)/"])
    }
    let secret = Secret("Bearer hunter2")
    let own = [
      FeedHeader(name: "Authorization", value: secret), FeedHeader(name: "user-agent", value: Secret("Own/1")),
    ]
    let fetch = try await fetch(server, headers: own)
    #expect(fetch.status == 200)
    #expect(server.requests.map { $0["Authorization"] } == ["Bearer hunter2", "Bearer hunter2"])
    #expect(server.requests.map { $0["User-Agent"] } == ["Own/1", "Own/1"])
    #expect(other.requests.first?["Authorization"] == nil)
    #expect(other.requests.first?["User-Agent"] == "Tidings/test (+mailto:desk@example.org)")
    #expect(!"\(fetch) \(own)".contains("hunter2"))
  }

  @Test(
    "Other answers say what to do",
    arguments: [
      (401, "login"), (403, "userAgent"), (404, "new one"), (410, "unsubscribe"), (500, "fault of its own"),
      (300, "where to"),
      (301, "where to"), (418, "refuses"),
    ])
  func statuses(status: Int, words: String) async throws {
    let server = try RawServer(answers: [.status(status, body: Array(Self.feed.utf8))])
    let error = try failure(await fetch(server))
    #expect(error.description.contains("\(status)") && error.description.contains(words))
    #expect((error == .gone) == (status == 410))
  }

  @Test(
    "Retry-After is understood in both forms",
    arguments: [
      ("120", 120), (" 7 ", 7), ("999999", 999_999), ("0", 0), ("99999999999999999999", 9_999_999_999),
      ("Mon, 30 Nov 2026 12:10:00 GMT", 600), ("Monday, 30-Nov-26 12:10:00 GMT", 600),
      ("Mon Nov 30 12:10:00 2026", 600),
      ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
    ])
  func retryAfter(value: String, seconds: Int64) async throws {
    for (status, date) in [(429, nil), (503, "Mon, 30 Nov 2026 12:00:00 GMT")] as [(Int, String?)] {
      var headers = ["Retry-After": value]
      headers["Date"] = date
      let server = try RawServer(answers: [.status(status, headers)])
      #expect(try failure(await fetch(server)) == .throttled(status: status, retryAfter: .seconds(seconds)))
    }
  }

  @Test("A Retry-After that is neither, or none, leaves the wait open", arguments: ["soon", "", "-5", "1.5", nil])
  func noRetryAfter(value: String?) async throws {
    let server = try RawServer(answers: [.status(429, value.map { ["Retry-After": $0] } ?? [:])])
    #expect(try failure(await fetch(server)) == .throttled(status: 429, retryAfter: nil))
  }

  @Test(
    "A server's date in a zone of its own clock does not matter",
    arguments: [("Mon, 30 Nov 2026 15:02:00 GMT", "Mon, 30 Nov 2026 15:00:00 GMT", 120)])
  func skewedClock(until: String, date: String, seconds: Int64) async throws {
    let server = try RawServer(answers: [.status(503, ["Retry-After": until, "Date": date])])
    #expect(try failure(await fetch(server)) == .throttled(status: 503, retryAfter: .seconds(seconds)))
  }

  @Test("What caches may keep it for is told")
  func freshness() async throws {
    let server = try RawServer(answers: [.ok(Self.feed, ["Cache-Control": "public, max-age=300", "Age": "100"])])
    guard case .document(_, let freshFor) = try await fetch(server).result.get() else { return }
    #expect(freshFor == PublisherHint(source: "Cache-Control", wait: .seconds(200)))
  }

  @Test("An empty body is an error, packed or not")
  func empty() async throws {
    #expect(try failure(await fetch(RawServer(answers: [.status(200)]))) == .empty)
    #expect(try failure(await fetch(RawServer(answers: [.status(204)]))) == .empty)
    let packed = Compression.gzip.compress([])
    let server = try RawServer(answers: [.status(200, ["Content-Encoding": "gzip"], body: packed)])
    #expect(try failure(await fetch(server)) == .empty)
  }

  @Test("A gzip body that ends in the middle is an error, never half a document")
  func truncatedGzip() async throws {
    let packed = Compression.gzip.compress(Array(String(repeating: Self.feed, count: 100).utf8))
    let body = Array(packed.dropLast(20))
    let server = try RawServer(answers: [.status(200, ["Content-Encoding": "gzip"], body: body)])
    #expect(try failure(await fetch(server)) == .unreachable(.truncated(bytesReceived: body.count)))
  }

  @Test("50 MB in one element are given up at the limit, plain or as a bomb")
  func huge() async throws {
    let limits = HTTPLimits(bodyBytesMax: 1 << 20)
    let flood = try RawServer(answers: [.head("HTTP/1.1 200 OK", then: .flood([UInt8](repeating: 65, count: 8192)))])
    #expect(try failure(await fetch(flood, limits: limits)) == .unreachable(.tooLarge(.body, bytesMax: 1 << 20)))
    let bomb = Compression.gzip.compress([UInt8](repeating: 65, count: 50 << 20))
    let server = try RawServer(answers: [.status(200, ["Content-Encoding": "gzip"], body: bomb)])
    #expect(
      try failure(await fetch(server, limits: limits)) == .unreachable(.tooLarge(.decompressedBody, bytesMax: 1 << 20)))
  }

  @Test("An endless slow body is given up at the time limit")
  func slow() async throws {
    let drip = [UInt8](repeating: 32, count: 100_000)
    let server = try RawServer(answers: [.head("HTTP/1.1 200 OK", then: .drip(drip, every: .milliseconds(5)))])
    let fetch = try await fetch(server, timeouts: HTTPTimeouts(total: .milliseconds(200)))
    #expect(try failure(fetch) == .unreachable(.timedOut(.total, after: .milliseconds(200))))
  }

  @Test("A cancelled fetch is no failure of the feed")
  func cancelled() async throws {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let server = try RawServer { _ in
      arrived.yield()
      return [.hold]
    }
    let task = Task { try await fetch(server) }
    for await _ in arrivals { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

@Suite struct CacheFreshnessTests {
  @Test(
    "Freshness is what RFC 9111 says",
    arguments: [
      (["Cache-Control": "max-age=60"], 60), (["Cache-Control": "Public, Max-Age=\"60\""], 60),
      (["Cache-Control": "max-age=0"], nil), (["Cache-Control": "no-cache, max-age=60"], nil),
      (["Cache-Control": "no-store"], nil), (["Cache-Control": "max-age=abc"], nil), ([:], nil),
      (
        [
          "Cache-Control": "max-age=60", "Expires": "Mon, 30 Nov 2026 13:00:00 GMT",
          "Date": "Mon, 30 Nov 2026 12:00:00 GMT",
        ], 60
      ),
      (["Expires": "Mon, 30 Nov 2026 13:00:00 GMT", "Date": "Mon, 30 Nov 2026 12:00:00 GMT"], 3600),
      (["Expires": "0", "Date": "Mon, 30 Nov 2026 12:00:00 GMT"], nil),
      (["Expires": "Mon, 30 Nov 2026 13:00:00 GMT"], nil),
      (["Cache-Control": "max-age=60", "Age": "90"], nil),
    ] as [([String: String], Int?)])
  func lifetimes(fields: [String: String], seconds: Int?) {
    var headers = HTTPHeaders()
    for (name, value) in fields { headers.append(name, value) }
    #expect(CacheFreshness.lifetime(headers)?.wait == seconds.map { .seconds($0) })
  }
}
