import Files
import Glibc
import JSON
import TestKit
import Testing

@Suite("Contract")
struct ContractTests {
  static let python = ProcessEnvironment.variables["TIDINGS_PYTHON"] ?? "/usr/bin/python3"

  @Test("A client that shares no code with the hub gets what Azure's contract says", .timeLimit(.minutes(1)))
  func independentClient() async throws {
    let folder = try Folder()
    let feed = try GrowingFeed(category: "sports", itemsMax: 1)
    let worker = try Worker(
      configuration: folder.write(
        CrashTests.configuration(feed: feed.url, store: "\(folder.path)/tidings.db"), to: "tidings.yaml"))
    let client = try ChildProcess(
      Self.python,
      [
        "\(Program.root)/Tests/EndToEnd/contract.py", try await worker.address(), Worker.listenKey, Worker.fullKey,
      ])
    try #require(await client.ending() == .exited(0), "\(client.lines(.errors))")
    #expect(await worker.stop() == .exited(0))
    let seen = try JSONValue(parsing: client.lines().joined())

    let statuses = [
      ("register", 200), ("read", 200), ("send", 201), ("no token", 401), ("wrong key", 401), ("expired", 401),
      ("truncated", 401), ("listen sends", 403), ("bad template", 400), ("bad expression", 400), ("other hub", 404),
      ("delete", 204), ("read deleted", 404),
    ]
    for (name, status) in statuses {
      #expect(seen[name]?["status"]?.int == status, "\(name): \(seen[name]?.text() ?? "was not asked")")
    }
    func body(_ name: String) -> String { seen[name]?["body"]?.string ?? "" }
    #expect(body("send").isEmpty && body("listen sends").isEmpty && body("register").isEmpty)
    #expect(seen["send"]?["headers"]?["Location"]?.string?.contains("/news/messages/NH-") == true)
    #expect(seen["read"]?["headers"]?["Content-Type"]?.string == "application/xml; charset=utf-8")
    #expect(body("read").hasPrefix(#"{"installationId":"contract","pushChannel":"#))
    #expect(body("wrong key").contains("<Code>401</Code><Detail>InvalidSignature: The token has an invalid signature"))
    #expect(body("bad template").contains("Missing closing parentheses"))
    #expect(body("other hub").contains("No service is hosted at the specified address."))
    #expect(body("read deleted").contains("Installation not found."))
    // No error tells a key, and none tells the handle.
    for (name, _) in statuses where name != "read" {
      let text = seen[name]?.text() ?? ""
      #expect(!text.contains(Worker.listenKey) && !text.contains(Worker.fullKey), "\(name) tells a key")
      #expect(!text.contains("contract-device-handle"), "\(name) tells the handle")
    }
  }
}
