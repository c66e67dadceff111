import Curl
import JSON
import Kafka
import News
import Telemetry
import TestKit
import Testing

@testable import Ingest

@Suite(.timeLimit(.minutes(1))) struct SchemaRegistryTests {
  private let clock = ManualClock()

  private func registry(_ server: RawServer, path: String = "/") throws -> SchemaRegistry {
    SchemaRegistry(
      try WebURL(server.url(path)), user: ("tidings", Secret("p:w")), clock: clock, logger: .silent)
  }

  private static func answer(_ schema: String, type: String? = nil, references: String? = nil) -> RawServer.Answer {
    var object: JSONObject = ["schema": .string(schema)]
    object["schemaType"] = type.map { .string($0) }
    if let references { object["references"] = [["name": .string(references)]] }
    return .status(
      200, ["Content-Type": "application/vnd.schemaregistry.v1+json"], body: JSONValue.object(object).serialized())
  }

  @Test("A schema is asked for once, with the user, below whatever path the registry has")
  func cached() async throws {
    let server = try RawServer { _ in Self.answer(#""string""#) }
    let registry = try registry(server, path: "/registry/")
    #expect(try await registry.schema(7) == .avro(try AvroSchema(parsing: #""string""#)))
    #expect(try await registry.schema(7) == registry.schema(7))
    #expect(server.requests.map(\.target) == ["/registry/schemas/ids/7"])
    #expect(server.requests[0]["Authorization"] == "Basic dGlkaW5nczpwOnc=")
    #expect(registry.fault == nil)
  }

  @Test(
    "What cannot be read is no reason to wait",
    arguments: [
      (Answer.schema(#""string""#, "PROTOBUF", nil), "PROTOBUF"), (.schema("{", nil, nil), "no JSON"),
      (.schema(#""string""#, nil, "other.avsc"), "refers to others"), (.status(404), "has no schema 7"),
    ])
  func unreadable(_ answer: Answer, _ reason: String) async throws {
    let server = try RawServer { _ in answer.raw }
    guard case .unreadable(let said) = try await registry(server).schema(7) else {
      Issue.record("it can be read")
      return
    }
    #expect(said.contains(reason))
  }

  enum Answer: Sendable {
    case schema(String, String?, String?)
    case status(Int)

    var raw: RawServer.Answer {
      switch self {
      case .schema(let text, let type, let reference):
        SchemaRegistryTests.answer(text, type: type, references: reference)
      case .status(let status): .status(status)
      }
    }
  }

  @Test("A registry that fails, refuses us or says nonsense is waited for, and the fault says so")
  func waits() async throws {
    let answers: [RawServer.Answer] = [
      .status(500), .status(401), .ok("<html>Sign in</html>"), .ok(#"{"schema": 7}"#), .status(503),
      Self.answer("{}", type: "JSON"),
    ]
    let server = try RawServer(answers: answers)
    let registry = try registry(server)
    let asking = Task { try await registry.schema(7) }
    for _ in answers.dropLast() {
      await clock.waitForSleepers()
      #expect(registry.fault?.contains("127.0.0.1") == true)
      clock.advance(by: .seconds(60))
    }
    #expect(try await asking.value == .json)
    #expect(registry.fault == nil)
  }

  @Test("Records in Confluent's wire format are articles by their schema, and dead letters without one")
  func records() throws {
    let json = Array(#"{"id": "a", "headline": "h"}"#.utf8)
    func content(_ body: [UInt8], _ schema: SchemaRegistry.Schema?) throws -> Inbound.Content {
      try ArticleRecord.content(
        of: KafkaMessage(
          place: KafkaPlace(topic: "articles", partition: 0, offset: 5), key: nil, value: [0, 0, 0, 1, 2] + body),
        from: FollowedTopic(topic: "articles"), schema: schema)
    }
    func id(_ content: Inbound.Content) -> String? {
      if case .article(let article) = content { article.id } else { nil }
    }
    #expect(id(try content(json, .json)) == "a")
    let schema = try AvroSchema(
      parsing:
        #"{"type": "record", "name": "A", "fields": [{"name": "id", "type": "string"}, {"name": "headline", "type": "string"}]}"#
    )
    #expect(id(try content([2, 0x61, 2, 0x68], .avro(schema))) == "a")
    for (body, schema, reason) in [
      (json, nil, "schema 258: kafka.schemaRegistry names no registry"),
      (json, .unreadable("the registry has no schema 258"), "schema 258: the registry has no schema 258"),
      ([2, 0x61, 2], .avro(schema), "schema 258: headline: 1 bytes are claimed"),
      ([2, 0x61, 0], .avro(schema), "no article: headline: empty"), ([0xFF], .json, "no JSON"),
    ] as [([UInt8], SchemaRegistry.Schema?, String)] {
      let error = #expect(throws: UnreadableRecord.self) { try content(body, schema) }
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }
}
