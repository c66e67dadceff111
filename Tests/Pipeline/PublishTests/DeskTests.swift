import News
import Publish
import Push
import Runtime
import Synchronization
import Telemetry
import TestKit
import Testing
import Time

@Suite("Desk")
struct DeskTests {
  /// Gives what it was given, then waits; notes what is acknowledged.
  final class ScriptedSource: ArticleSource {
    let name = "script"
    private let waiting: BoundedChannel<Inbound>
    private let acknowledged = Mutex<[String]>([])

    init() { waiting = BoundedChannel(capacity: 100) }

    var acknowledgedIDs: [String] { acknowledged.withLock { $0 } }

    func add(_ article: Article, subscribed: News.Category? = .sports, firstSeen: Timestamp) async throws {
      try await add(.article(article), subscribed: subscribed, trust: .feed, firstSeen: firstSeen)
    }

    func add(
      _ content: Inbound.Content, subscribed: News.Category? = .sports, trust: Trust, firstSeen: Timestamp
    ) async throws {
      let id = if case .article(let article) = content { article.id } else { "" }
      try await waiting.send(
        Inbound(content, subscribed: subscribed, trust: trust, firstSeen: firstSeen) {
          self.acknowledged.withLock { $0.append(id) }
        })
    }

    func add(_ inbound: Inbound) async throws { try await waiting.send(inbound) }

    func end() { waiting.finish() }

    func next(limit: Int) async throws -> [Inbound]? {
      await waiting.receive().map { [$0] }
    }
  }

  /// Answers sends from a script, then takes everything.
  final class ScriptedHub: Hub {
    let repeatsSafely: Bool
    private let script: Mutex<[HubError]>
    private let taken = Mutex<[Push.Notification]>([])
    private let asked = Mutex(0)

    init(_ script: [HubError] = [], repeatsSafely: Bool = true) {
      self.script = Mutex(script)
      self.repeatsSafely = repeatsSafely
    }

    var notifications: [Push.Notification] { taken.withLock { $0 } }
    var askedCount: Int { asked.withLock { $0 } }

    func send(_ notification: Push.Notification) async throws(HubError) -> Receipt {
      asked.withLock { $0 += 1 }
      if let error = script.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
      taken.withLock { $0.append(notification) }
      return Receipt(notificationID: notification.id.description)
    }
  }

  /// Takes the category from the subscription.
  struct SubscribedClassifier: Classifier {
    func classify(_ article: Article, subscribed: News.Category?) -> Classification {
      Classification(categories: [subscribed].compactMap(\.self), evidence: [])
    }
  }

  let clock: ManualClock
  let ledger: MemoryLedger
  let source: ScriptedSource

  func desk(
    _ hub: any Hub, source: ScriptedSource? = nil, corrections: PushPolicy.Corrections = .ignore
  ) throws -> Desk {
    let english = try Locale(
      name: "English", language: "en", phrase: Phrase(parsing: "{headline}"), categoryNames: [:])
    let outlet = Outlet(
      name: "news",
      composer: Composer(
        locales: [english], routing: try Routing(parsing: "{category}"), lifetime: .seconds(600)),
      hub: hub, gate: HubGate(hub: "news", clock: clock, logger: .silent, metrics: MetricRegistry()))
    let retry = RetryPolicy(first: .seconds(1), ceiling: .seconds(60), jitter: 0)
    return Desk(
      source: source ?? self.source,
      editing: Desk.Editing(
        classifier: SubscribedClassifier(),
        policy: PushPolicy(maxAge: .seconds(3600), corrections: corrections)),
      ledger: ledger,
      publisher: Publisher(
        outlets: [outlet], ledger: ledger, retry: retry, clock: clock, logger: .silent, metrics: MetricRegistry()),
      heldAnew: Wakeup(), retry: retry, clock: clock, logger: .silent, metrics: MetricRegistry())
  }

  func article(_ id: String, url: String? = nil) -> Article {
    var article = Article(id: id, text: .init(headline: "Headline \(id)"), language: "en")
    article.url = url
    return article
  }

