import Files
import News
import TestKit
import Testing

/// `TIDINGS_SOAK` says how many seconds a soak takes, about one minute without it; `TIDINGS_SOAK_SEED` which one it is.
@Suite("Soak")
struct SoakTests {
  private static func number(_ name: String) -> Int? { ProcessEnvironment.variables[name].flatMap { Int($0) } }

  private static let minutes = max(1, (number("TIDINGS_SOAK") ?? 60) / 60)
  private static let seed = UInt64(number("TIDINGS_SOAK_SEED") ?? 1)

  @Test(
    "Under every fault in turn readers have what they should, once and in order, and committed offsets never move back",
    .timeLimit(.minutes(60)))
  func soak() async throws {
    // In ten minutes there are 200,000 records, and the broker is down for longer.
    let isLong = Self.minutes > 1
    let plan = SoakPlan(seed: Self.seed, stories: Self.minutes * (isLong ? 15_000 : 6_000), rounds: Self.minutes)
    let started = ContinuousClock.now
    let soak = try await Soak(plan, brokerIsDownFor: .seconds(isLong ? 20 : 4))
    try await soak.run()

    let received = soak.watch.received
    var doubled = 0
    var lost = 0
    for (category, expected) in plan.expected {
      let pushes = received[category] ?? []
      let (missing, surplus) = difference(expected, pushes)
      #expect(missing.isEmpty, "\(category.rawValue) misses \(missing.count): \(missing.prefix(5))")
      #expect(surplus.isEmpty, "\(category.rawValue) has too much, \(surplus.count): \(surplus.prefix(5))")
      lost += missing.count
      doubled += surplus.count
      let (byArticle, inOrder) = (Dictionary(grouping: pushes, by: \.id), Dictionary(grouping: expected, by: \.id))
      let disordered = inOrder.filter { $0.value.count > 1 && byArticle[$0.key] != $0.value }
      #expect(disordered.isEmpty, "\(disordered.prefix(5).map { (byArticle[$0.key] ?? [], $0.value) })")
    }
    #expect(soak.watch.setbacks.isEmpty)
    #expect(soak.watch.letters == plan.poison)
    #expect(soak.watch.strange.isEmpty, "\(soak.watch.strange.prefix(5))")
    #expect(soak.faultyEndings.isEmpty)

    // A hub that does not know what it has had got nothing twice; what it may have missed is noted.
    let taken = soak.hub.taken
    #expect(taken.filter { $0.value > 1 }.isEmpty)
    let pushes = Set(plan.expected.values.joined())
    #expect(Set(taken.keys).isSubset(of: pushes))
    let unknown = try await soak.watch.unknown(at: Soak.far)
    #expect(pushes.subtracting(taken.keys).count <= unknown)
    await soak.watch.close()
    soak.hub.stop()
    print(
      "soak: seed \(Self.seed), \(ContinuousClock.now - started), \(plan.recordCount) records of \(plan.stories),",
      "pushes to readers \(received.values.map(\.count).reduce(0, +)), doubled \(doubled), lost \(lost);",
      "second hub \(taken.count), refused \(soak.hub.refused), unknown \(unknown);",
      "dead letters \(soak.watch.letters.count); offsets read \(soak.watch.looks) times,",
      "moved back \(soak.watch.setbacks.count); faults \(soak.faults.sorted { $0.key < $1.key })")
  }

  /// What is missing of the first in the second, and what is there too often.
  private func difference(
    _ expected: [SoakDelivery], _ found: [SoakDelivery]
  ) -> (missing: [SoakDelivery], surplus: [SoakDelivery]) {
    var counts: [SoakDelivery: Int] = [:]
    for delivery in expected { counts[delivery, default: 0] += 1 }
    for delivery in found { counts[delivery, default: 0] -= 1 }
    return (counts.filter { $0.value > 0 }.map(\.key), counts.filter { $0.value < 0 }.map(\.key))
  }
}

@Suite("Soak plans")
struct SoakPlanTests {
  @Test("A seed has one plan, another seed another", arguments: [1, 2, 3] as [UInt64])
  func isRepeatable(seed: UInt64) {
    let plan = SoakPlan(seed: seed, stories: 500, rounds: 1)
    #expect(plan.steps == SoakPlan(seed: seed, stories: 500, rounds: 1).steps)
    #expect(plan.steps != SoakPlan(seed: seed + 1, stories: 500, rounds: 1).steps)
  }

  @Test("Every kind of story and every fault is in it, each round's faults among its records")
  func isWhole() {
    let plan = SoakPlan(seed: 7, stories: 4_000, rounds: 3)
    #expect(Set(plan.stories.keys) == Set(SoakStory.allCases))
    #expect(plan.stories.values.reduce(0, +) == 4_000)
    let faults = plan.steps.compactMap { if case .fault(let fault) = $0 { fault } else { nil } }
    let kinds = [
      "kill", "join", "leave", "broker down", "request errors", "hub 429", "hub 503", "hub refuses", "clock step",
    ]
    #expect(Set(faults.map(\.name)) == Set(kinds))
    #expect(faults.filter { $0 == .firstIsKilled }.count == 3)
    let second = faults.filter { [.secondJoins, .secondIsKilled, .secondLeaves].contains($0) }
    #expect(second == Array(repeating: [.secondJoins, .secondIsKilled, .secondLeaves], count: 3).flatMap { $0 })
    let clocks = faults.compactMap { if case .clockShows(let seconds) = $0 { seconds } else { nil } }
    #expect(clocks.count == 9 && clocks.last == 0)
    if case .fault = plan.steps.first { Issue.record("a fault before all records") }
    if case .fault = plan.steps.last { Issue.record("a fault after all records") }
  }

  @Test("What readers have to have follows from what is written of each article")
  func expects() {
    let plan = SoakPlan(seed: 11, stories: 4_000, rounds: 1)
    let records = plan.steps.compactMap { if case .write(let record) = $0 { record } else { nil } }
    #expect(records.count == plan.recordCount)
    var told: [Category: [SoakDelivery]] = [:]
    for (_, records) in Dictionary(grouping: records.filter { $0.key != nil }, by: \.key) {
      var seen = 0
      var versions: [Int] = []
      for record in records {
        guard case .article(let version, let categories, let status, let embargo) = record.content else { continue }
        defer { seen = max(seen, version) }
        let isLong = embargo.map { $0 > .seconds(60) } ?? false
        guard version > seen, status == .usable, !isLong else { continue }
        versions.append(version)
        let kind = versions.count == 1 ? "alert" : "correction"
        for category in categories {
          told[category, default: []].append(SoakDelivery(id: record.key ?? "", version: version, kind: kind))
        }
      }
    }
    for category in Category.allCases {
      #expect(Set(told[category] ?? []) == Set(plan.expected[category] ?? []))
      #expect(told[category]?.count == plan.expected[category]?.count)
    }
  }
}
