import Kafka
import News
import Runtime
import Telemetry
import TestKit
import Testing
import Time

@testable import Ingest

/// Needs librdkafka's mock cluster.
@Suite(.timeLimit(.minutes(2))) struct FeedRelayTests {
  let clock = ManualClock()
  let store = MemoryFeedStore()
  let metrics = MetricRegistry()

  @Test("What feeds have brought comes back from the topic as a feed's, first seen when it was, and leaves the inbox")
  func roundTrip() async throws {
    let cluster = try MockCluster()
    try cluster.createTopic("articles", partitions: 2)
    let settings = KafkaSettings(bootstrapServers: cluster.bootstrapServers)
    var article = Article(id: "item", text: .init(headline: "Headline", summary: "Summary"))
    article.terms = [CategoryTerm("Sport", scheme: "https://example.org/terms", label: "Sports pages")]
    article.urgency = 1
    let seen = clock.now
    try await put([article])
    clock.advance(by: .seconds(3600))
    article.version = 2
    try await put([article])

    let relay = FeedRelay(
      source: InboxSource(store: store, bell: Wakeup(), clock: clock), topic: "articles",
      writer: try TopicWriter(settings, clock: SystemClock(), logger: .silent), clock: clock, logger: .silent,
      metrics: metrics)
    let relaying = Task { try await relay.run() }
    let source = try KafkaArticleSource(
      settings, options: .init(group: "tidings", topics: [FollowedTopic(topic: "articles")], deadLetters: "dlq"),
      clock: clock, logger: .silent, metrics: metrics)
    let inbound = try #require(try await source.next(limit: 1)?.first)
    #expect(inbound.articleID == "item")
    #expect(inbound.trust == .feed)
    #expect(inbound.subscribed == .world)
    #expect(inbound.firstSeen == seen)
    #expect(!inbound.isUpdate)
    #expect(inbound.origin?.description.hasPrefix("articles/") == true)
    // A feed's word on how urgent it is counts for nothing.
    var expected = article
    expected.version = 1
    expected.urgency = nil
    expected.source = inbound.article?.source
    #expect(inbound.article == expected)
    relaying.cancel()
    try await relaying.value
    #expect(try await store.inbox(after: 0, limit: 10).isEmpty)
    let watching = Task { try await source.run() }
    watching.cancel()
    try await watching.value
  }

  @Test(
    "Headers that say an article is a feed's, and how",
    arguments: [
      ([], nil),
      ([KafkaHeader("feed-first-seen", "2026-11-30T19:22:00Z")], (.noon, nil, false)),
      (
        [
          KafkaHeader("feed-first-seen", "2026-11-30T19:22:00Z"), KafkaHeader("feed-category", "Science"),
          KafkaHeader("feed-update", "1"),
        ], (.noon, .science, true)
      ),
      ([KafkaHeader("feed-first-seen", "soon"), KafkaHeader("feed-category", "Weather")], (nil, nil, false)),
      ([KafkaHeader("feed-first-seen", [0xFF]), KafkaHeader("feed-category", [0xFF])], (nil, nil, false)),
      ([KafkaHeader("feed-first-seen", nil)], (nil, nil, false)),
    ] as [([KafkaHeader], (Timestamp?, News.Category?, Bool)?)])
  func headers(_ headers: [KafkaHeader], _ expected: (Timestamp?, News.Category?, Bool)?) {
    let message = KafkaMessage(
      place: KafkaPlace(topic: "articles", partition: 0, offset: 1), key: nil, value: nil, headers: headers)
    #expect(
      FeedRecord.origin(of: message)
        == expected.map { FeedRecord.Origin(firstSeen: $0.0, subscribed: $0.1, isUpdate: $0.2) })
  }

  private func put(_ articles: [Article]) async throws {
    let state = FeedState(url: "https://example.org/feed", nextCheck: clock.now, nextCheckReason: "")
    _ = try await store.commit(
      Poll(state: state, articles: articles, subscribed: .world, time: clock.now, isBaseline: false))
  }
}

extension Timestamp {
  fileprivate static let noon = Timestamp(rfc3339: "2026-11-30T19:22:00Z")!
}
