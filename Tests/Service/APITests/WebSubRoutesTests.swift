import API
import Curl
import Ingest
import MicroHTTP
import News
import OpenSSL
import Runtime
import Synchronization
import Telemetry
import TestKit
import Testing
import Time

/// A publisher, its hub, and the worker that follows it, on a clock that is turned by hand.
private struct WebSubWorld: Sendable {
  /// What the publisher serves, the newest first.
  final class Items: Sendable {
    private let guids = Mutex(["a"])

    func publish(_ guid: String) { guids.withLock { $0.insert(guid, at: 0) } }

    var rss: String { WebSubWorld.rss(guids.withLock { $0 }) }
  }

  struct NoChance: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
  }

  let clock = ManualClock()
  let store = MemoryFeedStore()
  let log = LineLog()
  let metrics = MetricRegistry()
  let items = Items()
  let client: HTTPClient
  let publisher: RawServer
  let hub: RawServer
  let poller: FeedPoller
  let subscriber: WebSubSubscriber
  let listener: Listener

  var feed: String { publisher.url("/feed") }
  var topic: String { publisher.url("/topic") }

  init(hubAnswers: [RawServer.Answer]) async throws {
    hub = try RawServer(answers: hubAnswers)
    let hubURL = hub.url("/hub?x=1")
    publisher = try RawServer { [items] _ in
      .ok(items.rss, ["Link": "<\(hubURL)>; rel=hub, </topic>; rel=self"])
    }
    client = HTTPClient(.init(guarded: AddressGuard(allowing: [try AddressBlock("127.0.0.0/8")])))
    let logger = Logger(level: .debug, clock: clock) { [log] in log.append($0) }
    let feeds = [try FollowedFeed(Subscription(url: publisher.url("/feed"), name: "fixture", category: .world))]
    let bell = Wakeup()
    subscriber = try await .open(
      feeds: feeds, store: store, client: client, bell: bell,
      options: .init(callbackBase: try WebURL("https://push.example.org/api/websub/"), userAgent: "test"),
      clock: clock, logger: logger, metrics: metrics)
    poller = FeedPoller(
      feeds: feeds, fetcher: FeedFetcher(client: client, options: .init(userAgent: "test"), clock: clock),
      store: store, bell: bell, rhythm: CheckRhythm(), subscriber: subscriber, clock: clock, logger: logger,
      metrics: metrics, generator: NoChance())
    let routes = WebSubRoutes(subscriber: subscriber, poller: poller)
    var limits = Limits()
    limits.bodyBytesMaxAt = routes.bodyBytesMax
    listener = try Listener(
      name: "service", address: "127.0.0.1", port: 0, limits: limits, router: Router(routes.routes), logger: .silent,
      metrics: metrics)
  }

  static func run(
    hubAnswers: [RawServer.Answer] = [.status(202)], _ body: (WebSubWorld) async throws -> Void
  ) async throws {
    let world = try await WebSubWorld(hubAnswers: hubAnswers)
    let services: [any Service] = [world.poller, world.subscriber, world.listener]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for service in services { group.addTask { try await service.run() } }
      try await body(world)
      group.cancelAll()
    }
    await world.client.shutdown()
  }

  static func rss(_ guids: [String], padding: Int = 0) -> String {
    let items = guids.map { "<item><guid>\($0)</guid><title>Item \($0)</title></item>" }.joined()
    let comment = "<!--\(String(repeating: " ", count: padding))-->"
    return "<rss version=\"2.0\"><channel><title>News</title>\(comment)\(items)</channel></rss>"
  }

  /// The subscription as it is stored.
  func subscription() async throws -> HubSubscription? { try await store.hubSubscriptions().first }

  /// Turns the clock to the feed's next check and waits until it was polled.
  func poll() async throws {
    let due = try #require(try await store.feedState(feed)).nextCheck
    clock.advance(by: max(.zero, clock.now.distance(to: due)))
    try await log.wait { try await store.feedState(feed)?.lastAttempt == clock.now }
  }

  func ask(_ method: String, token: String, query: String = "", signature: String? = nil, body: String? = nil)
    async throws -> HTTPResponse
  {
    let url = try WebURL("http://127.0.0.1:\(listener.port)/api/websub/\(token)\(query)")
    var headers: HTTPHeaders = ["Content-Type": "application/rss+xml"]
    if let signature { headers.append("X-Hub-Signature", signature) }
    return try await client.send(HTTPRequest(method, url, headers: headers, body: body.map { Array($0.utf8) }))
  }

  func deliver(_ body: String, token: String, secret: String, _ digest: KeyedDigest = .sha256) async throws -> Int {
    let code = digest.authenticationCode(for: Array(body.utf8), key: Array(secret.utf8))
    return try await ask("POST", token: token, signature: "\(digest)=\(hexadecimal(code))", body: body).status
  }

  func inbox() async throws -> [String] { try await store.inbox(after: 0, limit: 100).map(\.article.text.headline) }

  /// The hub's verification.
  func verify(_ token: String, mode: String = "subscribe", topic: String? = nil) async throws -> HTTPResponse {
    let query = "?hub.mode=\(mode)&hub.topic=\(topic ?? self.topic)&hub.challenge=%3Cb%3E7&hub.lease_seconds=864000"
    return try await ask("GET", token: token, query: query)
  }
}

