import Files
import Glibc
import JSON
import TestKit
import Testing

@Suite("Page")
struct PageTests {
  /// A Python with playwright, as `deploy/test.sh` sets it up.
  static let python = ProcessEnvironment.variables["TIDINGS_PYTHON"]

  @Test(
    "A reader in a browser subscribes, sees each push once in French, and is remembered",
    .enabled(if: python != nil, "TIDINGS_PYTHON names no Python with playwright; deploy/test.sh sets it up"),
    .timeLimit(.minutes(4)))
  func subscribes() async throws {
    let demo = try ChildProcess(Program.path, ["demo"])
    let address = try #require(
      await demo.value(from: .errors) { line in
        line.firstRange(of: "http://").map { String(line[$0.lowerBound...]) }
      })
    let browser = try ChildProcess(Self.python!, ["\(Program.root)/Tests/EndToEnd/page.py", address])
    #expect(await browser.ending() == .exited(0), "\(browser.lines(.errors))")
    demo.signal(SIGTERM)
    #expect(await demo.ending() == .exited(0))

    let seen = try JSONValue(parsing: browser.lines().joined())
    let texts = { (name: String) in seen[name]?.array?.compactMap(\.string) ?? [] }
    #expect(seen["switches"]?.int == 6)
    #expect(texts("errors").isEmpty)
    #expect(texts("languages") == ["fr"])
    let messages = texts("messages")
    // The page shows the category in capitals.
    #expect(messages.allSatisfy { $0.hasPrefix("MONDE") || $0.hasPrefix("SCIENCES") }, "\(messages)")
    #expect(seen["remembered"]?.int == 2)
    #expect(seen["locale"]?.string == "French")
    // What was there is there once, and more has come. The samples repeat themselves after a minute, not before.
    #expect(texts("afterReload").count > messages.count)
    for request in texts("requests") { #expect(request.hasPrefix(address), "\(request) leaves the page's server") }
    // The page is never given a key: what it keeps is a handle of its own making and a token that ends.
    #expect(seen["storage"]?.string?.contains("SharedAccessKey=") == false)
  }
}
