import Curl
import News
import Runtime
import Telemetry
import TestKit
import Testing
import Time

@testable import Ingest

/// A poller on a clock that is turned by hand, with feeds of a fixture server.
struct PollerBench {
  let clock = ManualClock()
  let store = MemoryFeedStore()
  let bell = Wakeup()
  let metrics = MetricRegistry()
  /// What the poller says, each poll at least one line: also the sign to look whether something has come about.
  let log = LineLog()
  let client: HTTPClient
  var feeds: [FollowedFeed]

  init(_ urls: [String], interval: Duration? = nil, category: News.Category? = .world) throws {
    client = HTTPClient(.init(guarded: AddressGuard(allowing: [try AddressBlock("127.0.0.0/8")])))
    feeds = try urls.map {
      try FollowedFeed(Subscription(url: $0, name: "fixture", category: category, interval: interval))
    }
  }

  /// Without its head start a poll comes when its interval is over, to the millisecond.
  static var rhythm: CheckRhythm {
    var rhythm = CheckRhythm()
    rhythm.headStart = 0
    return rhythm
  }

  func poller(store: (any FeedStore)? = nil, timeouts: HTTPTimeouts = HTTPTimeouts()) -> FeedPoller {
    let fetcher = FeedFetcher(client: client, options: .init(userAgent: "test", timeouts: timeouts), clock: clock)
    return FeedPoller(
      feeds: feeds, fetcher: fetcher, store: store ?? self.store, bell: bell, rhythm: Self.rhythm, clock: clock,
      logger: Logger(level: .debug, clock: clock) { log.append($0) }, metrics: metrics, generator: LoadedDice())
  }

  /// Runs the poller; `body` turns the clock each time the poller has come to rest.
  func run(_ poller: FeedPoller, _ body: () async throws -> Void) async throws {
    let task = Task { try await poller.run() }
    await clock.waitForSleepers()
    do { try await body() } catch {
      task.cancel()
      throw error
    }
    task.cancel()
    try await task.value
    await client.shutdown()
  }

  /// Lets the time pass, and waits until what is due by then has come about.
  func pass(_ duration: Duration, until reached: () async throws -> Bool) async throws {
    clock.advance(by: duration)
    try await wait(until: reached)
  }

  func wait(until reached: () async throws -> Bool) async throws {
    try await log.wait(until: reached)
    await clock.waitForSleepers()
  }

  var inbox: [Article] { get async throws { try await store.inbox(after: 0, limit: 1000).map(\.article) } }
  func state(_ index: Int = 0) async throws -> FeedState? { try await store.feedState(feeds[index].subscription.url) }
}

func rss(_ guids: [String], date: String = "Mon, 30 Nov 2026 11:55:00 GMT") -> String {
  let items = guids.map {
    "<item><title>Item \($0)</title><link>https://example.org/\($0)</link><guid>\($0)</guid><pubDate>\(date)</pubDate></item>"
  }
  return "<rss version=\"2.0\"><channel><title>News</title>\(items.joined())</channel></rss>"
}

