import Files
import JSON
import TestKit
import Testing
import Time

@testable import App

@Suite struct FetchCommandTests {
  private let rss = """
    <rss version="2.0"><channel><title>The Post</title><ttl>30</ttl>
    <item><title>Fish &amp; chips</title><link>/1</link><guid>g1</guid></item></channel></rss>
    """

  private func fetch(_ words: [String]) async throws -> (status: ExitCode, report: JSONValue?, errors: String) {
    let clock = ManualClock(Timestamp(rfc3339: "2026-11-30T12:00:00Z")!)
    let memory = MemoryConsole(clock: clock)
    let status = await CommandTable.standard.run(["fetch"] + words, memory.console)
    return (status, try memory.output.lines.first.map { try JSONValue(parsing: $0) }, memory.errors.text)
  }

  @Test("One poll tells the way, the validators, the next check with its reason, and the articles")
  func report() async throws {
    let server = try RawServer { request in
      request.target == "/old"
        ? .status(301, ["Location": "/feed"])
        : .ok(rss, ["ETag": "W/\"1\"", "Content-Type": "text/xml", "Last-Modified": "Mon, 30 Nov 2026 11:00:00 GMT"])
    }
    let (status, report, errors) = try await fetch([server.url("/old"), "--allow-address", "127.0.0.0/8"])
    #expect(status == .done && errors == "")
    let object = try #require(report)
    #expect(object["url"]?.string == server.url("/old") && object["status"] == 200)
    #expect(object["redirects"] == [["url": .string(server.url("/old")), "status": 301]])
    #expect(object["finalUrl"]?.string == server.url("/feed") && object["movedTo"]?.string == server.url("/feed"))
    #expect(object["validators"]?["etag"] == "W/\"1\"")
    #expect(object["validators"]?["lastModified"] == "Mon, 30 Nov 2026 11:00:00 GMT")
    #expect(object["nextCheck"]?["reason"] == "the publisher's ttl asks for 30 min")
    let next = try #require(object["nextCheck"]?["time"]?.string.flatMap { Timestamp(rfc3339: $0) })
    #expect(next >= Timestamp(rfc3339: "2026-11-30T12:30:00Z")! && next <= Timestamp(rfc3339: "2026-11-30T12:33:00Z")!)
    #expect(object["articles"]?[0]?["title"] == "Fish & chips")
    #expect(object["articles"]?[0]?["link"]?.string == server.url("/1"))
    #expect(object["error"] == nil)
  }

  @Test("In words: what was asked and answered, what comes next and why, the hub, and the articles")
  func words() async throws {
    let server = try RawServer { request in
      request.target == "/old"
        ? .status(301, ["Location": "/feed"])
        : .ok(rss, ["ETag": "\"1\"", "Link": "<https://hub.example/>; rel=hub"])
    }
    let memory = MemoryConsole(clock: ManualClock(Timestamp(rfc3339: "2026-11-30T12:00:00Z")!))
    let status = await CommandTable.standard.run(
      ["fetch", server.url("/old"), "--table", "--allow-address", "127.0.0.0/8"], memory.console)
    #expect(status == .done)
    let lines = memory.output.lines
    #expect(lines[0] == "asked \(server.url("/old"))")
    #expect(lines[1] == "answered 301, moved for good: \(server.url("/feed"))")
    #expect(lines[2].hasPrefix("answered 200 (here it is), "))
    #expect(lines.contains("the worker follows it to \(server.url("/feed")) from the second time on"))
    #expect(lines.contains { $0.hasPrefix("a hub tells of news at once (WebSub): https://hub.example/") })
    #expect(lines.contains { $0.hasPrefix("next look in 3") && $0.hasSuffix("the publisher's ttl asks for 30 min") })
    #expect(lines.contains("The Post (RSS 2.0)") && lines.contains("1 article"))
    #expect(lines.last == "no date    Fish & chips              \(server.url("/1"))")
  }

  @Test("Without leave a private address is refused, and the report says how to give it")
  func refused() async throws {
    let server = try RawServer { _ in .ok(rss) }
    let (status, report, _) = try await fetch([server.url()])
    #expect(status == .failed)
    #expect(report?["error"]?.string?.contains("127.0.0.1, loopback") == true)
    #expect(report?["error"]?.string?.contains("feeds.allowAddresses") == true)
    #expect(report?["status"] == nil && report?["articles"] == nil)
    #expect(server.connectionCount == 0)
  }

  @Test("What is no feed is said, and when it would be looked at again")
  func noFeed() async throws {
    let server = try RawServer { _ in .ok("<html><body>No</body></html>") }
    let (status, report, _) = try await fetch([server.url(), "--allow-address", "127.0.0.1"])
    #expect(status == .failed)
    #expect(report?["status"] == 200 && report?["error"]?.string?.contains("web page") == true)
    #expect(report?["nextCheck"]?["reason"] == "after a failure, in 15 min")
  }

  @Test("The configuration gives the feed its headers and its interval")
  func configured() async throws {
    let server = try RawServer { _ in .ok(rss) }
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    let yaml = """
      feeds:
        allowAddresses: [127.0.0.1]
        userAgent: Test/1
        contact: news@example.org
        list:
          - {url: "http://127.0.0.1:\(server.port)/feed", interval: 5m, headers: {X-Key: hunter2}}
      """
    try FileSystem.write(Array(yaml.utf8), to: directory + "/tidings.yaml")
    let (status, report, errors) = try await fetch([server.url("/feed"), "--config", directory + "/tidings.yaml"])
    #expect(status == .done, "\(errors)")
    #expect(report?["nextCheck"]?["reason"] == "every 5 min, as the subscription says")
    let asked = try #require(server.requests.first)
    #expect(asked["X-Key"] == "hunter2" && asked["User-Agent"] == "Test/1 (+news@example.org)")
    #expect(report?.text().contains("hunter2") == false)
  }

  @Test(
    "An address that cannot be fetched is wrong usage",
    arguments: [["feed.xml"], ["file:///etc/passwd"], ["http://example.org/", "--allow-address", "10.0.0.1/8"]])
  func usage(words: [String]) async throws {
    let (status, _, errors) = try await fetch(words)
    #expect(status == .usage)
    #expect(errors.contains("such as https://") || errors.contains("not file") || errors.contains("10.0.0.0/8 meant"))
  }
}
