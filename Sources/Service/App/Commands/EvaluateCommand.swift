internal import Files
internal import JSON
internal import Topics
internal import Training

/// `evaluate`: how good a model is on labelled text.
struct EvaluateCommand: Command {
  private static let model = CommandOption(
    name: "model", value: "FILE", help: "the model; the one that ships if this is left out")
  private static let data = CommandOption(
    name: "data", value: "FILE", help: "labelled rows; more files may follow", isRequired: true, repeats: true)
  private static let heldOut = CommandOption.flag(
    "held-out", "only rows of the outlets that training/holdout.tsv names")
  private static let since = CommandOption(
    name: "since", value: "DATE", help: "only rows from that date on, such as 2023-05")
  private static let homeUnknown = CommandOption.flag("home-unknown", "do not tell the model where readers are at home")
  private static let threshold = CommandOption(
    name: "threshold", value: "NUMBER", help: "another threshold than the model's own, 0 to 1")
  private static let plots = CommandOption(
    name: "plots", value: "DIRECTORY", help: "write calibration.svg and confusion.svg there")
  private static let table = CommandOption.flag("table", "a table instead of JSON; the default on a terminal")

  let usage = CommandUsage(
    name: "evaluate", summary: "measures a model on labelled text", operands: .any("[FILE]…"),
    options: [data, model, heldOut, since, homeUnknown, threshold, plots, table],
    explanation: """
      Prints accuracy, macro-F1, precision and recall of each category, the confusion matrix, the calibration error, and
      coverage and accuracy at the threshold: of all rows, and by language and source. Rows of none of the six count where
      training/other.tsv lists their section. Random rows flatter: judge a model on outlets that it has not seen.
      """,
    examples: ["tidings evaluate --data news/urlsec_train.*.tsv.gz --model held-out.model --held-out --table"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let share = try console.share()
    let notes = try TrainingNotes(directory: share.path("training"))
    let model = try TopicModel(path: arguments.value(Self.model) ?? share.path(LoadedConfiguration.modelFile))
    var threshold: Float?
    if let text = arguments.value(Self.threshold) {
      guard let number = Float(text), (0...1).contains(number) else {
        throw CommandFailure.usage("\"\(text)\" is no threshold; write a number from 0 to 1")
      }
      threshold = number
    }
    var rows: [LabelledRow] = []
    for file in (arguments.values(Self.data) + arguments.operands).sorted() { rows += try Corpus.read(file) }
    rows.removeAll { $0.topic == .other && !notes.showsOther($0) }
    if arguments.isSet(Self.heldOut) { rows.removeAll { !notes.isHeldOut($0) } }
    if let date = arguments.value(Self.since) { rows.removeAll { $0.date < date } }
    guard !rows.isEmpty else { throw CommandFailure.failed("no rows are left to judge the model on") }
    let isUnknown = arguments.isSet(Self.homeUnknown)
    let evaluation = Evaluation(rows, model: model, threshold: threshold) { isUnknown ? nil : notes.home(of: $0) }
    if arguments.isSet(Self.table) || console.output.isTerminal {
      try console.writeLine(evaluation.table)
    } else {
      try console.writeLine(evaluation.json.text(pretty: true))
    }
    guard let directory = arguments.value(Self.plots) else { return }
    try FileSystem.makeDirectory(directory)
    try FileSystem.write(Array(evaluation.calibrationPlot.utf8), to: "\(directory)/calibration.svg")
    try FileSystem.write(Array(evaluation.confusionPlot.utf8), to: "\(directory)/confusion.svg")
  }
}