@Suite(.timeLimit(.minutes(1))) struct FeedPollerTests {
  @Test("The first poll is a silent baseline; what comes later is told once, oldest first")
  func baseline() async throws {
    let documents = [rss(["b", "a"]), rss(["d", "c", "b"]), rss(["d", "c", "b"]), rss(["e", "d"])]
    let server = try RawServer { .ok(documents[min($0.number, 3)]) }
    let bench = try PollerBench([server.url()])
    try await bench.run(bench.poller()) {
      try await bench.wait { server.requests.count == 1 && bench.log.text.contains("feed.baseline") }
      #expect(try await bench.inbox.isEmpty)
      #expect(try await bench.state()?.nextCheck == bench.clock.now + .seconds(900))
      try await bench.pass(.seconds(900)) { try await bench.inbox.count == 2 }
      #expect(try await bench.inbox.map(\.text.headline) == ["Item c", "Item d"])
      try await bench.pass(.seconds(900)) { bench.log.text.contains("feed.unchanged") }
      #expect(try await bench.inbox.count == 2)
      try await bench.pass(.seconds(900)) { try await bench.inbox.count == 3 }
    }
    let article = try #require(try await bench.inbox.first)
    #expect(article.url == "https://example.org/c" && article.source == "fixture")
    #expect(try await bench.store.inbox(after: 0, limit: 1).first?.subscribed == .world)
    #expect(bench.metrics.exposition().contains("tidings_feeds_items_new_total 3"))
    #expect(bench.metrics.exposition().contains("tidings_feeds_polls_total{result=\"read\"} 3"))
  }

  @Test("A first poll that finds no feed is no baseline")
  func brokenFirst() async throws {
    let answers: [RawServer.Answer] = [.status(500), .ok("no feed"), .ok(rss(["a"])), .ok(rss(["b", "a"]))]
    let server = try RawServer(answers: answers)
    let bench = try PollerBench([server.url()], interval: .seconds(60))
    try await bench.run(bench.poller()) {
      try await bench.wait { try await bench.state()?.failures == 1 }
      #expect(try await bench.state()?.lastError?.contains("500") == true)
      try await bench.pass(.seconds(60)) { try await bench.state()?.failures == 2 }
      #expect(bench.metrics.exposition().contains("tidings_feeds_failing 1"))
      try await bench.pass(.seconds(120)) { try await bench.state()?.lastSuccess != nil }
      #expect(try await bench.state()?.failures == 0)
      #expect(try await bench.state()?.lastError == nil)
      #expect(try await bench.inbox.isEmpty)
      try await bench.pass(.seconds(60)) { try await bench.inbox.count == 1 }
    }
    #expect(bench.metrics.exposition().contains("tidings_feeds_failing 0"))
  }

  @Test("Validators go back as they came, and survive a failure and a restart")
  func validators() async throws {
    let server = try RawServer { request in
      switch request.number {
      case 0: .ok(rss(["a"]), ["ETag": "W/\"x\"", "Last-Modified": "Mon, 30 Nov 2026 11:00:00 GMT"])
      case 1: .status(502)
      default: .status(304)
      }
    }
    let bench = try PollerBench([server.url()], interval: .seconds(60))
    try await bench.run(bench.poller()) {
      try await bench.wait { try await bench.state()?.lastSuccess != nil }
      try await bench.pass(.seconds(60)) { try await bench.state()?.failures == 1 }
    }
    let again = try PollerBench([server.url()], interval: .seconds(60))
    let poller = again.poller(store: bench.store)
    try await again.run(poller) {
      again.clock.advance(by: .seconds(120))
      try await again.wait { again.log.text.contains("feed.unchanged") }
    }
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "W/\"x\"", "W/\"x\""])
    #expect(server.requests.last?["If-Modified-Since"] == "Mon, 30 Nov 2026 11:00:00 GMT")
  }

  @Test("A bad feed keeps no good one from being read")
  func badNeighbours() async throws {
    let good = try RawServer { .ok(rss(["a\($0.number)"])) }
    let silent = try RawServer(answers: [[.hold]])
    let broken = try RawServer(answers: [.head("HTTP/1.1 200 OK", "Content-Length: 9", then: .send([1]), .reset)])
    let drip = try RawServer(answers: [
      .head("HTTP/1.1 200 OK", then: .drip([UInt8](repeating: 32, count: 10_000), every: .milliseconds(5)))
    ])
    let bench = try PollerBench([silent.url(), broken.url(), drip.url(), good.url(), "http://nowhere.invalid/"])
    let timeouts = HTTPTimeouts(total: .milliseconds(300), idle: .milliseconds(150))
    try await bench.run(bench.poller(timeouts: timeouts)) {
      try await bench.wait {
        for index in [0, 1, 2, 4] {
          guard try await bench.state(index)?.failures == 1 else { return false }
        }
        return try await bench.state(3)?.lastSuccess != nil
      }
      try await bench.pass(.seconds(900)) { try await bench.inbox.count == 1 }
    }
    #expect(try await bench.state(0)?.lastError?.contains("silent") == true)
    #expect(bench.metrics.exposition().contains("{result=\"timed_out\"}"))
  }

  @Test(
    "A 429 keeps the other feeds of its host away as well, and shows why",
    arguments: [(["Retry-After": "1200"], 1200), ([:], 900)] as [([String: String], Int)])
  func throttledHost(headers: [String: String], seconds: Int) async throws {
    let server = try RawServer { request in
      request.number == 0 ? .status(429, headers) : .ok(rss([]))
    }
    let other = try RawServer(address: "127.0.0.2", answers: [.ok(rss([]))])
    let bench = try PollerBench([server.url("/a"), server.url("/b"), server.url("/c"), other.url()])
    var options = FeedPoller.Options()
    options.pollsPerHostMax = 1
    let fetcher = FeedFetcher(client: bench.client, options: .init(userAgent: "test"), clock: bench.clock)
    let poller = FeedPoller(
      feeds: bench.feeds, fetcher: fetcher, store: bench.store, bell: bench.bell, rhythm: PollerBench.rhythm,
      options: options,
      clock: bench.clock, logger: Logger(level: .debug, clock: bench.clock) { bench.log.append($0) },
      metrics: bench.metrics, generator: LoadedDice())
    try await bench.run(poller) {
      try await bench.wait {
        let (postponed, other) = (try await bench.state(2), try await bench.state(3))
        return postponed?.nextCheckReason == "its host asked for a pause" && other?.lastSuccess != nil
      }
      #expect(server.requests.count == 1)
      #expect(try await bench.state(1)?.nextCheck == bench.clock.now + .seconds(seconds))
      try await bench.pass(.seconds(seconds)) { server.requests.count == 4 }
    }
  }

  @Test("The operator's headers and login stay with the host that he gave, also when the feed has moved")
  func movedAway() async throws {
    let new = try RawServer(address: "127.0.0.2", answers: [.ok(rss(["a"]))])
    let old = try RawServer(answers: [.status(301, ["Location": new.url("/feed")])])
    var bench = try PollerBench(["http://user:hunter2@127.0.0.1:\(old.port)/"])
    bench.feeds = [
      FollowedFeed(
        bench.feeds[0].subscription, url: bench.feeds[0].url,
        headers: [FeedHeader(name: "X-Key", value: Secret("hunter3"))])
    ]
    try await bench.run(bench.poller()) {
      try await bench.wait { try await bench.state()?.movingTo == new.url("/feed") }
      try await bench.pass(.seconds(900)) { try await bench.state()?.address == new.url("/feed") }
      try await bench.pass(.seconds(900)) { new.requests.count == 3 }
    }
    #expect(old.requests.count == 2)
    #expect(old.requests.allSatisfy { $0["X-Key"] == "hunter3" && $0["Authorization"] != nil })
    #expect(new.requests.allSatisfy { $0["X-Key"] == nil && $0["Authorization"] == nil })
    #expect(bench.log.text.contains("\"confirmed\":true") && !bench.log.text.contains("hunter"))
  }

  @Test("A disabled feed stays so after a restart, and shows in the metrics")
  func disabled() async throws {
    let server = try RawServer(answers: [.status(410)])
    let bench = try PollerBench([server.url(), server.url("/other")])
    var state = FeedState(url: server.url(), nextCheck: bench.clock.now, nextCheckReason: "never")
    state.disabledReason = "gone"
    _ = try await bench.store.commit(
      Poll(state: state, articles: [], subscribed: nil, time: bench.clock.now, isBaseline: true))
    try await bench.run(bench.poller()) {
      try await bench.wait { try await bench.state(1)?.failures == 1 }
      #expect(bench.metrics.exposition().contains("tidings_feeds_disabled 1"))
      try await bench.pass(.seconds(86_400)) { try await bench.state(1)?.disabledReason != nil }
      // Counted after it is stored.
      while !bench.metrics.exposition().contains("tidings_feeds_disabled 2") { await Task.yield() }
    }
    #expect(server.requests.map(\.target) == ["/other", "/other"])
    #expect(bench.log.text.contains("feed.disabled"))
  }

  @Test("What the store does not take is asked for again, and lost nowhere")
  func failingStore() async throws {
    let server = try RawServer { .ok(rss($0.number == 0 ? ["a"] : ["b", "a"]), ["ETag": "\"\($0.number)\""]) }
    let bench = try PollerBench([server.url()], interval: .seconds(60))
    let store = FailingStore(bench.store)
    try await bench.run(bench.poller(store: store)) {
      try await bench.wait { try await bench.state()?.lastSuccess != nil }
      store.fails = true
      try await bench.pass(.seconds(60)) { bench.log.text.contains("feed.not_stored") }
      store.fails = false
      try await bench.pass(.seconds(30)) { try await bench.inbox.count == 1 }
    }
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"0\"", "\"0\""])
  }

  @Test("A permanent redirect is named, a login in an address is not")
  func moved() async throws {
    let server = try RawServer { $0.target == "/old" ? .status(301, ["Location": "/new"]) : .ok(rss(["a"])) }
    let bench = try PollerBench(["http://user:hunter2@127.0.0.1:\(server.port)/old"])
    try await bench.run(bench.poller()) {
      try await bench.wait { try await bench.state()?.lastSuccess != nil }
    }
    #expect(bench.log.text.contains("feed.moved") && bench.log.text.contains("/new"))
    #expect(!bench.log.text.contains("hunter2"))
    #expect(server.requests.first?["Authorization"] != nil)
  }

  @Test("A poll that is cut off by the end changes nothing")
  func cancelled() async throws {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let server = try RawServer { _ in
      arrived.yield()
      return [.hold]
    }
    let bench = try PollerBench([server.url()])
    let poller = bench.poller()
    let task = Task { try await poller.run() }
    for await _ in arrivals { break }
    task.cancel()
    try await task.value
    #expect(try await bench.store.feedStates().isEmpty)
    await bench.client.shutdown()
  }
}
