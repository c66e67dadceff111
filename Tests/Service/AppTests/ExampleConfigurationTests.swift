import Files
import Testing
import YAML

@testable import App

@Suite struct ExampleConfigurationTests {
  private let file = MemoryConsole.packageRoot + "/config/tidings.yaml"

  private func text() throws -> String {
    String(decoding: try FileSystem.read(file, bytesMax: 1 << 20), as: UTF8.self)
  }

  @Test("config/tidings.yaml holds every option with its default")
  func defaults() throws {
    let root = try YAMLNode(parsing: text())
    var reader = ConfigurationReader(file: file, environment: [:])
    let options = Configuration(reading: root, &reader)
    #expect(reader.problems == [])
    #expect(options.shown == Configuration().shown)
    #expect(paths(of: root) == paths(of: Configuration().shown))
  }

  @Test("config/tidings.yaml explains every option, those of list items by example")
  func comments() throws {
    let lines = try text().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for (number, line) in lines.enumerated() {
      // Locales' own options are explained above the list.
      let depth = line.prefix { $0 == " " }.count
      guard let key = line.split(separator: ":").first, !line.hasPrefix("#"), depth <= 4, line.contains(":"),
        !line.drop(while: { $0 == " " }).hasPrefix("#"), !isInLocales(number, lines)
      else { continue }
      let above = number > 0 ? lines[number - 1] : ""
      #expect(above.drop { $0 == " " }.hasPrefix("#"), "\(key) has no comment")
    }
    let comments = lines.filter { $0.contains("#") }.joined(separator: "\n")
    let items =
      Configuration.Feed.options.map(\.name) + HubSettings.Rule.options.map(\.name)
      + Configuration.TLS.options.map(\.name)
    for name in items {
      #expect(comments.contains("\(name):"), "\(name) has no example")
    }
  }

  private func isInLocales(_ number: Int, _ lines: [String]) -> Bool {
    let section = lines[...number].last { !$0.isEmpty && !$0.hasPrefix(" ") && !$0.hasPrefix("#") }
    return section == "locales:" && lines[number] != "locales:"
  }

  /// The ways to all scalars and lists.
  private func paths(of node: YAMLNode, under path: String = "") -> Set<String> {
    guard case .mapping(let entries) = node.content else { return [path] }
    return entries.reduce(into: []) { $0.formUnion(paths(of: $1.value, under: "\(path).\($1.key)")) }
  }
}
