internal import Curl
internal import Ingest
internal import JSON
internal import SQLiteStore
internal import Time

/// `feeds enable`: takes up a feed again whose publisher had said that it is gone.
struct FeedsEnableCommand: Command {
  let usage = CommandUsage(
    name: "feeds enable", summary: "takes up a feed again that was disabled", operands: .one("URL"),
    options: [feedsConfig],
    explanation: """
      A feed is disabled when its publisher has answered 410 twice, a day apart. This forgets those answers. A worker
      that runs asks the feed again after its next start; another at once. Prints the feed's url and status: `enabled`,
      or `unchanged` if it was not disabled.
      """,
    examples: ["tidings feeds enable https://example.org/feed.xml --config tidings.yaml"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let loaded = try loadFeeds(arguments, console)
    let url: WebURL
    do { url = try WebURL(arguments.operands[0]) } catch { throw CommandFailure.usage("\(error)") }
    guard let feed = loaded.feeds.first(where: { $0.url.text == url.text }) else {
      throw CommandFailure.failed(
        "\(url) is not followed; \(loaded.feeds.map(\.url.text).suggestion(for: url.text))")
    }
    let states = try await loaded.feedStates()
    var status = "unchanged"
    if let state = states[feed.url.text], state.disabledReason != nil {
      let now = console.clock.now
      let poll = Poll(
        state: state.enabled(now: now), articles: [], subscribed: nil, time: now, isBaseline: state.lastSuccess == nil)
      _ = try await loaded.withStore { try await $0.commit(poll) }
      status = "enabled"
    }
    try console.writeLine(JSONValue.object(["url": .string(url.text), "status": .string(status)]).text())
  }
}
