internal import Files
internal import JSON
internal import Publish

/// `evaluate stories`: how well two sources' tellings of one story are recognised.
struct EvaluateStoriesCommand: Command {
  private static let labels = CommandOption(
    name: "labels", value: "FILE", help: "pairs of rows and whether they tell one story", isRequired: true)
  private static let data = CommandOption(
    name: "data", value: "DIRECTORY", help: "where the files of news are that the pairs name", isRequired: true)
  private static let likeness = CommandOption(
    name: "likeness", value: "PERCENT", help: "another threshold than \(StoryMatching.standard.likeness)")

  let usage = CommandUsage(
    name: "evaluate stories", summary: "precision and recall of joining two sources' tellings of one story",
    options: [labels, data, likeness],
    explanation: """
      Prints a JSON object: precision (of the pairs that were taken for one story, the part that is), recall (of the
      pairs that are one story, the part that was found), and where the mistaken pairs stand.
      """,
    examples: [
      "tidings evaluate stories --labels Tests/Pipeline/PublishTests/Stories/labelled-pairs.tsv --data ../shared/news"
    ])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    var matching = StoryMatching.standard
    if let text = arguments.value(Self.likeness) {
      guard let likeness = Int(text), (1...100).contains(likeness) else {
        throw CommandFailure.usage("--likeness: \"\(text)\" is no whole number from 1 to 100")
      }
      matching.likeness = likeness
    }
    let pairs = try LabelledPairs(
      labels: arguments.required(Self.labels), directory: arguments.required(Self.data))
    let evaluation = StoryEvaluation(of: pairs, by: matching)
    try console.writeLine(evaluation.json(matching: matching).text(pretty: console.output.isTerminal))
  }
}
