public import JSON
internal import Topics

extension Evaluation {
  /// Everything as JSON; shares are between 0 and 1.
  public var json: JSONValue {
    [
      "threshold": .share(Double(threshold)), "all": all.json,
      "languages": .object(Self.object(byLanguage)),
      "sources": .object(Self.object(bySource)),
    ]
  }

  private static func object(_ groups: [String: Figures]) -> JSONObject {
    JSONObject(groups.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.json) })
  }

  /// The figures as a table for people, in per cent: all, each language, and each source with enough rows to mean
  /// something.
  public var table: String {
    var lines = [Self.head]
    lines += [all.row(named: "all")]
    lines += byLanguage.sorted { $0.key < $1.key }.map { $0.value.row(named: $0.key) }
    let sources = bySource.filter { $0.value.count >= Self.sourceRowsMin }
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    lines += sources.map { $0.value.row(named: $0.key) }
    lines += ["", "F1 of each category"]
    lines.append(cell("", Self.nameWidth) + Topic.categories.map { cell($0.name, 11) }.joined())
    for (language, figures) in byLanguage.sorted(by: { $0.key < $1.key }) {
      lines.append(
        cell(language, Self.nameWidth)
          + figures.perTopic.map { cell($0.map { percent($0.f1) } ?? "–", 11) }.joined())
    }
    lines += ["", "Confusion: rows are labels, columns answers"]
    lines.append(cell("", Self.nameWidth) + Topic.categories.map { cell($0.name, 11) }.joined())
    for topic in Topic.categories {
      lines.append(
        cell(topic.name, Self.nameWidth) + all.confusion[topic.rawValue].map { cell("\($0)", 11) }.joined())
    }
    return lines.joined(separator: "\n")
  }

  private static let sourceRowsMin = 100
  fileprivate static let nameWidth = 26
  private static let head =
    cell("", nameWidth)
    + ["rows", "accuracy", "macro-F1", "calib.err", "top 70 %", "covered", "right", "Other@90", "Other"]
    .map { cell($0, 10) }.joined()
}

extension Evaluation.Figures {
  fileprivate func row(named name: String) -> String {
    let cells = [
      "\(count)", percent(accuracy), percent(macroF1), percent(calibrationError),
      percent(accuracy(ofMostConfident: 0.7)),
      percent(coverage.share), percent(coverage.accuracy),
      otherCount > 0 ? percent(othersAccepted(atCoverage: 0.9)) : "–",
      otherCount > 0 ? percent(othersAccepted) : "–",
    ]
    return cell(name, Evaluation.nameWidth) + cells.map { cell($0, 10) }.joined()
  }

  fileprivate var json: JSONValue {
    [
      "rows": .number(JSONNumber(count)), "accuracy": .share(accuracy), "macroF1": .share(macroF1),
      "calibrationError": .share(calibrationError), "accuracyOfMostConfident70": .share(accuracy(ofMostConfident: 0.7)),
      "coverage": .share(coverage.share), "accuracyOfCovered": .share(coverage.accuracy),
      "otherRows": .number(JSONNumber(otherCount)),
      "otherAcceptedAtCoverage90": .share(othersAccepted(atCoverage: 0.9)),
      "otherAcceptedAtThreshold": .share(othersAccepted),
      "classes": .object(
        JSONObject(
          Topic.categories.compactMap { topic -> JSONObject.Member? in
            perTopic[topic.rawValue].map {
              (topic.name, ["precision": .share($0.precision), "recall": .share($0.recall), "f1": .share($0.f1)])
            }
          })),
      "confusion": .array(confusion.map { .array($0.map { .number(JSONNumber($0)) }) }),
      "reliability": .array(
        reliability.map {
          [
            "rows": .number(JSONNumber($0.count)), "probability": .share($0.probability),
            "accuracy": .share($0.accuracy),
          ]
        }),
    ]
  }
}

/// Right-aligned, unless it names the row.
private func cell(_ text: String, _ width: Int) -> String {
  let blanks = String(repeating: " ", count: max(1, width - text.count))
  return width == Evaluation.nameWidth ? text + blanks : blanks + text
}

private func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10)" }

extension JSONValue {
  /// Four figures: a row more or less changes the fifth.
  fileprivate static func share(_ share: Double) -> JSONValue {
    JSONNumber((share * 10_000).rounded() / 10_000).map { .number($0) } ?? .null
  }
}
