internal import Curl
internal import Files
internal import Ingest
internal import JSON
internal import News
internal import SQLiteStore
internal import Telemetry

/// The option that all commands about feeds share.
let feedsConfig = CommandOption(
  name: "config", value: "FILE", help: "the configuration; without it tidings.yaml in the working directory")

/// The configuration that a command about feeds works on.
func loadFeeds(
  _ arguments: Arguments, _ console: Console, feedsFileMayBeAbsent: Bool = false
) throws -> LoadedConfiguration {
  try LoadedConfiguration(
    file: arguments.value(feedsConfig) ?? "tidings.yaml", environment: console.environment, share: console.share(),
    feedsFileMayBeAbsent: feedsFileMayBeAbsent)
}

extension LoadedConfiguration {
  /// What is known of the feeds, by address. A store that is not there yet is not made: nothing is known.
  func feedStates() async throws -> [String: FeedState] {
    guard FileSystem.kind(of: options.path(options.store.sqlite)) != nil else { return [:] }
    let states = try await withStore { try await $0.feedStates() }
    return Dictionary(states.map { ($0.url, $0) }, uniquingKeysWith: { $1 })
  }

  /// How the feeds' hubs stand, by the feeds' addresses.
  func hubSubscriptions() async throws -> [String: HubSubscription] {
    guard FileSystem.kind(of: options.path(options.store.sqlite)) != nil else { return [:] }
    let subscriptions = try await withStore { try await $0.hubSubscriptions() }
    return Dictionary(subscriptions.map { ($0.feed, $0) }, uniquingKeysWith: { $1 })
  }

  /// Opens the store for `body` and closes it again.
  func withStore<Value: Sendable>(_ body: (SQLiteStore) async throws -> Value) async throws -> Value {
    let store = try await SQLiteStore.open(path: options.path(options.store.sqlite), logger: .silent)
    let value: Value
    do { value = try await body(store) } catch {
      await store.close()
      throw error
    }
    await store.close()
    return value
  }
}

/// `feeds import`: follows the feeds of an OPML document.
struct FeedsImportCommand: Command {
  let usage = CommandUsage(
    name: "feeds import", summary: "adds the feeds of an OPML document to the feeds file", operands: .one("FILE.opml"),
    options: [feedsConfig],
    explanation: """
      Adds the feeds that are not followed yet to the file that the configuration names as feeds.file, and makes it if
      it is not there. Prints a JSON object for each feed: its url, name and category, and whether it is `imported` or
      was `known`. A feed whose address cannot be used is told on standard error and left out; the exit status is 1
      then. A worker that runs follows the new feeds after its next start.
      """,
    examples: ["tidings feeds import subscriptions.opml --config tidings.yaml"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let loaded = try loadFeeds(arguments, console, feedsFileMayBeAbsent: true)
    guard let target = loaded.options.feeds.file.map({ loaded.options.path($0) }) else {
      throw CommandFailure.failed("the configuration names no feeds file; add one to it: `feeds: {file: feeds.opml}`")
    }
    let operand = arguments.operands[0]
    let source = operand == "-" ? "standard input" : operand
    let list = try Self.list(in: operand, named: source, console)
    for repair in list.repairs { console.say("\(source): \(repair)") }

    var known = Set(loaded.feeds.map(\.url.text))
    var entries = loaded.feedsFile.list.entries
    var results: [JSONValue] = []
    var hasFailed = false
    for entry in list.entries {
      do throws(MalformedURL) {
        let feed = try FollowedFeed(entry, table: loaded.categoryTable, locales: loaded.locales)
        let isNew = known.insert(feed.url.text).inserted
        if isNew { entries.append(entry) }
        results.append(feed.subscription.json(status: isNew ? "imported" : "known"))
      } catch {
        console.say("\(source)\(entry.line.map { ":\($0):1" } ?? ""): \(entry.unusable); \(error)")
        hasFailed = true
      }
    }
    if entries.count > loaded.feedsFile.list.entries.count {
      try FileSystem.write(Array(FeedList(entries).opml.utf8), to: target)
    }
    // Told once it is true.
    for result in results { try console.writeLine(result.text()) }
    if hasFailed { throw CommandFailure.reported }
  }

  private static func list(in operand: String, named source: String, _ console: Console) throws -> FeedList {
    let bytes = try console.read(operand, bytesMax: FeedList.documentBytesMax)
    do { return try FeedList(opml: bytes) } catch {
      if case .unreadable = error { throw CommandFailure.failed("\(source):\(error)") }
      throw CommandFailure.failed("\(source): \(error)")
    }
  }
}

/// `feeds export`: writes what is followed as an OPML document.
struct FeedsExportCommand: Command {
  let usage = CommandUsage(
    name: "feeds export", summary: "prints what is followed as an OPML document", options: [feedsConfig],
    explanation: """
      Prints the feeds of the configuration and of its feeds file, each in the outline of its category, those that their
      publishers have moved for good at the new address. What OPML has no place for (intervals, headers) and what must
      not be passed on (logins) is left out.
      """,
    examples: ["tidings feeds export --config tidings.yaml > subscriptions.opml"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let loaded = try loadFeeds(arguments, console)
    let states = try await loaded.feedStates()
    func address(_ feed: FollowedFeed) -> String { states[feed.url.text]?.address ?? feed.url.text }
    let listed = loaded.listedFeeds.map { feed in
      FeedList.Entry(
        url: address(feed), title: feed.subscription.name, language: feed.subscription.language,
        folders: feed.subscription.category.map { [[$0.rawValue]] } ?? [])
    }
    let filed = zip(loaded.feedsFile.list.entries, loaded.feedsFile.followed).map { entry, feed in
      var entry = entry
      entry.url = address(feed)
      return entry
    }
    try console.write(FeedList(listed + filed).opml)
  }
}

extension Subscription {
  fileprivate func json(status: String) -> JSONValue {
    var object: JSONObject = ["url": .string(url), "name": .string(name)]
    object["category"] = category.map { .string($0.rawValue) }
    object["status"] = .string(status)
    return .object(object)
  }
}
