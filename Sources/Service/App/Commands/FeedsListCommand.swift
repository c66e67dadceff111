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
      wrong, when it is looked at next and why. `address` is where its publisher has moved it for good, which
      `feeds export` writes. A feed whose publisher has said twice that it is gone is disabled; `feeds enable` takes it
      up again. The worker may be running meanwhile.
      """,
    examples: ["tidings feeds list --config tidings.yaml --table"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let loaded = try loadFeeds(arguments, console)
    let states = try await loaded.feedStates()
    let rows = loaded.feeds.map { FeedHealth(feed: $0, state: states[$0.subscription.url]) }
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
    return .object(object)
  }

  static let columns = ["FEED", "CATEGORY", "HEALTH", "LAST READ", "NEXT CHECK", "WHY, OR WHAT IS WRONG"]

  func cells(now: Timestamp) -> [String] {
    [
      feed.subscription.name, feed.subscription.category?.rawValue ?? "", health,
      state?.lastSuccess.map { "\($0.distance(to: now).inWords) ago" } ?? "never",
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
    let words = state.lastError ?? state.nextCheckReason
    return state.address.map { "\(words) (moved to \($0))" } ?? words
  }
}

extension String {
  /// How many columns of a terminal it takes: Chinese, Japanese and Korean characters and emoji take two (UAX #11).
  fileprivate var columns: Int {
    reduce(0) { sum, character in
      switch character.unicodeScalars.first?.value ?? 0 {
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
        sum + 2
      default: sum + 1
      }
    }
  }
}

/// Aligned columns for a person's eyes.
struct TextTable {
  var columns: [String]
  var rows: [[String]]

  /// The head and the rows, a line each; the last column runs as long as it is.
  var text: String {
    let lines = [columns] + rows.map { row in row.map { cell in String(cell.map { $0.isNewline ? " " : $0 }) } }
    let widths = columns.indices.map { column in lines.map { $0[column].columns }.max() ?? 0 }
    return lines.map { line in
      let cells = line.indices.map { column in
        column == line.count - 1
          ? line[column] : line[column] + String(repeating: " ", count: widths[column] - line[column].columns)
      }
      return cells.joined(separator: "  ") + "\n"
    }.joined()
  }
}
