internal import Files

/// The commands, found by their words.
struct CommandTable: Sendable {
  private let commands: [any Command]

  init(_ commands: [any Command]) { self.commands = commands }

  /// Every command of this program, in the order in which `--help` lists them.
  static let standard = CommandTable([
    RunCommand(),
    DemoCommand(),
    ListenCommand(),
    ParseCommand(),
    FetchCommand(),
    CheckCommand(),
    ComposeCommand(),
    PublishCommand(),
    RetractCommand(),
    DeadLetterListCommand(),
    DeadLetterRedriveCommand(),
    RenderCommand(),
    MatchCommand(),
    FeedsImportCommand(),
    FeedsExportCommand(),
    FeedsListCommand(),
    FeedsEnableCommand(),
    ClassifyCommand(),
    TrainCommand(),
    EvaluateCommand(),
    EvaluateStoriesCommand(),
    BenchCommand(),
  ])

  /// Runs the command that the arguments name.
  ///
  /// Results and help go to the console's output, everything else to its errors.
  func run(_ arguments: [String], _ console: Console) async -> ExitCode {
    let status: ExitCode
    var command: (any Command)?
    do {
      command = try dispatch(arguments, console)
      if let command {
        let words = arguments.dropFirst(command.words.count)
        try await command.run(Arguments(words, of: command.usage), console)
      }
      try console.output.flush()
      return .done
    } catch StreamError.readerLeft {
      // `tidings … | head` has what it wants.
      return .done
    } catch let failure as CommandFailure {
      status = report(failure, of: command, console)
    } catch let problems as Problems {
      for problem in problems.all { console.say("\(problem)") }
      status = .invalidConfiguration
    } catch {
      console.say("\(name(of: command)): \(error)")
      status = .failed
    }
    // What was done before the failure is still a result.
    try? console.output.flush()
    return status
  }

  private func name(of command: (any Command)?) -> String {
    (["tidings"] + (command?.words ?? [])).joined(separator: " ")
  }

  private func report(_ failure: CommandFailure, of command: (any Command)?, _ console: Console) -> ExitCode {
    let name = name(of: command)
    switch failure {
    case .usage(let message):
      console.say("\(name): \(message)\n`\(name) --help` shows how to call it.")
      return .usage
    case .failed(let message):
      console.say("\(name): \(message)")
      return .failed
    case .reported:
      return .failed
    }
  }

  /// The command to run; nil when the arguments asked for words only, which are written then.
  private func dispatch(_ arguments: [String], _ console: Console) throws -> (any Command)? {
    guard let first = arguments.first else { throw CommandFailure.usage("a command is missing") }
    if first == "--version" {
      try console.writeLine("tidings \(Program.version)")
      return nil
    }
    let asksHelp = arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    let words = first == "help" ? Array(arguments.dropFirst()) : arguments
    if let command = command(calledBy: words) {
      guard asksHelp || first == "help" else { return command }
      try console.write(command.usage.help)
      return nil
    }
    let group = commands.filter { $0.words.count > 1 && $0.words.first == words.first }
    if asksHelp || first == "help", words.first?.hasPrefix("-") ?? true || !group.isEmpty {
      try console.write(group.isEmpty ? list(commands) : list(group, of: words[0]))
      return nil
    }
    throw unknown(words, group)
  }

  /// The command with the most words that the arguments begin with.
  private func command(calledBy words: [String]) -> (any Command)? {
    commands.filter { words.starts(with: $0.words) }.max { $0.words.count < $1.words.count }
  }

  private func unknown(_ words: [String], _ group: [any Command]) -> CommandFailure {
    let first = words.first ?? ""
    if first.hasPrefix("-") { return .usage("there is no option \"\(first)\" without a command") }
    if group.isEmpty {
      var known: [String] = []
      for command in commands where !known.contains(command.words[0]) { known.append(command.words[0]) }
      return .usage("there is no command \"\(first)\"; \(known.suggestion(for: first))")
    }
    let seconds = group.map { $0.words[1] }
    guard words.count > 1 else { return .usage("\"\(first)\" needs a second word: \(seconds.joined(separator: ", "))") }
    return .usage("there is no command \"\(first) \(words[1])\"; \(seconds.suggestion(for: words[1]))")
  }

  /// The commands, or those that share a first word.
  private func list(_ commands: [any Command], of group: String? = nil) -> String {
    let call = ["tidings", group, "COMMAND"].compactMap(\.self).joined(separator: " ")
    let rows = columns(commands.map { ($0.usage.name, $0.usage.summary) })
    return """
      \(call) [options]
      \(group == nil ? "\nTurns news feeds into push notifications, each in its reader's language.\n" : "")
      Commands:
      \(rows)

      `\(call) --help` shows a command's options and an example; `tidings --version` the version.
      Exit status: 0 done, 1 the work failed, 2 wrong usage, 3 invalid configuration.

      """
  }
}

extension Command {
  fileprivate var words: [String] { usage.name.split(separator: " ").map(String.init) }
}

extension CommandUsage {
  /// What `--help` prints.
  var help: String {
    let required = options.filter(\.isRequired).map(\.synopsis)
    let optional = options.filter { !$0.isRequired }.map { "[\($0.synopsis)]" + ($0.repeats ? "…" : "") }
    let line = (["tidings", name, operands.synopsis].filter { !$0.isEmpty } + required + optional)
    let rows = options.map { ($0.synopsis, $0.help) } + [("--help", "shows this")]
    let text = summary.prefix(1).uppercased() + summary.dropFirst() + "."
    return """
      \(line.joined(separator: " "))

      \(text)\(explanation.isEmpty ? "" : "\n\n" + explanation)

      Options:
      \(columns(rows))

      Example:
      \(examples.map { "  \($0)" }.joined(separator: "\n"))

      """
  }
}

/// Two columns, the second aligned, both indented by two.
private func columns(_ rows: [(String, String)]) -> String {
  let width = rows.map(\.0.count).max() ?? 0
  return rows.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count + 3))\($0.1)" }
    .joined(separator: "\n")
}
