import News
import Publish
import Push
import Runtime
import Synchronization
import Telemetry
import TestKit
import Testing
import Time

@Suite("Parking", .timeLimit(.minutes(1)))
struct ParkingTests {
  /// Takes everything but one article, while it is told to.
  private final class PickyHub: Hub {
    let repeatsSafely: Bool
    let asked = BoundedChannel<String>(capacity: 100)
    private let state = Mutex((failing: Set<String>(), taken: [Push.Notification]()))

    init(failing: String, repeatsSafely: Bool = true) {
      self.repeatsSafely = repeatsSafely
      state.withLock { $0.failing = [failing] }
    }

    var taken: [Push.Notification] { state.withLock { $0.taken } }
    func heal() { state.withLock { $0.failing = [] } }

    func send(_ notification: Push.Notification) async throws(HubError) -> Receipt {
      let id = notification.properties["articleId"] ?? ""
      let isTaken = state.withLock { state in
        guard !state.failing.contains(id) else { return false }
        state.taken.append(notification)
        return true
      }
      try? await asked.send(id)
      guard isTaken else { throw .retry(after: .zero, why: "it failed") }
      return Receipt(notificationID: notification.id.description)
    }
  }

  let parts = DeskTests()

  private func article(_ id: String, version: Int64 = 1) -> Article {
    Article(id: id, version: version, text: .init(headline: "Headline \(id), version \(version)"), language: "en")
  }

  /// Has an article parked: it fails three times, and another is taken after the first.
  private func park(_ inbound: Inbound, at hub: PickyHub, beside good: String = "good") async throws {
    let source = DeskTests.ScriptedSource()
    try await source.add(inbound)
    let running = Task { try await parts.desk(hub, source: source).run() }
    #expect(await hub.asked.receive() == inbound.articleID)
    try await source.add(article(good), firstSeen: parts.clock.now)
    #expect(await hub.asked.receive() == good)
    for wait in [1, 2] {
      await parts.clock.waitForSleepers()
      parts.clock.advance(by: .seconds(wait))
      #expect(await hub.asked.receive() == inbound.articleID)
    }
    source.end()
    try await running.value
  }

  private func park(_ id: String, at hub: PickyHub) async throws {
    try await park(
      Inbound(article: article(id), subscribed: .sports, firstSeen: parts.clock.now) {
        try await parts.source.add(article(id), firstSeen: parts.clock.now)
      }, at: hub)
    // It was acknowledged.
    #expect(try await parts.source.next(limit: 1)?.map(\.articleID) == [id])
  }

  /// Works on what is due in the store, as another process would.
  private func release(at hub: PickyHub) async throws {
    let held = HeldSource(ledger: parts.ledger, heldAnew: Wakeup(), clock: parts.clock)
    let source = DeskTests.ScriptedSource()
    for inbound in try #require(try await held.next(limit: 10)) { try await source.add(inbound) }
    source.end()
    try await parts.desk(hub, source: source).run()
  }

  @Test(
    "What a hub fails to take while it takes others waits in the store, others flow, and it is told later, once",
    arguments: [true, false])
  func parks(repeatsSafely: Bool) async throws {
    let hub = PickyHub(failing: "bad", repeatsSafely: repeatsSafely)
    try await park("bad", at: hub)
    let until = parts.clock.now + .seconds(15)
    let decision = parts.ledger.decisions.last
    #expect(decision?.articleID == "bad" && decision?.action == .hold)
    #expect(
      decision?.reason == "the hub takes others but not this one: it failed; tried again at \(until)")
    #expect(try await parts.ledger.nextRelease() == until)

    hub.heal()
    parts.clock.advance(by: .seconds(15))
    try await release(at: hub)
    #expect(hub.taken.map { $0.properties["articleId"] } == ["good", "bad"])
    #expect(parts.ledger.decisions.last?.action == .push)
    #expect(parts.ledger.held.isEmpty)
    #expect(try await parts.ledger.heldArticles(due: parts.clock.now, limit: 10).isEmpty)
  }

  @Test("The longer it fails, the longer it waits")
  func backsOff() async throws {
    let hub = PickyHub(failing: "bad")
    try await park("bad", at: hub)
    let began = parts.ledger.decisions[0].time
    for expected in [18, 42, 90] {
      let until = try #require(try await parts.ledger.nextRelease())
      #expect(began.distance(to: until) == .seconds(expected))
      parts.clock.advance(by: parts.clock.now.distance(to: until))
      let held = HeldSource(ledger: parts.ledger, heldAnew: Wakeup(), clock: parts.clock)
      let due = try #require(try await held.next(limit: 10)?.first)
      try await park(due, at: hub, beside: "good \(expected)")
    }
  }

  @Test("A later version takes the place of one that waits, and is the one that is told")
  func laterVersion() async throws {
    let hub = PickyHub(failing: "bad")
    try await park("bad", at: hub)
    hub.heal()
    let source = DeskTests.ScriptedSource()
    try await source.add(
      .article(article("bad", version: 2)), trust: .editor, firstSeen: parts.clock.now)
    source.end()
    try await parts.desk(hub, source: source).run()
    parts.clock.advance(by: .seconds(15))
    if try await !parts.ledger.heldArticles(due: parts.clock.now, limit: 10).isEmpty { try await release(at: hub) }
    #expect(hub.taken.map { $0.properties["title"] } == ["Headline good, version 1", "Headline bad, version 2"])
    #expect(parts.ledger.held.isEmpty)
  }

  @Test("What is withdrawn while it waits is not told")
  func withdrawn() async throws {
    let hub = PickyHub(failing: "bad")
    try await park("bad", at: hub)
    hub.heal()
    let source = DeskTests.ScriptedSource()
    try await source.add(.withdrawal(articleID: "bad"), trust: .editor, firstSeen: parts.clock.now)
    source.end()
    try await parts.desk(hub, source: source).run()
    #expect(parts.ledger.held.isEmpty)
    #expect(hub.taken.map { $0.properties["articleId"] } == ["good"])
  }
}
