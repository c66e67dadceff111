import Kafka
import News
import TestKit
import Testing

@testable import Ingest

@Suite struct ArticleRecordTests {
  @Test(
    "What cannot be read says how far reading came and why",
    arguments: [
      (Array([0xFF, 0x00]) as [UInt8]?, "k", UnreadableRecord.Stage.parse, "no JSON"),
      (Array(#"["a"]"#.utf8), "k", .decode, "no article: is an array"),
      (Array(#"{"id": "a"}"#.utf8), "k", .decode, "headline: is missing"),
      (
        Array(#"{"id": "a", "translations": {"fr": {"headline": ""}}}"#.utf8), "k", .decode,
        "translations.fr.headline: empty"
      ),
      (Array(#"{"id": "a", "headline": "h", "categories": ["Weather"]}"#.utf8), "k", .decode, "\"Weather\" is none of"),
      (Array(#"{"id": "a", "headline": "h", "urgency": 11}"#.utf8), "k", .decode, "urgency: is 11"),
      (Array(repeating: 0x20, count: 2 << 20), "k", .record, "2097152 bytes long"),
      ([], "k", .parse, "no JSON"),
      (nil, nil, .record, "no value and no key"),
      (nil, "", .record, "no article's id"),
    ] as [([UInt8]?, String?, UnreadableRecord.Stage, String)])
  func unreadable(_ value: [UInt8]?, _ key: String?, _ stage: UnreadableRecord.Stage, _ message: String) throws {
    let error = try #require(
      #expect(throws: UnreadableRecord.self) {
        _ = try ArticleRecord.content(of: .fixture(key: key, value: value), from: FollowedTopic(topic: "articles"))
      })
    #expect(error.stage == stage)
    #expect(error.message.contains(message))
  }

  @Test("An article without a version has the record's offset for one")
  func version() throws {
    let articles = FollowedTopic(topic: "articles")
    let plain = try ArticleRecord.content(of: .fixture(#"{"id": "a", "headline": "h"}"#, offset: 42), from: articles)
    #expect(plain.article?.version == 42)
    let own = try ArticleRecord.content(
      of: .fixture(#"{"id": "a", "headline": "h", "version": 7}"#, offset: 42), from: articles)
    #expect(own.article?.version == 7)
  }

  @Test("A record without a value withdraws its key")
  func tombstone() throws {
    let content = try ArticleRecord.content(
      of: .fixture(key: "urn:a", value: nil), from: FollowedTopic(topic: "articles"))
    #expect(content == .withdrawal(articleID: "urn:a"))
  }

  @Test("The topic's language and name stand in where the article has none")
  func hints() throws {
    let topic = FollowedTopic(topic: "french", language: "fr")
    let article = try ArticleRecord.content(of: .fixture(#"{"id": "a", "headline": "h"}"#), from: topic).article
    #expect(article?.language == "fr")
    #expect(article?.source == "french")
    let own = try ArticleRecord.content(
      of: .fixture(#"{"id": "a", "headline": "h", "language": "de", "source": "agency"}"#), from: topic
    ).article
    #expect(own?.language == "de")
    #expect(own?.source == "agency")
  }

  @Test("An editor decides; what a feed says of categories is a hint, and it cannot call its news breaking")
  func trust() throws {
    let record = KafkaMessage.fixture(#"{"id": "a", "headline": "h", "categories": ["Sports"], "urgency": 1}"#)
    let edited = try ArticleRecord.content(of: record, from: FollowedTopic(topic: "articles")).article
    #expect(edited?.categories == [.sports])
    #expect(edited?.isBreaking == true)
    let fed = try ArticleRecord.content(of: record, from: FollowedTopic(topic: "articles", trust: .feed)).article
    #expect(fed?.categories == [])
    #expect(fed?.terms == [CategoryTerm("Sports")])
    #expect(fed?.isBreaking == false)
  }

  @Test("A dead letter keeps the record's own headers and says where it came from; put back, it counts on")
  func headers() {
    let message = KafkaMessage.fixture(
      key: "k", value: [0xFF],
      headers: [
        KafkaHeader("trace", "1"), KafkaHeader("tidings.attempts", "2"), KafkaHeader("tidings.error.stage", "parse"),
      ])
    let headers = DeadLetters.headers(of: message, UnreadableRecord(stage: .decode, message: "id: is missing"))
    #expect(
      headers == [
        KafkaHeader("trace", "1"), KafkaHeader("tidings.error.stage", "decode"),
        KafkaHeader("tidings.error.message", "id: is missing"), KafkaHeader("tidings.source.topic", "articles"),
        KafkaHeader("tidings.source.partition", "0"), KafkaHeader("tidings.source.offset", "5"),
        KafkaHeader("tidings.source.timestamp", "2026-11-30T12:00:00Z"), KafkaHeader("tidings.attempts", "3"),
      ])
  }
}

extension Inbound.Content {
  fileprivate var article: Article? { if case .article(let article) = self { article } else { nil } }
}

extension KafkaMessage {
  fileprivate static func fixture(_ value: String, offset: Int64 = 5) -> KafkaMessage {
    fixture(key: "k", value: Array(value.utf8), offset: offset)
  }

  fileprivate static func fixture(
    key: String?, value: [UInt8]?, headers: [KafkaHeader] = [], offset: Int64 = 5
  ) -> KafkaMessage {
    KafkaMessage(
      place: KafkaPlace(topic: "articles", partition: 0, offset: offset), timestamp: ManualClock().now,
      key: key.map { Array($0.utf8) }, value: value, headers: headers)
  }
}
