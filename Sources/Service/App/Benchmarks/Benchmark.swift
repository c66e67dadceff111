internal import Files
internal import JSON
internal import Time

/// Something whose speed this program promises, and can show.
protocol Benchmark: Sendable {
  /// What `bench` calls it.
  var name: String { get }
  /// What it measures, in a line.
  var summary: String { get }

  /// Measures it, on the files named or on input of its own.
  func run(on files: [String], _ console: Console) async throws -> BenchmarkReport
}

/// What a benchmark found.
struct BenchmarkReport: Sendable {
  /// What it was measured on.
  var input: JSONObject
  /// The measurements, in the order in which they were taken.
  var measurements: [Measurement]
}

/// How long some work took.
struct Measurement: Sendable {
  /// An amount of work in a unit, such as 45 MB.
  struct Amount: Sendable {
    /// How much.
    var count: Double
    /// Of what, in the plural.
    var unit: String
  }

  /// What was done.
  var name: String
  /// How much; the first amount counts the items.
  var amounts: [Amount]
  /// By the clock.
  var elapsed: Duration
  /// By the processors.
  var processorTime: Duration

  /// Measures `work`, which says how much it did.
  static func of(
    _ name: String, _ work: () async throws -> [Amount]
  ) async rethrows -> Measurement {
    let usage = ResourceUsage.now
    let start = ContinuousClock.now
    let amounts = try await work()
    return Measurement(
      name: name, amounts: amounts, elapsed: ContinuousClock.now - start,
      processorTime: ResourceUsage.now.processorTime - usage.processorTime)
  }
}

extension BenchmarkReport {
  /// The report with its units.
  func json(of benchmark: String) -> JSONValue {
    [
      "benchmark": .string(benchmark), "build": .string(Self.build), "input": .object(input),
      "measurements": .array(measurements.map(\.json)),
      "peakMemory": ["unit": "MiB", "value": .rounded(Double(ResourceUsage.now.residentBytesMax) / 1_048_576)],
    ]
  }

  /// Debug figures say nothing, and must not be taken for others.
  private static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }
}

extension Measurement {
  fileprivate var json: JSONValue {
    let seconds = elapsed.inSeconds
    let items = amounts.first
    return [
      "name": .string(name), "seconds": .rounded(seconds),
      "amounts": .array(amounts.map { ["unit": .string($0.unit), "value": .rounded($0.count)] }),
      "rates": .array(
        amounts.map { ["unit": .string("\($0.unit)/s"), "value": .rounded($0.count / max(seconds, 1e-9))] }),
      "processorRates": .array(
        amounts.map {
          [
            "unit": .string("\($0.unit) per second of processor time"),
            "value": .rounded($0.count / max(processorTime.inSeconds, 1e-9)),
          ]
        }),
      "processorTimePerItem": [
        "unit": "µs", "value": .rounded(processorTime.inSeconds * 1e6 / max(items?.count ?? 1, 1)),
      ],
    ]
  }
}

extension JSONValue {
  /// A number of about four figures: more would claim what no single run can know.
  fileprivate static func rounded(_ value: Double) -> JSONValue {
    let scale = value.magnitude < 1 ? 1e6 : value.magnitude < 1000 ? 1e3 : 1
    let rounded = (value * scale).rounded() / scale
    if rounded == rounded.rounded(), let whole = Int(exactly: rounded) { return .number(JSONNumber(whole)) }
    return JSONNumber(rounded).map { .number($0) } ?? .null
  }
}
