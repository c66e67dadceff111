public import JSON
public import Push

/// What became of a notification for one registration, in the words that Azure's telemetry uses.
public enum Outcome: String, Hashable, Sendable, CaseIterable {
  /// It is in the device's mailbox.
  case success = "Success"
  /// The device has it already, by another registration with the same handle and template name.
  case skipped = "Skipped"
  /// The registration was gone by the time of the delivery.
  case expiredChannel = "ExpiredChannel"
  /// The hub has no credentials for the device's platform.
  case invalidCredentials = "InvalidCredentials"
  /// What the device's template gave is longer than its platform takes.
  case invalidNotificationSize = "InvalidNotificationSize"
  /// The device's template cannot be read.
  case invalidNotificationFormat = "InvalidNotificationFormat"
}

/// How many registrations a notification met, and what became of it there.
public struct Tally: Hashable, Sendable {
  /// How many registrations belonged to the audience.
  public private(set) var matched = 0
  private var counts: [Platform: [Outcome: Int]] = [:]

  /// Nothing met yet.
  public init() {}

  /// How often an outcome came about, on one platform or on all.
  public func count(of outcome: Outcome, on platform: Platform? = nil) -> Int {
    if let platform { return counts[platform]?[outcome] ?? 0 }
    return counts.values.reduce(0) { $0 + ($1[outcome] ?? 0) }
  }

  /// Counts `count` registrations of a platform that had this outcome.
  public mutating func add(_ outcome: Outcome, on platform: Platform, count: Int = 1) {
    guard count > 0 else { return }
    matched += count
    counts[platform, default: [:]][outcome, default: 0] += count
  }

  /// Counts what another tally has counted.
  public mutating func add(_ other: Tally) {
    other.forEach { add($0, on: $1, count: $2) }
  }

  /// Goes through what was counted, platforms and outcomes in a fixed order.
  public func forEach(_ body: (Outcome, Platform, Int) -> Void) {
    for platform in Platform.allCases {
      for outcome in Outcome.allCases {
        if let count = counts[platform]?[outcome] { body(outcome, platform, count) }
      }
    }
  }
}

extension Tally {
  /// The tally as an object of objects: `{"sse": {"Success": 3}}`.
  public var json: JSONValue {
    var platforms = JSONObject()
    for platform in Platform.allCases {
      guard let outcomes = counts[platform] else { continue }
      let members = Outcome.allCases.compactMap { outcome in
        outcomes[outcome].map { (outcome.rawValue, JSONValue(integerLiteral: $0)) }
      }
      platforms[platform.rawValue] = .object(JSONObject(members))
    }
    return .object(platforms)
  }

  /// The tally that `json` writes; what this version does not know is left out.
  public init(json: JSONValue) {
    for (platform, outcomes) in json.object ?? [:] {
      guard let platform = Platform(platform) else { continue }
      for (outcome, count) in outcomes.object ?? [:] {
        guard let outcome = Outcome(rawValue: outcome), let count = count.int else { continue }
        add(outcome, on: platform, count: count)
      }
    }
  }
}