  @Test("An article is sent once, noted and acknowledged")
  func sendsOnce() async throws {
    let hub = ScriptedHub()
    try await source.add(article("a"), firstSeen: clock.now)
    try await source.add(article("a"), firstSeen: clock.now)
    source.end()
    try await desk(hub).run()
    #expect(hub.notifications.map { $0.properties["articleId"] } == ["a"])
    #expect(source.acknowledgedIDs == ["a", "a"])
    #expect(ledger.decisions.map(\.action) == [.push])
    #expect(ledger.decisions[0].notificationID == hub.notifications[0].id.description)
  }

  @Test("Two articles under one link are one story")
  func joinsByLink() async throws {
    let hub = ScriptedHub()
    try await source.add(article("a", url: "https://www.x.test/s?utm_source=a"), firstSeen: clock.now)
    try await source.add(article("b", url: "http://x.test/s/"), firstSeen: clock.now)
    source.end()
    try await desk(hub).run()
    #expect(hub.notifications.count == 1)
    #expect(ledger.decisions[1].action == .merge)
    #expect(ledger.decisions[1].reason == "its story is told already, by article a")
    #expect(ledger.decisions[1].storyID == "a")
  }

  @Test("What is not to be told is dropped for a reason and acknowledged")
  func drops() async throws {
    let hub = ScriptedHub()
    try await source.add(article("a"), subscribed: nil, firstSeen: clock.now)
    source.end()
    try await desk(hub).run()
    #expect(hub.notifications.isEmpty)
    #expect(ledger.decisions.map(\.reason) == ["nobody can say what it is about"])
    #expect(source.acknowledgedIDs == ["a"])
  }

