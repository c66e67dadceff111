/// One thing that the program can be asked to do.
protocol Command: Sendable {
  /// How it is called.
  var usage: CommandUsage { get }

  /// Does it. Returning means exit status 0; what is thrown decides otherwise (see `CommandTable.run`).
  func run(_ arguments: Arguments, _ console: Console) async throws
}

/// How a command is called: what `--help` shows, and what its arguments are held to.
struct CommandUsage: Sendable {
  /// The words that call it: `check`, `feeds import`.
  var name: String
  /// One line for the list of commands.
  var summary: String
  /// What it takes beside options.
  var operands: Operands = .none
  /// Its options; `--help` comes by itself.
  var options: [CommandOption] = []
  /// More to say than one line, in paragraphs.
  var explanation: String = ""
  /// Lines to type.
  var examples: [String]

  /// What a command takes beside options.
  struct Operands: Sendable {
    /// As the usage line shows them: `[FILE or -]…`.
    var synopsis: String
    /// How many there may be.
    var count: ClosedRange<Int>

    /// Nothing.
    static let none = Operands(synopsis: "", count: 0...0)
    /// Exactly one.
    static func one(_ name: String) -> Operands { Operands(synopsis: name, count: 1...1) }
    /// Any number, none included.
    static func any(_ synopsis: String) -> Operands { Operands(synopsis: synopsis, count: 0...Int.max) }
  }
}

/// An option of a command.
struct CommandOption: Sendable {
  /// The name without its dashes.
  var name: String
  /// What stands for its value in the usage line; nil if the option is a flag, without a value.
  var value: String?
  /// What it does, without a capital or a full stop.
  var help: String
  /// Whether the command cannot do without.
  var isRequired = false
  /// Whether it may stand more than once.
  var repeats = false

  /// An option without a value.
  static func flag(_ name: String, _ help: String) -> CommandOption { CommandOption(name: name, help: help) }

  /// `--name VALUE`.
  var synopsis: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
}

/// A command's end other than done.
enum CommandFailure: Error {
  /// The arguments make no sense: exit status 2.
  case usage(String)
  /// The work failed, for this reason: exit status 1.
  case failed(String)
  /// The work failed, and standard error says why already: exit status 1.
  case reported
}

/// What the shell learns.
enum ExitCode: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  case invalidConfiguration = 3
}
