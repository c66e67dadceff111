internal import Files
internal import Time
internal import Topics
internal import Training

/// `train`: a model from labelled text.
struct TrainCommand: Command {
  private static let data = CommandOption(
    name: "data", value: "FILE", help: "labelled rows; more files may follow", isRequired: true, repeats: true)
  private static let output = CommandOption(
    name: "output", value: "FILE", help: "where the model is written", isRequired: true)
  private static let holdOut = CommandOption.flag(
    "hold-out", "leave out the outlets that training/holdout.tsv names, to judge the model on them")
  private static let before = CommandOption(
    name: "before", value: "DATE", help: "leave out rows from that date on, such as 2023-05")

  let usage = CommandUsage(
    name: "train", summary: "makes a model from labelled text", operands: .any("[FILE]…"),
    options: [data, output, holdOut, before],
    explanation: """
      Reads tab-separated rows (label, original_label, title, text, split, source, date), packed with gzip or not, from
      files called NAME.LANGUAGE.tsv.gz, and writes a model. The same rows give the same bytes on every machine. What it
      knows beside the rows (places, outlets' countries, sections) is in the directory training that ships.
      """,
    examples: ["tidings train --data news/*.tsv.gz --output topics.model"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let start = console.clock.now
    let notes = try TrainingNotes(directory: console.share().path("training"))
    var rows: [LabelledRow] = []
    // The order of rows is part of the result; the order in which a shell names files is not to be.
    for file in (arguments.values(Self.data) + arguments.operands).sorted() { rows += try Corpus.read(file) }
    if arguments.isSet(Self.holdOut) { rows.removeAll { notes.isHeldOut($0) } }
    if let date = arguments.value(Self.before) { rows.removeAll { $0.date >= date } }
    let trainer = Trainer(notes: notes) { message in
      console.say("train: \(message) (\(Int(start.distance(to: console.clock.now).inSeconds)) s)")
    }
    let output = arguments.required(Self.output)
    let bytes = try trainer.train(rows, draft: "\(output).draft")
    try FileSystem.write(bytes, to: output)
    console.say("train: \(output) has \(bytes.count) bytes")
  }
}
