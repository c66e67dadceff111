internal import Curl
internal import Files
internal import Ingest
internal import JSON
internal import MicroHTTP
internal import News
internal import Runtime
internal import SQLiteStore
internal import Synchronization
internal import Telemetry
internal import Time

/// `bench poll`: 10,000 feeds of a server on loopback, polled into a store on disk: the baseline, a round in which
/// nothing has changed, and one in which a tenth has.
struct PollBenchmark: Benchmark {
  let name = "poll"
  let summary = "polls 10,000 feeds: all of them new, none changed, a tenth changed"

  var feedCount = 10_000
  /// So short that a quarter of an hour's polls come within half a minute.
  var interval = Duration.seconds(30)

  func run(on files: [String], _ console: Console) async throws -> BenchmarkReport {
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    let fixture = PolledFixture(feedCount: feedCount)
    let server = try HTTPServer { fixture.answer($0) }
    let feeds = try (0..<feedCount).map { number in
      try FollowedFeed(Subscription(url: "http://127.0.0.1:\(server.port)/\(number)", name: "\(number)"))
    }
    let store = try await SQLiteStore.open(path: "\(directory)/bench.db", logger: .silent)
    let client = HTTPClient(.init(guarded: AddressGuard(allowing: [try AddressBlock("127.0.0.1")])))
    let clock = SystemClock()
    var options = Configuration.Feeds().pollerOptions
    // One machine serves what otherwise thousands do.
    options.pollsPerHostMax = options.pollsMax
    let poller = FeedPoller(
      feeds: feeds, fetcher: FeedFetcher(client: client, options: .init(userAgent: "tidings-bench"), clock: clock),
      store: store, bell: Wakeup(), rhythm: CheckRhythm(interval: interval), options: options, clock: clock,
      logger: .silent, metrics: MetricRegistry())
    console.say("bench poll: \(feedCount) feeds, every \(interval.inWords)")

    let polling = Task { try await poller.run() }
    var measurements: [Measurement] = []
    for (number, round) in Self.rounds.enumerated() {
      fixture.begin(changedShare: round.changedShare)
      measurements.append(
        await Measurement.of(round.name) {
          await fixture.wait(forRequests: (number + 1) * feedCount)
          return [.init(count: Double(feedCount), unit: "polls")]
        })
    }
    polling.cancel()
    try await polling.value
    let inbox = try await store.inbox(after: 0, limit: feedCount).count
    await client.shutdown()
    await server.stop(within: .seconds(1))
    await store.close()
    return BenchmarkReport(
      input: [
        "feeds": .number(JSONNumber(feedCount)), "items": .number(JSONNumber(PolledFixture.itemCount)),
        "bytes": .number(JSONNumber(fixture.documentBytes)),
        "intervalMilliseconds": .number(JSONNumber(Int(interval.milliseconds))),
        "longestGapMilliseconds": .number(JSONNumber(Int(fixture.longestGap.milliseconds))),
        "newArticles": .number(JSONNumber(inbox)), "server": "in this process, its share included",
      ],
      measurements: measurements)
  }

  private static let rounds = [
    (name: "baseline", changedShare: 0), (name: "unchanged", changedShare: 0),
    (name: "a tenth changed", changedShare: 10),
  ]
}

/// Feeds that are made when they are asked for, and when each was asked.
private final class PolledFixture: Sendable {
  private struct State {
    var versions: [Int]
    var asked: [ContinuousClock.Instant?]
    var longestGap = Duration.zero
    var requestCount = 0
    var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  static let itemCount = 20

  private let state: Mutex<State>

  init(feedCount: Int) {
    state = Mutex(
      State(versions: .init(repeating: 0, count: feedCount), asked: .init(repeating: nil, count: feedCount)))
  }

  /// The longest time between two polls of one feed.
  var longestGap: Duration { state.withLock { $0.longestGap } }
  var documentBytes: Int { Self.document(0, version: 0).utf8.count }

  /// From here on so many of a hundred feeds have another document.
  func begin(changedShare: Int) {
    state.withLock { state in
      for feed in state.versions.indices where feed % 100 < changedShare { state.versions[feed] += 1 }
    }
  }

  func wait(forRequests count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.requestCount < count { state.waiter = (count, continuation) }
        return state.requestCount >= count
      }
      if isThere { continuation.resume() }
    }
  }

  func answer(_ request: Request) -> Response {
    guard let feed = Int(request.target.rawPath.dropFirst()) else { return Response(status: 404) }
    let (version, reached) = state.withLock { state -> (Int, CheckedContinuation<Void, Never>?) in
      let now = ContinuousClock.now
      if let last = state.asked[feed] { state.longestGap = max(state.longestGap, now - last) }
      state.asked[feed] = now
      state.requestCount += 1
      guard let waiter = state.waiter, waiter.count <= state.requestCount else { return (state.versions[feed], nil) }
      state.waiter = nil
      return (state.versions[feed], waiter.continuation)
    }
    reached?.resume()
    let tag = "\"\(version)\""
    if request.headers["If-None-Match"] == tag { return Response(status: 304, headers: ["ETag": tag]) }
    return Response(
      status: 200, headers: ["Content-Type": "application/rss+xml", "ETag": tag],
      text: Self.document(feed, version: version))
  }

  private static func document(_ feed: Int, version: Int) -> String {
    let items = (0..<itemCount).map { place in
      let guid = "\(feed)-\(version - place)"
      return "<item><guid>\(guid)</guid><title>What happened at \(guid)</title><link>https://example.org/\(guid)</link>"
        + "<description>\(String(repeating: "Words of a summary. ", count: 12))</description></item>"
    }
    return "<rss version=\"2.0\"><channel><title>Feed \(feed)</title>\(items.joined())</channel></rss>"
  }
}
