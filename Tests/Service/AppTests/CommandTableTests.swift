import Files
import Testing
import YAML

@testable import App

/// Writes its arguments, or fails as it is told.
private struct EchoCommand: Command {
  static let config = CommandOption(name: "config", value: "FILE", help: "the file", isRequired: true)
  static let tag = CommandOption(name: "tag", value: "TAG", help: "a tag", repeats: true)
  static let quiet = CommandOption.flag("quiet", "says nothing")

  let usage: CommandUsage
  var failure: (any Error)?

  init(_ name: String = "echo", failure: (any Error)? = nil) {
    usage = CommandUsage(
      name: name, summary: "writes its arguments", operands: .init(synopsis: "WORD…", count: 1...3),
      options: [Self.config, Self.tag, Self.quiet], explanation: "In order.", examples: ["tidings echo --config x a"])
    self.failure = failure
  }

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let tags = arguments.values(Self.tag).joined(separator: ",")
    let quiet = arguments.isSet(Self.quiet)
    try console.output.writeLine(
      "\(usage.name) \(arguments.operands) \(arguments.required(Self.config)) [\(tags)] \(quiet)")
    if let failure { throw failure }
  }
}

@Suite struct CommandTableTests {
  private let table = CommandTable([EchoCommand(), EchoCommand("feeds import"), EchoCommand("feeds export")])

  private func run(_ line: String, table: CommandTable? = nil) async -> (ExitCode, String, String) {
    let memory = MemoryConsole()
    let words = line.split(separator: " ").map(String.init)
    let status = await (table ?? self.table).run(words, memory.console)
    return (status, memory.output.text, memory.errors.text)
  }

  @Test(
    "Options and operands reach the command they belong to",
    arguments: [
      ("echo --config f a b", "echo [\"a\", \"b\"] f [] false\n"),
      ("echo a --config=f=g --quiet --tag x --tag=y", "echo [\"a\"] f=g [x,y] true\n"),
      ("echo --config f -- --tag -", "echo [\"--tag\", \"-\"] f [] false\n"),
      ("echo - --config f", "echo [\"-\"] f [] false\n"),
      ("feeds import --config f a", "feeds import [\"a\"] f [] false\n"),
    ])
  func arguments(line: String, output: String) async {
    let result = await run(line)
    #expect(result == (.done, output, ""))
  }

  @Test(
    "Wrong usage says what would be right and exits 2",
    arguments: [
      ("", "tidings: a command is missing"),
      ("ehco", "tidings: there is no command \"ehco\"; did you mean \"echo\"?"),
      ("zzzzzz", "tidings: there is no command \"zzzzzz\"; known are echo, feeds"),
      ("--quiet", "tidings: there is no option \"--quiet\" without a command"),
      ("feeds", "tidings: \"feeds\" needs a second word: import, export"),
      ("feeds exprot", "tidings: there is no command \"feeds exprot\"; did you mean \"export\"?"),
      ("echo a", "tidings echo: --config FILE is missing"),
      ("echo a b c f", "tidings echo: --config FILE is missing; did you mean \"--config f\"?"),
      ("echo --config f", "tidings echo: WORD… is missing"),
      ("echo --config f a b c d", "tidings echo: \"d\" is too much here"),
      ("echo --confg f a", "tidings echo: there is no option \"--confg\"; did you mean \"--config\"?"),
      ("echo a --config", "tidings echo: --config needs its value, FILE"),
      ("echo a --config f --config g", "tidings echo: --config stands there twice"),
      ("echo a --config f --quiet=yes", "tidings echo: --quiet takes no value"),
    ])
  func wrongUsage(line: String, message: String) async {
    let (status, output, errors) = await run(line)
    #expect(status == .usage)
    #expect(output == "")
    #expect(errors.split(separator: "\n").first.map(String.init) == message)
    #expect(errors.contains("--help` shows how to call it"))
  }

  @Test(
    "Help is a result",
    arguments: [
      "echo --help", "help echo", "echo -h", "echo a --help",
    ])
  func help(line: String) async {
    let (status, output, errors) = await run(line)
    #expect(status == .done)
    #expect(errors == "")
    #expect(
      output == """
        tidings echo WORD… --config FILE [--tag TAG]… [--quiet]

        Writes its arguments.

        In order.

        Options:
          --config FILE   the file
          --tag TAG       a tag
          --quiet         says nothing
          --help          shows this

        Example:
          tidings echo --config x a

        """)
  }

  @Test("The list of commands names each, a group's list its own", arguments: ["--help", "-h", "help"])
  func list(line: String) async {
    let (status, output, _) = await run(line)
    #expect(status == .done)
    #expect(output.contains("\n  feeds import   writes its arguments\n"))
    let group = await run("feeds --help").1
    #expect(group.hasPrefix("tidings feeds COMMAND [options]\n\nCommands:\n"))
    #expect(group.contains("  feeds export   writes") && !group.contains("  echo"))
  }

  @Test("The version is told")
  func version() async {
    #expect(await run("--version") == (.done, "tidings \(Program.version)\n", ""))
  }

  @Test("A failure decides the exit status, and what was written before stays written")
  func failures() async {
    let cases: [(any Error, ExitCode, String)] = [
      (CommandFailure.failed("no luck"), .failed, "tidings echo: no luck\n"),
      (CommandFailure.reported, .failed, ""),
      (
        Problems([Problem(file: "a.yaml", at: .init(line: 2, column: 3), "is wrong", remedy: "make it right")]),
        .invalidConfiguration, "a.yaml:2:3: is wrong; make it right\n"
      ),
      (FileError("read", "x", "gone"), .failed, "tidings echo: cannot read x: gone\n"),
      (StreamError.failed(reason: "full"), .failed, "tidings echo: cannot write the output: full\n"),
      (StreamError.readerLeft, .done, ""),
    ]
    for (failure, status, message) in cases {
      let result = await run("echo --config f a", table: CommandTable([EchoCommand(failure: failure)]))
      #expect(result == (status, "echo [\"a\"] f [] false\n", message))
    }
  }

  @Test("Output that cannot be written is a failure; output that nobody reads is not")
  func output() async {
    for (failure, status) in [(StreamError.readerLeft, ExitCode.done), (.failed(reason: "full"), .failed)] {
      let memory = MemoryConsole()
      let console = Console(
        output: MemorySink(failure: failure), errors: memory.errors, readInput: memory.console.readInput,
        environment: [:], executablePath: nil, clock: memory.console.clock)
      #expect(await table.run(["--version"], console) == status)
    }
  }
}
