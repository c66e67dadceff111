import Curl
import JSON
import TestKit
import Testing

@Suite("Commands")
struct CommandTests {
  @Test("A configuration that is wrong is refused with its places, and nothing is started")
  func invalidConfiguration() async throws {
    let folder = try Folder()
    let file = try folder.write("feeds:\n  intervall: 15m\nhub: {name: api}\n", to: "wrong.yaml")
    for command in ["run", "check"] {
      let (ending, output, errors) = try await Program.run(command, "--config", file)
      #expect(ending == .exited(3))
      #expect(output.isEmpty)
      #expect(errors.contains { $0.hasPrefix("\(file):2:3: ") && $0.contains("interval") }, "\(errors)")
      #expect(errors.contains { $0.hasPrefix("\(file):3:") && $0.contains("api") }, "\(errors)")
    }
  }

  @Test("A port that is taken is told with the option that names it", arguments: ["port", "operationsPort"])
  func takenPort(option: String) async throws {
    let folder = try Folder()
    let other = try GrowingFeed(category: "sports", itemsMax: 1)
    let ports = ["port": 0, "operationsPort": 0].merging([option: try WebURL(other.url).port]) { $1 }
    let file = try folder.write(
      "store: {sqlite: t.db}\nserver: {\(ports.map { "\($0): \($1)" }.joined(separator: ", "))}\n", to: "t.yaml")
    let (ending, output, errors) = try await Program.run("run", "--config", file)
    #expect(ending == .exited(1))
    #expect(output.isEmpty)
    #expect(errors.last?.contains("Address already in use; server.\(option) names another port") == true, "\(errors)")
  }

  @Test(
    "Wrong usage is told apart from work that failed",
    arguments: [
      ([], 2), (["rnu"], 2), (["parse", "--nope"], 2), (["match", "World &&", "--tags", "World"], 1),
      (["match", "World", "--tags", "World"], 0), (["parse", "/dev/null"], 1), (["--help"], 0), (["--version"], 0),
    ] as [([String], Int32)])
  func exitCodes(arguments: [String], status: Int32) async throws {
    let process = try ChildProcess(Program.path, arguments)
    #expect(await process.ending() == .exited(status), "\(process.lines(.errors))")
  }

  @Test("Every command says how it is called, with an example")
  func help() async throws {
    let (_, list, _) = try await Program.run("--help")
    let names = [
      "run", "demo", "listen", "check", "parse", "fetch", "compose", "render", "match", "feeds import", "classify",
      "train", "evaluate",
      "feeds export", "feeds list", "bench",
    ]
    for name in names {
      #expect(list.contains { $0.contains("  \(name)") }, "\(name) is not listed")
      let process = try ChildProcess(Program.path, name.split(separator: " ").map(String.init) + ["--help"])
      #expect(await process.ending() == .exited(0))
      #expect(process.lines().contains { $0.contains("tidings \(name)") }, "\(name) has no example")
    }
  }
}
