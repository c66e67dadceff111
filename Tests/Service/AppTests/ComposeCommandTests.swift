import Files
import JSON
import Testing
import Time

@testable import App

/// A clock that always shows the same time.
private struct StoppedClock: WallClock {
  let now: Timestamp
  func sleep(until: Timestamp) async throws {}
}

@Suite struct ComposeCommandTests {
  private func compose(
    _ article: String, _ options: [String] = []
  ) async throws -> (ExitCode, JSONValue, String) {
    let clock = StoppedClock(now: try #require(Timestamp(rfc3339: "2026-11-30T20:00:00Z")))
    let memory = MemoryConsole(input: article, clock: clock)
    let status = await CommandTable.standard.run(["compose", "-"] + options, memory.console)
    let output = memory.output.text
    return (status, output.isEmpty ? .null : try JSONValue(parsing: output), memory.errors.text)
  }

  private let quake = """
    {"id": "urn:quake", "version": 3, "headline": "Strong quake off Hokkaido", "language": "en", "urgency": 1,
     "translations": {"fr": {"headline": "Fort séisme"}}, "categories": ["World", "Science"],
     "published": "2026-11-30T19:22:00Z"}
    """

  @Test("An article becomes tags, properties and a payload for each platform and locale")
  func payloads() async throws {
    let (status, result, errors) = try await compose(quake)
    #expect(status == .done && errors == "")
    #expect(result["tags"] == "World || Science")
    #expect(result["decision"] == ["action": "push"])
    #expect(result["evidence"]?[0] == "editor: the editor filed it under World, Science")
    #expect(result["properties"]?["News_French"] == "Fort séisme")
    #expect(result["properties"]?["News_Mandarin"] == "国际快讯：Strong quake off Hokkaido")
    #expect(result["properties"]?["breaking"] == "true")
    let payloads = try #require(result["payloads"]?.array)
    #expect(payloads.count == 21)
    let french = try #require(payloads.first { $0["platform"] == "apns" && $0["locale"] == "French" })
    let body = try #require(french["body"]?.string)
    #expect(try JSONValue(parsing: body)["aps"]?["alert"] == "Fort séisme")
    #expect(french["bytes"]?.int == body.utf8.count && french["bytesMax"] == 4096 && french["fits"] == true)
  }

  @Test("A decision that sends nothing is told with its reason, and what would be sent all the same")
  func decisions() async throws {
    let old = try await compose(
      #"{"id": "a", "headline": "H", "categories": ["World"], "published": "2020-01-01T00:00:00Z"}"#
    ).1
    #expect(old["decision"]?["action"] == "drop")
    #expect(old["tags"] == "World")
    let early = try await compose(
      #"{"id": "a", "headline": "H", "topics": ["Wirtschaft"], "embargoed": "2026-12-01T00:00:00Z"}"#
    ).1
    #expect(early["decision"]?["action"] == "hold" && early["decision"]?["until"] == "2026-12-01T00:00:00Z")
    #expect(early["categories"] == ["Business"])
    let unclear = try await compose(#"{"id": "a", "headline": "H"}"#)
    #expect(unclear.0 == .done && unclear.1["decision"]?["action"] == "drop" && unclear.1["properties"] == nil)
  }

  @Test("The configuration's languages and routing are used")
  func configuration() async throws {
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    let file = "\(directory)/c.yaml"
    let text = """
      locales: [{name: Quebec, language: fr}]
      publisher: {routing: "{category} && edition:ca"}
      """
    try FileSystem.write(Array(text.utf8), to: file)
    let result = try await compose(quake, ["--config", file]).1
    #expect(result["properties"]?["messageParam"] == "Fort séisme")
    #expect(result["properties"]?["News_Quebec"] == "Fort séisme")
    #expect(result["tags"]?.string?.contains("edition:ca") == true)
    #expect(result["payloads"]?.array?.count == 7)
  }

  @Test("Each platform's payload fits its service, whatever the article says, and each send is told")
  func fits() async throws {
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    let file = "\(directory)/c.yaml"
    let connection = "Endpoint=sb://x.example/;SharedAccessKeyName=s;SharedAccessKey=k"
    let text = """
      hub: {kind: azure, name: news, connectionString: "\(connection)", formats: [apple, windowsphone], locales: [French]}
      """
    try FileSystem.write(Array(text.utf8), to: file)
    let headline = String(repeating: "R&D <b> \\\" ", count: 400)
    let article = """
      {"id": "a", "headline": "\(headline)", "language": "fr", "categories": ["World", "Science"],
       "url": "https://x.example/\(String(repeating: "p", count: 3800))"}
      """
    let (status, result, errors) = try await compose(article, ["--config", file])
    #expect(status == .done && errors == "")
    let payloads = try #require(result["payloads"]?.array)
    for payload in payloads where payload["headers"] != nil {
      let size = try #require(payload["body"]?.string?.utf8.count)
      #expect(try size <= #require(payload["bytesMax"]?.int), "\(payload["platform"]?.string ?? "")")
    }
    let phone = try #require(payloads.first { $0["platform"] == "mpns" && $0["locale"] == "French" })
    #expect(phone["body"]?.string?.contains("R&amp;D &lt;b&gt;") == true)
    let apple = try #require(payloads.first { $0["platform"] == "apns" && $0["locale"] == "French" })
    #expect(apple["headers"]?["apns-push-type"] == "alert")
    #expect(apple["headers"]?["apns-collapse-id"] == "a")
    let sends = try #require(result["sends"]?.array)
    #expect(sends.map { $0["outlet"] } == ["news/apple/French", "news/windowsphone/French"])
    #expect(sends[0]["tags"] == "(World || Science) && French")
  }

  @Test("What is no article fails with its place")
  func noArticle() async throws {
    let broken = try await compose("{\"id\": ")
    #expect(broken.0 == .failed && broken.2.hasPrefix("tidings compose: standard input:1:8: "))
    let wrong = try await compose(#"{"id": 1}"#)
    #expect(wrong.0 == .failed && wrong.2.hasPrefix("tidings compose: standard input: id: "))
  }
}