@Suite(.timeLimit(.minutes(1))) struct WebSubRoutesTests {
  @Test("A feed's hub is asked, proves itself, and brings what is new, once and signed")
  func circle() async throws {
    try await WebSubWorld.run { world in
      try await world.log.wait { world.log.text.contains("websub.requested") }
      let asked = try #require(world.hub.requests.first)
      let subscription = try #require(try await world.subscription())
      let (token, secret) = (subscription.token.reveal(), subscription.secret.reveal())
      #expect(asked.method == "POST" && asked.target == "/hub?x=1")
      #expect(asked["Content-Type"] == "application/x-www-form-urlencoded" && asked["User-Agent"] == "test")
      let topic = world.topic.split(separator: ":").joined(separator: "%3A").split(
        separator: "/", omittingEmptySubsequences: false
      )
      .joined(separator: "%2F")
      #expect(
        String(decoding: asked.body, as: UTF8.self)
          == "hub.mode=subscribe&hub.topic=\(topic)"
          + "&hub.callback=https%3A%2F%2Fpush.example.org%2Fapi%2Fwebsub%2F\(token)&hub.secret=\(secret)"
          + "&hub.lease_seconds=864000")
      #expect(token.utf8.count == 43 && secret.utf8.count == 43)

      #expect(try await world.verify("unknown").status == 404)
      #expect(try await world.verify(token, topic: "https://other.example/").status == 404)
      #expect(try await world.verify(token, mode: "unsubscribe").status == 404)
      #expect(try await world.subscription()?.phase == .requested)
      let verified = try await world.verify(token)
      #expect(verified.status == 200 && String(decoding: verified.body, as: UTF8.self) == "<b>7")
      #expect(verified.headers["Content-Type"]?.hasPrefix("text/plain") == true)
      #expect(try await world.subscription()?.leaseEnd == world.clock.now + .seconds(864_000))
      try await world.poll()
      #expect(
        try await world.store.feedState(world.feed)?.nextCheckReason
          == "its hub brings what is new; looked after every 1 h")

      let news = WebSubWorld.rss(["b"])
      #expect(try await world.ask("POST", token: token, body: news).status == 204)
      #expect(try await world.deliver(news, token: token, secret: "forged") == 204)
      #expect(try await world.inbox() == [])
      for digest in KeyedDigest.allCases {
        #expect(try await world.deliver(news, token: token, secret: secret, digest) == 204)
      }
      #expect(try await world.inbox() == ["Item b"])
      let large = WebSubWorld.rss(["c"], padding: 1 << 20)
      #expect(try await world.deliver(large, token: token, secret: secret) == 204)
      #expect(try await world.inbox() == ["Item b", "Item c"])
      #expect(try await world.deliver(large, token: "unknown", secret: secret) == 413)
      #expect(try await world.deliver(news, token: "unknown", secret: secret) == 410)
      #expect(try await world.subscription()?.lastDelivery == world.clock.now)

      // A hub that only tells that there is something: the feed is polled, but no two times within a minute.
      world.items.publish("d")
      #expect(try await world.deliver("ping", token: token, secret: secret) == 204)
      world.clock.advance(by: .seconds(60))
      try await world.log.wait { try await world.inbox().count == 3 }
      #expect(world.publisher.requests.count == 3)
    }
  }

  @Test("A silent hub is noticed: polls come as before, and it is asked again a day later")
  func silence() async throws {
    try await WebSubWorld.run { world in
      try await world.log.wait { world.log.text.contains("websub.requested") }
      let token = try #require(try await world.subscription()).token.reveal()
      #expect(try await world.verify(token).status == 200)
      try await world.poll()
      for guid in ["b", "c"] {
        world.items.publish(guid)
        try await world.poll()
      }
      try await world.log.wait { world.log.text.contains("websub.silent") }
      #expect(try await world.subscription()?.phase == .silent)
      try await world.poll()
      #expect(try await world.store.feedState(world.feed)?.nextCheckReason == "every 15 min")
      world.clock.advance(by: .seconds(24 * 3600))
      try await world.log.wait { world.hub.requests.count == 2 }
      #expect(try await world.verify(token).status == 200)
      #expect(try await world.subscription()?.phase == .active)
    }
  }

  @Test("A lease is renewed before it ends, under the same address; a refusal keeps what is left of it")
  func renewal() async throws {
    try await WebSubWorld.run(hubAnswers: [.status(202), .status(503), .status(202)]) { world in
      try await world.log.wait { world.log.text.contains("websub.requested") }
      let first = try #require(try await world.subscription())
      #expect(try await world.verify(first.token.reveal()).status == 200)
      let renewal = try #require(try await world.subscription()).nextRequest
      #expect(renewal == world.clock.now + .seconds(777_600))
      world.clock.advance(by: .seconds(777_600))
      try await world.log.wait { world.log.text.contains("websub.refused") }
      let refused = try #require(try await world.subscription())
      #expect(refused.isLive(now: world.clock.now) && refused.failures == 1)
      world.clock.advance(by: .seconds(600))
      try await world.log.wait { world.hub.requests.count == 3 }
      #expect(world.hub.requests.map(\.body).allSatisfy { $0 == world.hub.requests[0].body })
    }
  }

  @Test("A hub's denial is heard and told")
  func denial() async throws {
    try await WebSubWorld.run { world in
      try await world.log.wait { world.log.text.contains("websub.requested") }
      let token = try #require(try await world.subscription()).token.reveal()
      let query = "?hub.mode=denied&hub.topic=\(world.topic)&hub.reason=not%20today"
      #expect(try await world.ask("GET", token: token, query: query).status == 204)
      #expect(try await world.subscription()?.problem == "the hub refuses: not today")
      #expect(try await world.ask("GET", token: "unknown", query: query).status == 404)
    }
  }
}
