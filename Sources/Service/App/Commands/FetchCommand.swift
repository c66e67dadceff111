internal import Curl
internal import Files
internal import Ingest
internal import JSON
internal import News
internal import Time

/// `fetch`: one poll as the worker does it, with what it would do next and why.
struct FetchCommand: Command {
  private static let config = CommandOption(
    name: "config", value: "FILE", help: "the worker's configuration: its limits, its proxy, the feed's headers")
  private static let allow = CommandOption(
    name: "allow-address", value: "CIDR", help: "a range that may be reached although it is private", repeats: true)

  private static let table = CommandOption.flag("table", "prints what a person reads, as on a terminal")

  let usage = CommandUsage(
    name: "fetch", summary: "polls a feed once, as the worker does", operands: .one("URL"),
    options: [config, allow, table],
    explanation: """
      Prints one JSON object: what was answered on the way, the validators, when the worker would look again and why,
      the hub that tells of news at once (WebSub) where there is one, and the articles as `parse` prints them; with
      --table, and on a terminal, the same in words. Writes no state. If there is no feed, `error` says why and the exit
      status is 1; an address of a web page is answered with the feeds that it names.
      """,
    examples: [
      "tidings fetch https://example.org/feed.xml", "tidings fetch https://example.org/feed.xml --table",
      "tidings fetch http://127.0.0.1:8000/ --allow-address 127.0.0.0/8",
    ])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    var feeds = Configuration.Feeds()
    var followed: [FollowedFeed] = []
    if let file = arguments.value(Self.config) {
      let loaded = try LoadedConfiguration(file: file, environment: console.environment, share: console.share())
      feeds = loaded.options.feeds
      followed = loaded.feeds
    }
    for range in arguments.values(Self.allow) {
      do { feeds.allowAddresses.append(try AddressBlock(range)) } catch { throw CommandFailure.usage("\(error)") }
    }
    let feed = try Self.feed(arguments.operands[0], among: followed)

    let check = FeedCheck(
      fetcher: FeedFetcher(feeds, client: feeds.client, clock: console.clock),
      rhythm: CheckRhythm(interval: feeds.interval))
    let look = try await check.look(at: feed, state: nil)
    var dice = SystemRandomNumberGenerator()
    let poll = check.poll(from: look, state: nil, now: console.clock.now, using: &dice)
    if arguments.isSet(Self.table) || console.output.isTerminal {
      try console.write(PollReport(look: look, poll: poll).text(now: console.clock.now))
    } else {
      try console.writeLine(Self.report(look, poll).text())
    }
    if look.problem != nil { throw CommandFailure.reported }
  }

  /// The feed as the configuration follows it, else a stranger.
  private static func feed(_ address: String, among followed: [FollowedFeed]) throws(CommandFailure) -> FollowedFeed {
    let url: WebURL
    do { url = try WebURL(address) } catch { throw .usage("the address cannot be fetched: \(error)") }
    return followed.first { $0.subscription.url == url.text }
      ?? FollowedFeed(Subscription(url: url.text, name: url.host), url: url)
  }

  private static func report(_ look: FeedCheck.Look, _ poll: Poll) -> JSONValue {
    let fetch = look.fetch
    var object: JSONObject = ["url": .string(fetch.requested.text)]
    object["status"] = fetch.status.map { .number(JSONNumber($0)) }
    object["redirects"] = .array(
      fetch.hops.dropLast().map { hop in
        ["url": .string(hop.url.text), "status": .number(JSONNumber(hop.status ?? 0))]
      })
    if fetch.finalURL != fetch.requested { object["finalUrl"] = .string(fetch.finalURL.text) }
    object["movedTo"] = fetch.movedTo.map { .string($0.text) }
    object["error"] = look.problem.map { .string($0.description) }
    object["bytes"] = .number(JSONNumber(fetch.bytesReceived))
    object["seconds"] = JSONNumber(fetch.fetchTime.inSeconds).map { .number($0) }
    var validators = JSONObject()
    validators["etag"] = poll.state.entityTag.map { .string($0) }
    validators["lastModified"] = poll.state.lastModified.map { .string($0) }
    validators["sha256"] = poll.state.contentHash.map { .string($0) }
    object["validators"] = .object(validators)
    object["nextCheck"] = [
      "time": .string(poll.state.nextCheck.rfc3339), "reason": .string(poll.state.nextCheckReason),
    ]
    if let document = look.document {
      object["feed"] = document.json
      object["hub"] = HubOffer(fetch, document).map {
        ["url": .string($0.hub.text), "topic": .string($0.topic)]
      }
      object["articles"] = .array(document.items.map { $0.json(of: document, feed: fetch.requested.text) })
    }
    return .object(object)
  }
}
