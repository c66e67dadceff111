public import Topics
internal import Files

/// Makes a model from labelled rows: a linear model of selected features, an independent yes or no for each topic.
public struct Trainer {
  private let notes: TrainingNotes
  private let options: TrainingOptions
  private let report: (String) -> Void

  /// A trainer; `report` hears what it does.
  public init(notes: TrainingNotes, options: TrainingOptions = .init(), report: @escaping (String) -> Void = { _ in }) {
    self.notes = notes
    self.options = options
    self.report = report
  }

  /// A model's bytes from all of these rows: first a model without some general outlets, which says what scores are
  /// worth on outlets not seen, then the model itself.
  ///
  /// - Parameter draft: Where the first model's file may stand meanwhile.
  public func train(_ rows: [LabelledRow], draft: String) throws -> [UInt8] {
    let outlets = Calibration.outlets(in: rows)
    report("calibrating on \(outlets.count) outlets")
    let first = fit(rows.filter { !outlets.contains($0.source) }, policy: DecisionPolicy())
    try FileSystem.write(first.encoded(), to: draft)
    let judged = RowSelection(
      rows.filter { outlets.contains($0.source) && $0.collection == "urlsec_train" }, notes: notes, options: options)
    let policy = Calibration(
      zip(judged.rows, judged.weights).filter { $0.1 > 0 }.map(\.0),
      model: try TopicModel(path: draft), notes: notes, second: options.second
    ).policy
    try FileSystem.remove(draft)
    report("temperatures \(policy.temperatures), threshold \(policy.threshold)")
    return fit(rows, policy: policy).encoded()
  }

  /// A model from all of these rows, with that policy.
  public func fit(_ rows: [LabelledRow], policy: DecisionPolicy) -> ModelFile {
    let selection = RowSelection(rows, notes: notes, options: options)
    report("\(selection.rows.count) of \(rows.count) rows teach")
    let places = PlaceNames(notes.places)
    var documents = Documents(selection, places: places, notes: notes, options: options)
    let kept = FeatureSelection(documents, count: options.featureCount).hashes
    documents.keep(kept)
    report("\(kept.count) features kept")
    var fit = LinearFit(documents, featureCount: kept.count, options: options)
    fit.run { report($0) }
    return ModelFile(
      hashes: kept, weights: fit.featureWeights, bias: fit.bias, placeWeights: fit.placeWeights, places: places,
      policy: policy)
  }
}
