internal import Topics

/// Which rows teach, and how much each counts.
struct RowSelection {
  /// The rows, in their order.
  private(set) var rows: [LabelledRow] = []
  /// How much each counts; 1 on average.
  private(set) var weights: [Double] = []

  init(_ all: [LabelledRow], notes: TrainingNotes, options: TrainingOptions) {
    var lottery = Lottery(seed: options.seed)
    rows = all.filter { row in
      if row.collection == "sib200" { return false }
      return row.topic != .other || notes.showsOther(row)
    }
    rows = Self.withFewOthers(rows, max: options.othersMax, &lottery)
    weights = rows.map { $0.collection == "newsapi_cat" ? options.aggregatorWeight : 1 }
    silenceMixedPolitics(options)
    weighOutlets(options)
    weighLanguagesAndTopics(options)
    for index in rows.indices where rows[index].topic == .other { weights[index] *= options.othersFactor }
    let mean = weights.reduce(0, +) / Double(max(1, weights.count))
    for index in weights.indices { weights[index] /= mean }
  }

  private static func withFewOthers(_ rows: [LabelledRow], max: Int, _ lottery: inout Lottery) -> [LabelledRow] {
    var places: [String: [Int32]] = [:]
    for (index, row) in rows.enumerated() where row.topic == .other {
      places[row.language, default: []].append(Int32(index))
    }
    var dropped: Set<Int> = []
    for language in places.keys.sorted() {
      guard var indices = places[language], indices.count > max else { continue }
      lottery.shuffle(&indices)
      dropped.formUnion(indices[max...].map(Int.init))
    }
    return rows.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
  }

  /// A German outlet's section `politik` holds home and abroad unless the outlet has a section for abroad, too.
  private mutating func silenceMixedPolitics(_ options: TrainingOptions) {
    var counts: [String: (world: Int, politics: Int)] = [:]
    for row in rows where row.language == "de" {
      if row.topic == .world { counts[row.source, default: (0, 0)].world += 1 }
      if row.topic == .politics { counts[row.source, default: (0, 0)].politics += 1 }
    }
    for index in rows.indices where rows[index].language == "de" && rows[index].topic == .politics {
      let (world, politics) = counts[rows[index].source] ?? (0, 0)
      if politics >= options.mixedPoliticsMin && Double(world) < options.mixedWorldShare * Double(politics) {
        weights[index] = 0
      }
    }
  }

  /// An outlet's many rows of a topic teach its habits, not the topic.
  private mutating func weighOutlets(_ options: TrainingOptions) {
    struct Shelf: Hashable {
      var source: String
      var topic: Topic
    }
    var counts: [Shelf: Int] = [:]
    for row in rows { counts[Shelf(source: row.source, topic: row.topic), default: 0] += 1 }
    for (index, row) in rows.enumerated() {
      let count = Double(counts[Shelf(source: row.source, topic: row.topic)] ?? 1)
      weights[index] *= power(max(count / options.outletRows, 1), -options.outletPower)
    }
  }

  private mutating func weighLanguagesAndTopics(_ options: TrainingOptions) {
    var masses: [String: [Double]] = [:]
    for (index, row) in rows.enumerated() {
      masses[row.language, default: Array(repeating: 0, count: 7)][row.topic.rawValue] += weights[index]
    }
    let largest = masses.values.map { $0.reduce(0, +) }.max() ?? 1
    for (index, row) in rows.enumerated() where weights[index] > 0 {
      guard let mass = masses[row.language] else { continue }
      let total = mass.reduce(0, +)
      let present = mass.filter { $0 > 0 }
      let mean = total / Double(present.count)
      weights[index] *= power(total / largest, -options.languagePower)
      weights[index] *= min(power(mean / mass[row.topic.rawValue], options.topicPower), options.topicFactorMax)
    }
  }

  private func power(_ base: Double, _ exponent: Double) -> Double { StableMath.exp(exponent * StableMath.log(base)) }
}
