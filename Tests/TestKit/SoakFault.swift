/// Something that breaks, or is mended, while a soak goes on.
public enum SoakFault: Sendable, Hashable {
  /// The first worker is killed, and started anew.
  case firstIsKilled
  /// A second worker joins over the same store.
  case secondJoins
  /// The second worker is killed, and started anew.
  case secondIsKilled
  /// The second worker is stopped as it should be.
  case secondLeaves
  /// The broker closes its connections, and refuses new ones for so long.
  case brokerIsDown
  /// The broker answers the next requests of a kind with these errors of Kafka's protocol.
  case requestsFail(apiKey: Int16, codes: [Int32])
  /// The hub answers with this status for a while.
  case hubAnswers(status: Int)
  /// The hub refuses connections for a while.
  case hubRefuses
  /// The workers' wall clock shows so many seconds more than the machine's.
  case clockShows(seconds: Int)

  /// What it is called where faults are counted.
  public var name: String {
    switch self {
    case .firstIsKilled, .secondIsKilled: "kill"
    case .secondJoins: "join"
    case .secondLeaves: "leave"
    case .brokerIsDown: "broker down"
    case .requestsFail: "request errors"
    case .hubAnswers(let status): "hub \(status)"
    case .hubRefuses: "hub refuses"
    case .clockShows: "clock step"
    }
  }

  /// One of each kind, in an order that chance chooses. After the last round the clocks show the machine's time.
  static func round(isLast: Bool, using generator: inout SeededGenerator) -> [SoakFault] {
    var faults: [SoakFault] = [.firstIsKilled, .brokerIsDown, .hubAnswers(status: 429), .hubAnswers(status: 503)]
    faults.append(.hubRefuses)
    for (apiKey, codes) in requestErrors.shuffled(using: &generator).prefix(4) {
      let count = Int.random(in: 1...5, using: &generator)
      faults.append(
        .requestsFail(apiKey: apiKey, codes: (0..<count).map { _ in codes.randomElement(using: &generator)! }))
    }
    let second: [SoakFault] = [.secondJoins, .secondIsKilled, .secondLeaves]
    let clocks: [SoakFault] = [
      .clockShows(seconds: Int.random(in: 60...900, using: &generator)),
      .clockShows(seconds: -Int.random(in: 60...900, using: &generator)),
      .clockShows(seconds: isLast ? 0 : Int.random(in: -60...60, using: &generator)),
    ]
    faults = (faults + second + clocks).shuffled(using: &generator)
    // These go in their order, wherever they stand.
    for ordered in [second, clocks] {
      var next = ordered.makeIterator()
      faults = faults.map { ordered.contains($0) ? next.next()! : $0 }
    }
    return faults
  }

  /// Errors after which a client has to try again or find its way anew, by the kind of request (`ApiKey`).
  private static let requestErrors: [(apiKey: Int16, codes: [Int32])] = [
    // Produce: NOT_LEADER_OR_FOLLOWER, REQUEST_TIMED_OUT, NOT_ENOUGH_REPLICAS.
    (0, [6, 7, 19]),
    // Fetch: NOT_LEADER_OR_FOLLOWER, LEADER_NOT_AVAILABLE.
    (1, [6, 5]),
    // OffsetCommit: COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR.
    (8, [14, 15, 16]),
    // OffsetFetch: the same.
    (9, [14, 15, 16]),
    // FindCoordinator: COORDINATOR_NOT_AVAILABLE.
    (10, [15]),
    // JoinGroup: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.
    (11, [14, 16]),
    // Heartbeat: NOT_COORDINATOR, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS.
    (12, [16, 22, 25, 27]),
    // SyncGroup: COORDINATOR_LOAD_IN_PROGRESS, REBALANCE_IN_PROGRESS.
    (14, [14, 27]),
  ]
}
