/// A command's arguments, held to its usage: every option is known, those with a value have one.
struct Arguments: Sendable {
  /// What stands beside the options, in order.
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Whether the option stands there.
  func isSet(_ option: CommandOption) -> Bool { values[option.name] != nil }

  /// The option's value, if it stands there; the last, if it stands there more than once.
  func value(_ option: CommandOption) -> String? { values[option.name]?.last }

  /// The values of an option that repeats.
  func values(_ option: CommandOption) -> [String] { values[option.name] ?? [] }

  /// The value of an option that is required.
  func required(_ option: CommandOption) -> String {
    guard option.isRequired, let value = value(option) else {
      preconditionFailure("--\(option.name) is not required by the command's usage")
    }
    return value
  }
}

extension Arguments {
  /// Reads the words after a command's name: `--name value`, `--name=value`, `--flag`, operands; after `--` all are
  /// operands, and a single `-` is one.
  init(_ words: some Sequence<String>, of usage: CommandUsage) throws(CommandFailure) {
    var rest = Array(words)[...]
    var onlyOperands = false
    while let word = rest.popFirst() {
      if onlyOperands || word == "-" || !word.hasPrefix("-") {
        operands.append(word)
      } else if word == "--" {
        onlyOperands = true
      } else {
        try take(word, &rest, usage)
      }
    }
    for option in usage.options where option.isRequired && !isSet(option) {
      let stray = operands.dropFirst(usage.operands.count.upperBound).first
      throw .usage("\(option.synopsis) is missing\(stray.map { "; did you mean \"--\(option.name) \($0)\"?" } ?? "")")
    }
    guard usage.operands.count.contains(operands.count) else {
      if operands.count > usage.operands.count.upperBound {
        throw .usage("\"\(operands[usage.operands.count.upperBound])\" is too much here")
      }
      throw .usage("\(usage.operands.synopsis) is missing")
    }
  }

  private mutating func take(
    _ word: String, _ rest: inout ArraySlice<String>, _ usage: CommandUsage
  ) throws(CommandFailure) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let option = usage.options.first(where: { "--\($0.name)" == parts[0] }) else {
      let known = usage.options.map { "--\($0.name)" } + ["--help"]
      throw .usage("there is no option \"\(parts[0])\"; \(known.suggestion(for: parts[0]))")
    }
    if !option.repeats && isSet(option) { throw .usage("--\(option.name) stands there twice") }
    guard let placeholder = option.value else {
      guard parts.count == 1 else { throw .usage("--\(option.name) takes no value") }
      values[option.name] = []
      return
    }
    guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
      throw .usage("--\(option.name) needs its value, \(placeholder)")
    }
    values[option.name, default: []].append(value)
  }
}
