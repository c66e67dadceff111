internal import Push

/// `match`: tries a tag expression on a device's tags.
struct MatchCommand: Command {
  private static let tags = CommandOption(
    name: "tags", value: "TAG,TAG…", help: "the tags of a device; empty for none", isRequired: true)

  let usage = CommandUsage(
    name: "match", summary: "tries a tag expression on a device's tags", operands: .one("EXPRESSION"),
    options: [tags],
    explanation: """
      Prints `true` or `false`. An expression or a tag that is not legal is told with its place, and the exit status
      is 1.
      """,
    examples: ["tidings match '(World || Politics) && !muted' --tags World,French"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let expression: TagExpression
    do throws(TagExpressionError) {
      expression = try TagExpression(parsing: arguments.operands[0])
    } catch {
      throw CommandFailure.failed("the expression is not legal at column \(error.column): \(error.message)")
    }
    let tags = try Self.tags(in: arguments.required(Self.tags))
    try console.writeLine("\(expression.matches(tags))")
  }

  private static func tags(in list: String) throws(CommandFailure) -> Set<Tag> {
    guard !list.isEmpty else { return [] }
    var tags: Set<Tag> = []
    var column = 1
    for part in list.split(separator: ",", omittingEmptySubsequences: false) {
      // People write a blank after a comma.
      let name = part.drop { $0 == " " }
      do throws(TagError) { tags.insert(try Tag(name)) } catch {
        throw .failed("the tags are not legal at column \(column + part.count - name.count): \(error)")
      }
      column += part.unicodeScalars.count + 1
    }
    return tags
  }
}
