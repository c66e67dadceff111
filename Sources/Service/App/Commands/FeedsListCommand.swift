internal import Files
internal import Ingest
internal import JSON
internal import News
internal import SQLiteStore
internal import Telemetry
internal import Time

/// `feeds list`: what is followed, and how each feed is.
struct FeedsListCommand: Command {
  private static let table = CommandOption.flag("table", "prints a table, as on a terminal")

  let usage = CommandUsage(
    name: "feeds list", summary: "shows the followed feeds and the health of each", options: [feedsConfig, table],
    explanation: """
      Prints one JSON object a feed: its health (`new`, `ok`, `failing`, `disabled`), when it was last read, what is
      wrong, when it is looked at next and why, and how its hub stands that brings news at once (`requested`, `active`,
      `refused`, `silent`), where it has one. `address` is where its publisher has moved it for good, which
      `feeds export` writes. A feed whose publisher has said twice that it is gone is disabled; `feeds enable` takes it
      up again. The worker may be running meanwhile.
      """,
    examples: ["tidings feeds list --config tidings.yaml --table"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let loaded = try loadFeeds(arguments, console)
    let states = try await loaded.feedStates()
    let hubs = try await loaded.hubSubscriptions()
    let rows = loaded.feeds.map {
      FeedHealth(feed: $0, state: states[$0.subscription.url], hub: hubs[$0.subscription.url])
    }
    if arguments.isSet(Self.table) || console.output.isTerminal {
      try console.write(
        TextTable(columns: FeedHealth.columns, rows: rows.map { $0.cells(now: console.clock.now) }).text)
    } else {
      for row in rows { try console.writeLine(row.json.text()) }
    }
  }
}

/// A followed feed with what is known of it.
private struct FeedHealth {
  let feed: FollowedFeed
  let state: FeedState?
  let hub: HubSubscription?

  private var health: String {
    guard let state, state.lastAttempt != nil else { return "new" }
    if state.disabledReason != nil { return "disabled" }
    return state.failures > 0 ? "failing" : "ok"
  }

  var json: JSONValue {
    let subscription = feed.subscription
    var object: JSONObject = ["url": .string(subscription.url), "name": .string(subscription.name)]
    object["category"] = subscription.category.map { .string($0.rawValue) }
    object["language"] = subscription.language.map { .string($0) }
    object["health"] = .string(health)
    guard let state else { return .object(object) }
    object["address"] = state.address.map { .string($0) }
    object["disabled"] = state.disabledReason.map { .string($0) }
    object["title"] = state.title.map { .string($0) }
    object["lastSuccess"] = state.lastSuccess.map { .string($0.rfc3339) }
    object["lastAttempt"] = state.lastAttempt.map { .string($0.rfc3339) }
    object["failures"] = .number(JSONNumber(state.failures))
    object["error"] = state.lastError.map { .string($0) }
    if state.disabledReason == nil {
      object["nextCheck"] = ["time": .string(state.nextCheck.rfc3339), "reason": .string(state.nextCheckReason)]
    }
    if let hub {
      var standing: JSONObject = ["url": .string(hub.hub), "state": .string(hub.phase.rawValue)]
      standing["until"] = hub.leaseEnd.map { .string($0.rfc3339) }
      standing["lastDelivery"] = hub.lastDelivery.map { .string($0.rfc3339) }
      standing["problem"] = hub.problem.map { .string($0) }
      object["hub"] = .object(standing)
    }
    return .object(object)
  }

  static let columns = ["FEED", "CATEGORY", "HEALTH", "LAST READ", "HUB", "NEXT CHECK", "WHY, OR WHAT IS WRONG"]

  func cells(now: Timestamp) -> [String] {
    [
      feed.subscription.name, feed.subscription.category?.rawValue ?? "", health,
      state?.lastSuccess.map { "\($0.distance(to: now).inWords) ago" } ?? "never",
      hub?.phase.rawValue ?? "none",
      nextCheck(now: now),
      explanation,
    ]
  }

  private func nextCheck(now: Timestamp) -> String {
    guard let state else { return "due" }
    if state.disabledReason != nil { return "never" }
    return state.nextCheck <= now ? "due" : "in \(now.distance(to: state.nextCheck).inWords)"
  }

  private var explanation: String {
    guard let state else { return "not polled yet" }
    if let reason = state.disabledReason { return "\(reason); `tidings feeds enable` asks it again" }
    let words = [state.lastError ?? state.nextCheckReason, hub?.problem].compactMap(\.self).joined(separator: "; ")
    return state.address.map { "\(words) (moved to \($0))" } ?? words
  }
}
