internal import Synchronization

/// Every metric of a process; hands out instruments and writes them all as Prometheus text.
///
/// Asking twice for the same name gives the same metric, so that a part that is made twice counts in one place.
public final class MetricRegistry: Sendable {
  private let families = Mutex<[String: MetricFamily]>([:])

  /// A registry without metrics.
  public init() {}

  /// A number that only grows. Its name ends in `_total`.
  public func counter(_ name: String, help: String, labels: [String] = []) -> Counter {
    Counter(family: family(name, help, labels, .counter))
  }

  /// A number that goes up and down.
  public func gauge(_ name: String, help: String, labels: [String] = []) -> Gauge {
    Gauge(family: family(name, help, labels, .gauge))
  }

  /// A distribution: how many observations were at most each of the bounds.
  public func histogram(
    _ name: String, help: String, bounds: [Double] = Histogram.secondBounds, labels: [String] = []
  ) -> Histogram {
    Histogram(family: family(name, help, labels, .histogram(bounds: bounds)))
  }

  private func family(_ name: String, _ help: String, _ labels: [String], _ kind: MetricFamily.Kind) -> MetricFamily {
    families.withLock { families in
      if let known = families[name] {
        precondition(known.kind == kind && known.labels == labels, "metric \(name) is declared in two ways")
        return known
      }
      let family = MetricFamily(name: name, help: help, labels: labels, kind: kind)
      families[name] = family
      return family
    }
  }

  /// All metrics in the Prometheus text exposition format 0.0.4, sorted by name.
  public func exposition() -> String {
    let sorted = families.withLock { $0.values.sorted { $0.name < $1.name } }
    return sorted.map { $0.exposition() }.joined()
  }
}

/// A number that only grows.
public struct Counter: Sendable {
  fileprivate let family: MetricFamily

  /// Adds to the count of these label values, given in the order in which the labels were declared.
  public func increment(by amount: Double = 1, _ labels: [String] = []) {
    family.add(amount, labels)
  }

  /// The count of these label values.
  public func value(_ labels: [String] = []) -> Double { family.value(labels) }
}

/// A number that goes up and down.
public struct Gauge: Sendable {
  fileprivate let family: MetricFamily

  /// Sets the number of these label values.
  public func set(_ value: Double, _ labels: [String] = []) { family.set(value, labels) }

  /// Forgets these label values: nothing is known of them any more.
  public func remove(_ labels: [String]) { family.remove(labels) }

  /// Adds to the number of these label values.
  public func add(_ amount: Double, _ labels: [String] = []) { family.add(amount, labels) }

  /// The number of these label values.
  public func value(_ labels: [String] = []) -> Double { family.value(labels) }
}

/// A distribution.
public struct Histogram: Sendable {
  /// From a millisecond to a minute: how long a request or a stage takes.
  public static let secondBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60]
  fileprivate let family: MetricFamily

  /// Counts an observation.
  public func observe(_ value: Double, _ labels: [String] = []) { family.observe(value, labels) }

  /// How many observations there were.
  public func count(_ labels: [String] = []) -> Double { family.value(labels) }
}

/// One metric's name, labels and values.
final class MetricFamily: Sendable {
  enum Kind: Hashable, Sendable {
    case counter, gauge
    case histogram(bounds: [Double])
  }

  /// One combination of label values. For a histogram `total` counts the observations.
  private struct Series {
    var total = 0.0
    var sum = 0.0
    var buckets: [Double] = []
  }

  let name: String
  let help: String
  let labels: [String]
  let kind: Kind
  private let series: Mutex<[[String]: Series]>

  /// Past this many combinations of label values new ones are counted together as `other`: a label must not be able
  /// to fill the memory.
  private static let seriesMax = 1000

  init(name: String, help: String, labels: [String], kind: Kind) {
    self.name = name
    self.help = help
    self.labels = labels
    self.kind = kind
    // A metric without labels is there from the start: an absent zero looks like an absent metric.
    series = Mutex(labels.isEmpty ? [[]: Series()] : [:])
  }

  func add(_ amount: Double, _ labels: [String]) { update(labels) { $0.total += amount } }
  func set(_ value: Double, _ labels: [String]) { update(labels) { $0.total = value } }
  func remove(_ labels: [String]) { series.withLock { $0[labels] = nil } }
  func value(_ labels: [String]) -> Double { series.withLock { $0[labels]?.total ?? 0 } }

  func observe(_ value: Double, _ labels: [String]) {
    guard case .histogram(let bounds) = kind else { return }
    update(labels) { series in
      if series.buckets.isEmpty { series.buckets = Array(repeating: 0, count: bounds.count) }
      if let bucket = bounds.firstIndex(where: { value <= $0 }) { series.buckets[bucket] += 1 }
      series.total += 1
      series.sum += value
    }
  }

  private func update(_ labels: [String], _ change: (inout Series) -> Void) {
    precondition(labels.count == self.labels.count, "metric \(name) has the labels \(self.labels)")
    series.withLock { all in
      let known = all[labels] != nil || all.count < Self.seriesMax
      change(&all[known ? labels : self.labels.map { _ in "other" }, default: Series()])
    }
  }

  func exposition() -> String {
    let sorted = series.withLock { $0.sorted { $0.key.lexicographicallyPrecedes($1.key) } }
    var text = "# HELP \(name) \(help.escapingForExposition(quote: false))\n"
    switch kind {
    case .counter: text += "# TYPE \(name) counter\n"
    case .gauge: text += "# TYPE \(name) gauge\n"
    case .histogram: text += "# TYPE \(name) histogram\n"
    }
    for (values, series) in sorted {
      guard case .histogram(let bounds) = kind else {
        text += "\(name)\(labelText(values)) \(number(series.total))\n"
        continue
      }
      var cumulative = 0.0
      for (position, bound) in bounds.enumerated() {
        cumulative += series.buckets.isEmpty ? 0 : series.buckets[position]
        text += "\(name)_bucket\(labelText(values, bound: number(bound))) \(number(cumulative))\n"
      }
      text += "\(name)_bucket\(labelText(values, bound: "+Inf")) \(number(series.total))\n"
      text += "\(name)_sum\(labelText(values)) \(number(series.sum))\n"
      text += "\(name)_count\(labelText(values)) \(number(series.total))\n"
    }
    return text
  }

  private func labelText(_ values: [String], bound: String? = nil) -> String {
    var pairs = zip(labels, values).map { "\($0)=\"\($1.escapingForExposition(quote: true))\"" }
    if let bound { pairs.append("le=\"\(bound)\"") }
    return pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
  }
}

/// A number as the exposition format spells it: whole numbers without a fraction.
private func number(_ value: Double) -> String {
  value.magnitude < 1e15 && value == value.rounded() ? String(Int64(value)) : String(value)
}

extension String {
  fileprivate func escapingForExposition(quote: Bool) -> String {
    var text = ""
    for character in self {
      switch character {
      case "\\": text += "\\\\"
      case "\n", "\r\n": text += "\\n"
      case "\"" where quote: text += "\\\""
      default: text.append(character)
      }
    }
    return text
  }
}
