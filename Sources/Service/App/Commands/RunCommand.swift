internal import Runtime
internal import Time

/// `run`: the worker.
struct RunCommand: Command {
  private static let config = CommandOption(
    name: "config", value: "FILE", help: "the configuration of the worker", isRequired: true)

  let usage = CommandUsage(
    name: "run", summary: "runs the worker until SIGTERM or SIGINT",
    options: [config],
    explanation: """
      Runs every role that the configuration enables. A signal ends it in order: what is under way is finished and
      committed, and the exit status is 0. What was not finished comes again at the next start, and nothing is told
      twice.
      """,
    examples: ["tidings run --config tidings.yaml"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let share = try console.share()
    let loaded = try LoadedConfiguration(
      file: arguments.required(Self.config), environment: console.environment, share: share)
    let worker = try await Assembly(
      loaded, share: share, clock: SystemClock(), logger: loaded.options.logging.logger(console))
    try await worker.run(stoppingOn: ProcessSignal.allCases)
  }
}
