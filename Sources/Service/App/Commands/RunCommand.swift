internal import Runtime
internal import Time

/// `run`: the worker.
struct RunCommand: Command {
  private static let config = CommandOption(
    name: "config", value: "FILE", help: "the configuration of the worker", isRequired: true)

  private static let replay = CommandOption.flag(
    "replay", "read the Kafka topics up to their end as told already, send nothing, and end")

  let usage = CommandUsage(
    name: "run", summary: "runs the worker until SIGTERM or SIGINT",
    options: [config, replay],
    explanation: """
      Runs every role that the configuration enables. A signal ends it in order: what is under way is finished and
      committed, and the exit status is 0. What was not finished comes again at the next start, and nothing is told
      twice.

      With --replay the store learns what readers have heard of before: the topics are read from where the group stands
      (from the start where it has never been) up to their end, everything counts as told, and nothing is sent. What is
      embargoed for later is held, and told by the next run.
      """,
    examples: ["tidings run --config tidings.yaml", "tidings run --config tidings.yaml --replay"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let share = try console.share()
    let loaded = try LoadedConfiguration(
      file: arguments.required(Self.config), environment: console.environment, share: share)
    let isReplay = arguments.isSet(Self.replay)
    let worker = try await Assembly(
      loaded, mode: isReplay ? .replay : .work, share: share, clock: SystemClock(),
      logger: loaded.options.logging.logger(console))
    if isReplay {
      try await worker.replay(stoppingOn: ProcessSignal.allCases)
    } else {
      try await worker.run(stoppingOn: ProcessSignal.allCases)
    }
  }
}
