internal import Files
internal import JSON

/// `bench`: measures what this program promises about its speed.
struct BenchCommand: Command {
  private let benchmarks: [any Benchmark]

  init(
    _ benchmarks: [any Benchmark] = [
      ParseBenchmark(), PollBenchmark(), ClassifyBenchmark(), MatchBenchmark(), ConsumeBenchmark(),
      PublishBenchmark(), StoriesBenchmark(),
    ]
  ) {
    self.benchmarks = benchmarks
  }

  var usage: CommandUsage {
    CommandUsage(
      name: "bench", summary: "measures the speed of a part",
      operands: .init(synopsis: "NAME [FILE]…", count: 1...Int.max),
      explanation: """
        Prints a JSON object: the input, each measurement with its amounts, rates and processor time per item, and the
        most memory that was held. Figures mean something in a release build on a quiet machine only.

        \(benchmarks.map { "  \($0.name)  \($0.summary)" }.joined(separator: "\n"))
        """,
      examples: ["tidings bench match"])
  }

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let name = arguments.operands[0]
    guard let benchmark = benchmarks.first(where: { $0.name == name }) else {
      throw CommandFailure.usage("there is no benchmark \"\(name)\"; \(benchmarks.map(\.name).suggestion(for: name))")
    }
    let report = try await benchmark.run(on: Array(arguments.operands.dropFirst()), console)
    try console.writeLine(report.json(of: name).text(pretty: console.output.isTerminal))
  }
}
