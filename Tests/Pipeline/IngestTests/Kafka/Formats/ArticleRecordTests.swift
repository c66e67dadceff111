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

  private static let article = #"{"id": "a", "headline": "h"}"#
  private static let envelope = #"{"specversion": "1.0", "type": "t", "source": "/s", "id": "event", "#

  @Test(
    "An article is found in all envelopes: none, ninjs, and CloudEvents in both modes",
    arguments: [
      ([], article),
      ([], #"{"uri": "a", "headlines": [{"value": "h"}]}"#),
      ([("ce_specversion", "1.0"), ("ce_id", "event"), ("content-type", "application/json; charset=utf-8")], article),
      ([("ce_specversion", "1.0")], #"{"uri": "a", "headline": "h"}"#),
      ([("content-type", "application/cloudevents+json")], envelope + #""data": \#(article)}"#),
      (
        [("Content-Type", "application/cloudevents+json; charset=UTF-8")],
        envelope + #""data": {"uri": "a", "headline": "h"}}"#
      ),
      ([], envelope + #""datacontenttype": "application/vnd.newsroom+json", "data": \#(article)}"#),
      ([], envelope + #""data_base64": "eyJpZCI6ICJhIiwgImhlYWRsaW5lIjogImgifQ=="}"#),
    ] as [([(String, String)], String)])
  func envelopes(_ headers: [(String, String)], _ value: String) throws {
    let message = KafkaMessage.fixture(
      key: "k", value: Array(value.utf8), headers: headers.map { KafkaHeader($0.0, $0.1) })
    let article = try ArticleRecord.content(of: message, from: FollowedTopic(topic: "articles")).article
    #expect(article?.id == "a" && article?.text.headline == "h" && article?.version == 5)
  }

  @Test(
    "What is wrong inside an envelope, or with it, is named with its place",
    arguments: [
      ([], envelope + #""data": {"id": "a"}}"#, "data.headline: is missing"),
      ([], envelope + #""data": "text"}"#, "no article: data: is a string"),
      ([], envelope + #""data_base64": "e30="}"#, "data_base64.id: is missing"),
      ([], envelope + #""data_base64": "%"}"#, "data_base64: is no Base64"),
      ([], envelope + #""data_base64": "/w=="}"#, "data_base64: no JSON"),
      ([], #"{"specversion": "0.3", "data": {}}"#, "specversion: CloudEvents \"0.3\"; 1.0 is read"),
      ([], envelope + #""datacontenttype": "text/xml", "data": "<a/>"}"#, "datacontenttype: \"text/xml\" is no JSON"),
      ([("content-type", "application/cloudevents+json")], envelope + #""x": 1}"#, "data: is missing"),
      ([("content-type", "application/cloudevents+json")], "[]", "no CloudEvent: is an array"),
      ([("content-type", "application/cloudevents-batch+json")], "[]", "a batch of CloudEvents"),
      ([("content-type", "application/cloudevents+avro")], article, "+json is"),
      ([("ce_specversion", "2.0")], article, "ce_specversion: CloudEvents \"2.0\""),
      ([("ce_specversion", "1.0"), ("content-type", "application/avro")], article, "\"application/avro\" is no JSON"),
      ([], "\0\0\0\u{1}\u{2}abc", "Confluent's wire format with schema 258"),
    ] as [([(String, String)], String, String)])
  func wrongEnvelopes(_ headers: [(String, String)], _ value: String, _ reason: String) throws {
    let message = KafkaMessage.fixture(
      key: "k", value: Array(value.utf8), headers: headers.map { KafkaHeader($0.0, $0.1) })
    let error = #expect(throws: UnreadableRecord.self) {
      try ArticleRecord.content(of: message, from: FollowedTopic(topic: "articles"))
    }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
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
