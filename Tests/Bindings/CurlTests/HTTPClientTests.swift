import Brotli
import Curl
import TestKit
import Testing
import Zlib

/// How long a failing test may hang before it fails; no passing test waits for it.
let patience = HTTPTimeouts(total: .seconds(20), connect: .seconds(10), idle: .seconds(10))

func request(_ server: RawServer, _ path: String = "/", _ method: String = "GET") throws -> HTTPRequest {
  HTTPRequest(method, try WebURL(server.url(path)), timeouts: patience)
}

@Suite struct HTTPClientTests {
  @Test("A request arrives as it was put, and its answer comes back whole")
  func exchange() async throws {
    let server = try RawServer(answers: [.status(207, ["X-Two": "b", "ETag": "W/\"é\""], body: [0, 255, 13, 10])])
    let client = HTTPClient()
    var request = try request(server, "/a%20b/../c?q=1&r=%C3%A4#here", "PATCH")
    request.headers = ["X-One": "1", "X-Empty": "", "x-one": "again"]
    request.body = Array("body\r\n\0".utf8)
    let response = try await client.send(request)
    #expect(response.status == 207)
    #expect(response.body == [0, 255, 13, 10])
    #expect(response.headers["etag"] == "W/\"é\"" && response.headers["X-TWO"] == "b")
    #expect(response.head.peer == IPAddress("127.0.0.1"))
    #expect(response.head.version == "1.1")
    #expect(response.timings.total > .zero)

    let asked = try #require(server.requests.first)
    #expect(asked.method == "PATCH" && asked.target == "/c?q=1&r=%C3%A4")
    #expect(asked.body == Array("body\r\n\0".utf8))
    let own = asked.headers.filter { $0.name.lowercased().hasPrefix("x-") }.map { "\($0.name)=\($0.value)" }
    #expect(own == ["X-One=1", "X-Empty=", "x-one=again"])
    #expect(asked["Content-Type"] == nil && asked["Expect"] == nil && asked["User-Agent"] == nil)
    #expect(asked["Accept-Encoding"] == "gzip, deflate, br")
    await client.shutdown()
  }

  @Test("A validator goes back as the bytes it came as")
  func exactBytes() async throws {
    let tag: [UInt8] = Array("W/\"caf".utf8) + [0xE9, 0x22]
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag:  ".utf8) + tag + Array(" \r\n\r\n".utf8)
    let server = try RawServer(answers: [[.send(head)]])
    let client = HTTPClient()
    let exact = try #require(try await client.send(request(server)).headers.exact("ETag"))
    #expect(Array(exact.unicodeScalars.map(\.value)) == tag.map(UInt32.init))
    var headers = HTTPHeaders()
    headers.append("If-None-Match", exact: exact)
    #expect(headers.fields.first?.value == tag)
    await client.shutdown()
  }

  @Test("Connections are used again")
  func reuse() async throws {
    let server = try RawServer(answers: [.ok("x")])
    let client = HTTPClient()
    for _ in 0..<5 { _ = try await client.send(request(server)) }
    #expect(server.connectionCount == 1 && server.requests.count == 5)
    await client.shutdown()
  }

  @Test("Many requests at once each get their own answer")
  func concurrent() async throws {
    let server = try RawServer { .ok($0.target) }
    let client = HTTPClient()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let response = try await client.send(request(server, "/\(number)"))
          return String(decoding: response.body, as: UTF8.self) == "/\(number)"
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    await client.shutdown()
  }

  @Test("Redirects are the caller's", arguments: [301, 302, 303, 307, 308])
  func redirects(status: Int) async throws {
    let server = try RawServer(answers: [.status(status, ["Location": "/next"])])
    let client = HTTPClient()
    let response = try await client.send(request(server))
    #expect(response.status == status && response.headers["location"] == "/next")
    #expect(server.requests.count == 1)
    await client.shutdown()
  }

  @Test("A login goes as Basic authentication")
  func login() async throws {
    let server = try RawServer(answers: [.ok("")])
    let client = HTTPClient()
    let url = try WebURL("http://user:p%40ss@127.0.0.1:\(server.port)/")
    _ = try await client.send(HTTPRequest("GET", url, timeouts: patience))
    #expect(server.requests.first?["Authorization"] == "Basic dXNlcjpwQHNz")
    await client.shutdown()
  }

