import News
import Push
import TestKit
import Testing
import Time

@testable import Publish

/// What a desk makes of stories that are told twice, by two sources or in two versions.
@Suite struct RetoldStoryTests {
  private let desk = DeskTests()
  private let hub = DeskTests.ScriptedHub()

  private func article(_ id: String, _ headline: String, from source: String) -> Article {
    var article = Article(id: id, text: .init(headline: headline), language: "en")
    article.source = source
    return article
  }

  /// One after the other: of two that come in one moment either may be the first.
  private func run(_ articles: [(article: Article, trust: Trust, isUpdate: Bool)]) async throws {
    for (article, trust, isUpdate) in articles {
      let source = DeskTests.ScriptedSource()
      var inbound = Inbound(article: article, subscribed: .world, trust: trust, firstSeen: desk.clock.now) {}
      inbound.isUpdate = isUpdate
      try await source.add(inbound)
      source.end()
      try await desk.desk(hub, source: source).run()
    }
  }

  @Test("A story in another source's words is told once, and the reason says how alike they are")
  func merged() async throws {
    let first = article("a", "Judge blocks the new harbour toll law", from: "Echo")
    let second = article("b", "Federal judge blocks the new harbour toll law", from: "Star")
    try await run([(first, .feed, false), (second, .feed, false), (second, .feed, false)])
    #expect(hub.notifications.map { $0.properties["articleId"] } == ["a"])
    let merged = try #require(desk.ledger.decisions.first { $0.articleID == "b" })
    #expect(merged.action == .merge)
    #expect(merged.reason == "a near-duplicate of article a: headlines alike by 86 %")
    #expect(merged.storyID == "a")
  }

  @Test("An editor is not silenced by a feed")
  func editor() async throws {
    let first = article("a", "Judge blocks the new harbour toll law", from: "Echo")
    let second = article("b", "Judge blocks the new harbour toll law", from: "newsroom")
    try await run([(first, .feed, false), (second, .editor, false)])
    #expect(hub.notifications.map { $0.properties["articleId"] } == ["a", "b"])
  }

  @Test("A later version of a feed's item that was not told, its baseline for one, does not alert either")
  func untold() async throws {
    var update = article("a", "Ferry late again", from: "Echo")
    update.version = 2
    try await run([(update, .feed, true)])
    #expect(hub.notifications.isEmpty)
    #expect(desk.ledger.decisions.map(\.reason) == ["a later version of an item that was not told"])
  }

  @Test("A later version of what waits takes its place, and is told in its time")
  func waiting() async throws {
    var held = article("a", "Ferry to be sold", from: "Echo")
    held.embargoed = desk.clock.now + .seconds(60)
    var update = article("a", "Ferry to be sold to islanders", from: "Echo")
    update.embargoed = held.embargoed
    update.version = 2
    try await run([(held, .feed, false), (update, .feed, true)])
    #expect(desk.ledger.held.map(\.article.version) == [2])
  }
}
