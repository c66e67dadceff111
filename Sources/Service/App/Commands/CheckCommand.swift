internal import YAML

/// `check`: says whether a configuration is right, and what it comes to.
struct CheckCommand: Command {
  private static let config = CommandOption(
    name: "config", value: "FILE", help: "the configuration to check", isRequired: true)

  let usage = CommandUsage(
    name: "check", summary: "validates a configuration and the files it names",
    options: [config],
    explanation: """
      Prints the resolved configuration, every option with its value, secrets redacted. Every problem goes to standard
      error as `file:line:column: what; what would be right`, and the exit status is 3.
      """,
    examples: ["tidings check --config tidings.yaml"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let loaded = try LoadedConfiguration(
      file: arguments.required(Self.config), environment: console.environment, share: console.share())
    try console.write(loaded.options.shown.documentText)
  }
}
