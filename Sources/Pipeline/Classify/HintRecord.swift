internal import Synchronization
public import Telemetry

/// How far each source's hints can be trusted: counts those that the model contradicts, and tells the operator once when
/// they are many.
public final class HintRecord: Sendable {
  private struct Count {
    var hints = 0
    var contradicted = 0
    var isReported = false
  }

  private let counts = Mutex<[String: Count]>([:])
  private let logger: Logger
  private let hints: Counter
  private let contradicted: Counter

  /// Sources beyond this many are not told apart: a broker's articles can name any.
  private static let sourcesMax = 1000
  /// A source is judged after this many hints…
  private static let hintsMin = 20
  /// …and reported if more than one of so many was contradicted.
  private static let reportedOneOf = 4

  /// A record that reports to this logger and these metrics.
  public init(logger: Logger, metrics: MetricRegistry) {
    self.logger = logger
    hints = metrics.counter(
      "tidings_category_hints_total", help: "Articles whose category a subscription or terms gave, by source.",
      labels: ["source"])
    contradicted = metrics.counter(
      "tidings_category_hints_contradicted_total", help: "Of them, those that the model contradicts strongly.",
      labels: ["source"])
  }

  func note(source: String?, isContradicted: Bool) {
    let report = counts.withLock { counts -> (source: String, count: Count)? in
      var source = source ?? "unknown"
      if counts[source] == nil, counts.count >= Self.sourcesMax { source = "others" }
      hints.increment([source])
      if isContradicted { contradicted.increment([source]) }
      var count = counts[source] ?? Count()
      count.hints += 1
      count.contradicted += isContradicted ? 1 : 0
      let isDoubtful = count.hints >= Self.hintsMin && count.contradicted * Self.reportedOneOf > count.hints
      let isNews = isDoubtful && !count.isReported
      count.isReported = count.isReported || isDoubtful
      counts[source] = count
      return isNews ? (source, count) : nil
    }
    guard let report else { return }
    logger.warning(
      "source.hints_doubtful",
      [
        "source": LogValue(report.source), "hints": LogValue(report.count.hints),
        "contradicted": LogValue(report.count.contradicted),
        "reason": "its category is often another than its texts read as",
      ])
  }
}