  @Test("HEAD, 204 and 304 have no body whatever their length says")
  func bodiless() async throws {
    let server = try RawServer { request in
      request.method == "HEAD"
        ? .status(200, ["Content-Length": "99999999999"])
        : .status(Int(request.target.dropFirst())!, ["Content-Length": "0"])
    }
    let client = HTTPClient()
    #expect(try await client.send(request(server, "/", "HEAD")).headers["Content-Length"] == "99999999999")
    #expect(try await client.send(request(server, "/204")).status == 204)
    #expect(try await client.send(request(server, "/304")).status == 304)
    await client.shutdown()
  }

  @Test("Informational answers and trailers are passed over")
  func informational() async throws {
    let text = """
      HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nX-Fold: a\r\n  b\r\nTransfer-Encoding: chunked\r\n\r
      3\r\nabc\r\n0\r\nX-Trailer: t\r\n\r\n
      """
    let server = try RawServer(answers: [[.send(Array(text.utf8))]])
    let client = HTTPClient()
    let response = try await client.send(request(server))
    #expect(response.status == 200 && response.body == Array("abc".utf8))
    #expect(response.headers["Link"] == nil && response.headers["X-Trailer"] == nil)
    #expect(response.headers["X-Fold"] == "a b")
    await client.shutdown()
  }

  @Test("What could smuggle a header is not sent")
  func smuggling() async throws {
    let server = try RawServer(answers: [.ok("")])
    let client = HTTPClient()
    for headers in [["X-A": "1\r\nX-B: 2"], ["X A": "1"], ["": "1"], ["X-A": "\0"], ["X:A": "1"]] as [HTTPHeaders] {
      var request = try request(server)
      request.headers = headers
      let error = await #expect(throws: HTTPClientError.self) { try await client.send(request) }
      guard case .invalidRequest = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    await #expect(throws: HTTPClientError.self) { try await client.send(request(server, "/", "GET / HTTP/1.1\r\nX:")) }
    #expect(server.requests.isEmpty)
    await client.shutdown()
  }
}

@Suite struct HTTPClientCompressionTests {
  static let text = Array(String(repeating: "<item>news</item>", count: 5000).utf8)

  @Test(
    "Compressed bodies come out as they were",
    arguments: ["gzip", "x-gzip", "deflate", "GZIP", "deflate, gzip", "br", "gzip, br", "identity"])
  func decoded(coding: String) async throws {
    var body = Self.text
    if coding.contains("deflate") { body = Compression.deflate.compress(body) }
    if coding.lowercased().contains("gzip") { body = Compression.gzip.compress(body) }
    if coding.contains("br") { body = Brotli.compress(body) }
    let server = try RawServer(answers: [.status(200, ["Content-Encoding": coding], body: body)])
    let client = HTTPClient()
    let response = try await client.send(request(server))
    #expect(response.body == Self.text)
    #expect(response.bodyBytesReceived == body.count)
    await client.shutdown()
  }

  @Test("A stream that ends in the middle is no body", arguments: ["gzip", "br"])
  func truncated(coding: String) async throws {
    let whole = coding == "br" ? Brotli.compress(Self.text) : Compression.gzip.compress(Self.text)
    let body = Array(whole.dropLast(12))
    let server = try RawServer(answers: [.status(200, ["Content-Encoding": coding], body: body)])
    let client = HTTPClient()
    await #expect(throws: HTTPClientError.truncated(bytesReceived: body.count)) {
      try await client.send(request(server))
    }
    await client.shutdown()
  }

  @Test("A bomb bursts at the limit", arguments: ["gzip", "br"])
  func bomb(coding: String) async throws {
    let spaces = [UInt8](repeating: 32, count: 64 << 20)
    let body = coding == "br" ? Brotli.compress(spaces) : Compression.gzip.compress(spaces)
    let server = try RawServer(answers: [.status(200, ["Content-Encoding": coding], body: body)])
    let client = HTTPClient()
    var request = try request(server)
    request.limits.bodyBytesMax = 1 << 20
    await #expect(throws: HTTPClientError.tooLarge(.decompressedBody, bytesMax: 1 << 20)) {
      try await client.send(request)
    }
    await client.shutdown()
  }

  @Test("What is not as its header says is an error", arguments: ["gzip", "deflate", "br", "zstd", "gzip, gzip, gzip"])
  func wrong(coding: String) async throws {
    let server = try RawServer(answers: [.status(200, ["Content-Encoding": coding], body: Self.text)])
    let client = HTTPClient()
    let error = await #expect(throws: HTTPClientError.self) { try await client.send(request(server)) }
    guard case .badEncoding = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await client.shutdown()
  }
}
