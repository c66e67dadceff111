import News
import Push
import TestKit
import Testing
import Time

@testable import Publish

/// What becomes of an editor's later versions and of withdrawals.
@Suite struct CorrectionTests {
  let desk = DeskTests()

  private func run(
    _ contents: [Inbound.Content], on hub: DeskTests.ScriptedHub, trust: Trust = .editor,
    corrections: PushPolicy.Corrections = .ignore
  ) async throws {
    let source = DeskTests.ScriptedSource()
    for content in contents { try await source.add(content, trust: trust, firstSeen: desk.clock.now) }
    source.end()
    try await desk.desk(hub, source: source, corrections: corrections).run()
  }

  private func article(_ version: Int64, _ headline: String, embargoed: Timestamp? = nil) -> Inbound.Content {
    var article = Article(id: "a", version: version, text: .init(headline: headline), language: "en")
    article.embargoed = embargoed
    return .article(article)
  }

  private var canceled: Inbound.Content {
    var article = Article(id: "a", version: 2, text: .init(headline: "First"), language: "en")
    article.status = .canceled
    return .article(article)
  }

  @Test("A higher version is recorded and not sent, unless the policy sends corrections")
  func higher() async throws {
    let hub = DeskTests.ScriptedHub()
    try await run([article(1, "First"), article(2, "Second")], on: hub)
    #expect(hub.notifications.map { $0.properties["title"] } == ["First"])
    #expect(desk.ledger.decisions.map(\.reason) == ["new", "correction recorded, not sent"])

    try await run([article(3, "Third")], on: hub, corrections: .send)
    #expect(hub.notifications.map { $0.properties["title"] } == ["First", "Third"])
    #expect(hub.notifications.last?.properties["kind"] == "correction")
    #expect(hub.notifications.last?.properties["collapseId"] == hub.notifications.first?.properties["collapseId"])
    #expect(desk.ledger.decisions.last?.reason == "correction of version 1")
  }

  @Test("Where versions are places in a topic, the same content is told once wherever it stands, a new one corrects")
  func copies() async throws {
    let hub = DeskTests.ScriptedHub()
    let source = DeskTests.ScriptedSource()
    let contents: [(Int64, String)] = [
      (5, "First"), (6, "Second"), (105, "First"), (106, "Second"), (107, "Third"), (7, "Late"),
    ]
    for (version, headline) in contents {
      var inbound = Inbound(
        article(version, headline), subscribed: .sports, trust: .editor, firstSeen: desk.clock.now
      ) {}
      inbound.isVersionedByPlace = true
      try await source.add(inbound)
    }
    source.end()
    try await desk.desk(hub, source: source, corrections: .send).run()
    #expect(hub.notifications.map { $0.properties["title"] } == ["First", "Second", "Third"])
  }

  @Test("What a feed says later is never sent")
  func feed() async throws {
    let hub = DeskTests.ScriptedHub()
    try await run([article(1, "First"), article(2, "Second")], on: hub, trust: .feed, corrections: .send)
    #expect(hub.notifications.count == 1)
    #expect(desk.ledger.decisions.last?.reason == "correction recorded, not sent")
  }

  @Test("A lower version than one seen has no effect, whatever became of that one")
  func lower() async throws {
    let hub = DeskTests.ScriptedHub()
    try await run(
      [article(3, "Third", embargoed: desk.clock.now + .seconds(3600)), article(2, "Second")], on: hub,
      corrections: .send)
    #expect(hub.notifications.isEmpty)
    #expect(desk.ledger.decisions.last?.reason == "version 3 is known already")
    #expect(desk.ledger.held.map(\.article.version) == [3])
  }

  @Test("An equal version with other content is a correction; with the same content nothing at all")
  func equal() async throws {
    let hub = DeskTests.ScriptedHub()
    try await run([article(1, "First"), article(1, "First"), article(1, "Other")], on: hub, corrections: .send)
    #expect(hub.notifications.map { $0.properties["title"] } == ["First", "Other"])
    #expect(desk.ledger.decisions.count == 2)
  }

  @Test("A rewound topic sends nothing and decides nothing new about what was told")
  func rewound() async throws {
    let hub = DeskTests.ScriptedHub()
    let topic = [article(1, "First"), article(2, "Second"), canceled, article(3, "Third")]
    for _ in 0..<3 { try await run(topic, on: hub, corrections: .send) }
    #expect(hub.notifications.map { $0.properties["title"] } == ["First", "Second", "Third"])
  }

  @Test("What is canceled or withdrawn while it is held does not come out", arguments: [true, false])
  func held(_ byTombstone: Bool) async throws {
    let hub = DeskTests.ScriptedHub()
    let embargo = desk.clock.now + .seconds(3600)
    try await run(
      [article(1, "First", embargoed: embargo), byTombstone ? .withdrawal(articleID: "a") : canceled], on: hub)
    #expect(desk.ledger.held.isEmpty)
    #expect(desk.ledger.decisions.last?.action == .withdraw)
    #expect(desk.ledger.decisions.last?.headline == "First")
    desk.clock.advance(by: .seconds(7200))
    try await run([article(1, "First")], on: hub)
    #expect(hub.notifications.isEmpty)
    #expect(desk.ledger.decisions.last?.reason.hasPrefix("withdrawn by its editor") == true)
    // A higher version is told again.
    try await run([article(3, "Third")], on: hub)
    #expect(hub.notifications.map { $0.properties["title"] } == ["Third"])
  }

  @Test("A withdrawal after the alert sends nothing and names the notification that had left")
  func late() async throws {
    let hub = DeskTests.ScriptedHub()
    try await run([article(1, "First"), .withdrawal(articleID: "a"), .withdrawal(articleID: "a")], on: hub)
    #expect(hub.notifications.count == 1)
    let withdrawal = desk.ledger.decisions.first { $0.action == .withdraw }
    #expect(withdrawal?.notificationID == hub.notifications[0].id.description)
    #expect(desk.ledger.decisions.count { $0.action == .withdraw } == 1)
  }
}