  @Test("A hub that is busy is asked again, not sooner than it says, and nothing else is lost")
  func retries() async throws {
    let hub = ScriptedHub([.retry(after: .seconds(30), why: "busy"), .retry(after: .zero, why: "busy")])
    try await source.add(article("a"), firstSeen: clock.now)
    source.end()
    let running = Task { try await desk(hub).run() }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(29))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    try await running.value
    #expect(hub.notifications.count == 1)
    #expect(source.acknowledgedIDs == ["a"])
  }

  @Test("What expires while the hub cannot take it is not sent late")
  func expiresWhileWaiting() async throws {
    let hub = ScriptedHub([.retry(after: .seconds(601), why: "busy")])
    try await source.add(article("a"), firstSeen: clock.now)
    source.end()
    let running = Task { try await desk(hub).run() }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(601))
    try await running.value
    #expect(hub.notifications.isEmpty)
    #expect(ledger.decisions.map(\.action) == [.drop])
    #expect(source.acknowledgedIDs == ["a"])
  }

  @Test("A refusal is final and the next article flows")
  func refusal() async throws {
    let hub = ScriptedHub([.refused(why: "no")])
    for id in ["a", "b"] {
      let source = ScriptedSource()
      try await source.add(article(id), firstSeen: clock.now)
      source.end()
      try await desk(hub, source: source).run()
    }
    #expect(ledger.decisions.map(\.reason) == ["refused by the hub: no", "new"])
    #expect(hub.notifications.map { $0.properties["articleId"] } == ["b"])
  }

  @Test("A stop while the hub is busy leaves the article to come again, under the same notification id")
  func stopsWhileWaiting() async throws {
    let busy = ScriptedHub([.retry(after: .seconds(30), why: "busy")])
    try await source.add(article("a"), firstSeen: clock.now)
    let running = Task { try await desk(busy).run() }
    await clock.waitForSleepers()
    running.cancel()
    try await running.value
    #expect(source.acknowledgedIDs.isEmpty)

    let again = ScriptedSource()
    let hub = ScriptedHub()
    try await again.add(article("a"), firstSeen: clock.now)
    again.end()
    let first = try await ledger.claim(
      Claim(
        articleID: "a", version: 1, canonicalLink: nil, kind: .alert, categories: [.sports],
        notificationID: NotificationID(at: clock.now), time: clock.now))
    guard case .resumed(let publication) = first else {
      Issue.record("the claim of the stopped desk is lost")
      return
    }
    let restarted = DeskTests(source: again, ledger: ledger, clock: clock)
    try await restarted.desk(hub).run()
    #expect(hub.notifications.map(\.id) == [publication.notificationID])
    #expect(again.acknowledgedIDs == ["a"])
  }

  @Test("A stop while the hub is busy leaves later versions too, which must not take the place of the first")
  func stopsBeforeCorrections() async throws {
    let hub = ScriptedHub([.retry(after: .seconds(30), why: "busy")])
    for version in 1...3 as ClosedRange<Int64> {
      var article = article("a")
      article.version = version
      try await source.add(article, firstSeen: clock.now)
    }
    source.end()
    let running = Task { try await desk(hub, corrections: .send).run() }
    await clock.waitForSleepers()
    running.cancel()
    try await running.value
    #expect(hub.notifications.isEmpty)
    #expect(source.acknowledgedIDs.isEmpty)
  }

  @Test("An embargoed article comes out of the held source on time, once, and is judged by when it was first seen")
  func embargo() async throws {
    let hub = ScriptedHub()
    var embargoed = article("a")
    embargoed.embargoed = clock.now + .seconds(7200)
    embargoed.published = clock.now
    try await source.add(embargoed, firstSeen: clock.now)
    source.end()
    try await desk(hub).run()
    #expect(hub.notifications.isEmpty)
    #expect(source.acknowledgedIDs == ["a"])

    let held = HeldSource(ledger: ledger, heldAnew: Wakeup(), clock: clock)
    let waiting = Task { try await held.next(limit: 10) }
    await clock.waitForSleepers()
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(7200))
    let released = try #require(try await waiting.value)
    #expect(released.map(\.articleID) == ["a"])
    #expect(released[0].firstSeen == embargoed.published)
    try await released[0].acknowledge()
    #expect(ledger.held.isEmpty)
  }

  /// Takes everything, one article only once it is allowed to.
  private final class SlowHub: Hub {
    let repeatsSafely = true
    let told = BoundedChannel<String>(capacity: 10)
    let mayTell = BoundedChannel<Void>(capacity: 1)

    func send(_ notification: Push.Notification) async throws(HubError) -> Receipt {
      let id = notification.properties["articleId"] ?? ""
      if id == "slow" { _ = await mayTell.receive() }
      try? await told.send(id)
      return Receipt(notificationID: notification.id.description)
    }
  }

  @Test("What waits for its hub does not hold up another story, and its own is told once")
  func besides() async throws {
    let hub = SlowHub()
    for article in [
      article("slow", url: "https://x.test/1"), article("quick"), article("same", url: "https://x.test/1"),
    ] {
      try await source.add(article, firstSeen: clock.now)
    }
    source.end()
    let desk = try desk(hub)
    async let run: Void = desk.run()
    #expect(await hub.told.receive() == "quick")
    hub.mayTell.finish()
    try await run
    hub.told.finish()
    #expect(await hub.told.receive() == "slow")
    #expect(await hub.told.receive() == nil)
    #expect(source.acknowledgedIDs == ["quick", "slow", "same"])
  }

  @Test("Versions of one article and articles under one link keep their order")
  func sequences() async throws {
    let hub = ScriptedHub()
    let batch = [
      article("a", url: "https://x.test/1"), article("b"), article("c", url: "https://x.test/1"), article("b"),
    ]
    for article in batch { try await source.add(article, firstSeen: clock.now) }
    source.end()
    try await desk(hub).run()
    #expect(hub.notifications.compactMap { $0.properties["articleId"] }.sorted() == ["a", "b"])
  }
}

extension DeskTests {
  init(source: ScriptedSource, ledger: MemoryLedger, clock: ManualClock) {
    self.source = source
    self.ledger = ledger
    self.clock = clock
  }

  init() { self.init(source: ScriptedSource(), ledger: MemoryLedger(), clock: ManualClock()) }
}
