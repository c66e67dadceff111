import Curl
import Glibc
import JSON
import TestKit
import Testing

@Suite("Roles")
struct RoleTests {
  static func configuration(roles: String, feed: String, store: String) -> String {
    "roles: [\(roles)]\n" + CrashTests.configuration(feed: feed, store: store)
  }

  @Test("Three processes share the work over one file", .timeLimit(.minutes(2)))
  func share() async throws {
    let folder = try Folder()
    let feed = try GrowingFeed(category: "sports", itemsMax: 5)
    let workers = try ["hub", "publish", "ingest"].map { role in
      try Worker(
        configuration: folder.write(
          Self.configuration(roles: role, feed: feed.url, store: "\(folder.path)/tidings.db"), to: "\(role).yaml"))
    }
    let hub = try await workers[0].address()
    let phone = Phone(handle: "phone-of-the-three-processes", tags: ["Sports"], property: "News_English")
    try await phone.register(at: hub)
    let baseline = try #require(await workers[2].value(of: "feed.baseline") { $0["items"]?.int })
    let bodies = try await phone.mailbox(at: hub) { $0.count >= 5 - baseline }
    // Stories are told side by side: each once, in whatever order.
    #expect(bodies.compactMap { $0["message"]?.string }.sorted() == (baseline + 1...5).map { "sports \($0)" })
    for worker in workers { #expect(await worker.stop() == .exited(0)) }
  }

  @Test("The operations listener tells health, readiness and metrics, and says when the worker drains")
  func operations() async throws {
    let folder = try Folder()
    let feed = try GrowingFeed(category: "sports", itemsMax: 1)
    let worker = try Worker(
      configuration: folder.write(
        CrashTests.configuration(feed: feed.url, store: "\(folder.path)/tidings.db"), to: "tidings.yaml"))
    let operations = try await worker.address(of: "operations")
    _ = try #require(await worker.value(of: "feed.baseline") { $0["items"]?.int })
    let client = HTTPClient()
    func get(_ path: String) async throws -> HTTPResponse {
      try await client.send(HTTPRequest("GET", try WebURL(operations + path)))
    }
    #expect(try await get("/healthz").status == 200)
    #expect(try await get("/readyz").status == 200)
    let metrics = String(decoding: try await get("/metrics").body, as: UTF8.self)
    for name in ["tidings_build_info{version=", "tidings_articles_decided_total", "tidings_publications_total"] {
      #expect(metrics.contains(name), "\(name) is missing")
    }
    #expect(await worker.stop() == .exited(0))
  }
}
