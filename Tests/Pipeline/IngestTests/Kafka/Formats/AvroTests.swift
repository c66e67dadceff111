import Files
import JSON
import TestKit
import Testing

@testable import Ingest

@Suite struct AvroTests {
  /// Schema, datum as fastavro takes it, and as we read it where that differs.
  static let cases: [(schema: String, datum: String, read: String?)] = [
    (#""null""#, "null", nil), (#""boolean""#, "true", nil), (#""int""#, "-1", nil),
    (#""long""#, "9007199254740993", nil), (#""long""#, "-4611686018427387904", nil), (#""double""#, "1.5", nil),
    (#""float""#, "-0.25", nil), (#""string""#, #""Séisme 北海道 🌋""#, nil), (#"{"type": "string"}"#, #""""#, nil),
    (#"["null", "string"]"#, "null", nil), (#"["null", "string"]"#, #""x""#, nil),
    (#"{"type": "array", "items": "int"}"#, "[]", nil), (#"{"type": "array", "items": "int"}"#, "[1, -2, 300]", nil),
    (#"{"type": "map", "values": {"type": "array", "items": "string"}}"#, #"{"fr": ["a"], "zh": []}"#, nil),
    (#"{"type": "enum", "name": "Status", "symbols": ["usable", "canceled"]}"#, #""canceled""#, nil),
    (
      #"{"type": "long", "logicalType": "timestamp-millis"}"#, "1796066520123",
      #""2026-11-30T19:22:00.123Z""#
    ),
    (#"{"type": "long", "logicalType": "timestamp-micros"}"#, "1796066520000000", #""2026-11-30T19:22:00Z""#),
    (
      #"""
      {"type": "record", "name": "Article", "namespace": "org.desk", "fields": [
        {"name": "id", "type": "string"}, {"name": "version", "type": ["null", "int"], "default": null},
        {"name": "headline", "type": "string"},
        {"name": "translations", "type": {"type": "map", "values":
          {"type": "record", "name": "Text", "fields": [{"name": "headline", "type": "string"}]}}},
        {"name": "first", "type": ["null", "org.desk.Text"]}, {"name": "last", "type": ["null", "Text"]},
        {"name": "published", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}
      """#,
      #"{"id": "a", "version": 3, "headline": "h", "translations": {"fr": {"headline": "t"}}, "first": {"headline": "f"}, "last": null, "published": 1796066520000}"#,
      #"{"id": "a", "version": 3, "headline": "h", "translations": {"fr": {"headline": "t"}}, "first": {"headline": "f"}, "last": null, "published": "2026-11-30T19:22:00Z"}"#
    ),
    (
      #"{"type": "record", "name": "Node", "fields": [{"name": "next", "type": ["null", "Node"]}]}"#,
      #"{"next": {"next": {"next": null}}}"#, nil
    ),
  ]

  @Test(
    "What another writer has written is read as it was",
    .enabled(if: KafkaBroker.python != nil, "TIDINGS_PYTHON names no Python with fastavro; deploy/test.sh sets it up"))
  func read() async throws {
    let folder = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(folder) }
    let lines = Self.cases.map { "{\"schema\": \($0.schema.replacing("\n", with: " ")), \"datum\": \($0.datum)}" }
    try FileSystem.write(Array(lines.joined(separator: "\n").utf8), to: "\(folder)/cases")
    let script = #filePath.replacing("AvroTests.swift", with: "avro.py")
    let writer = try ChildProcess(try #require(KafkaBroker.python), [script, "\(folder)/cases"])
    #expect(await writer.ending() == .exited(0), "\(writer.lines(.errors))")
    let written = writer.lines()
    try #require(written.count == Self.cases.count)
    for (example, line) in zip(Self.cases, written) {
      let bytes = stride(from: 0, to: line.utf8.count, by: 2).map { place in
        UInt8(line.dropFirst(place).prefix(2), radix: 16)!
      }
      let schema = try AvroSchema(parsing: example.schema)
      let read = try AvroDatum.json(bytes[...], by: schema)
      #expect(read == (try JSONValue(parsing: example.read ?? example.datum)), "\(example.schema)")
      // Cut anywhere it is no datum, unless nothing was there.
      for count in 0..<bytes.count {
        #expect(throws: AvroError.self) { try AvroDatum.json(bytes.prefix(count), by: schema) }
      }
      #expect(throws: AvroError.self) { try AvroDatum.json((bytes + [0])[...], by: schema) }
    }
  }

  @Test(
    "Bytes that claim what is not there, or no end, are refused",
    arguments: [
      // 2^60 items that take no bytes; a block of the least of all numbers; a length beyond the bytes; one below zero.
      (
        #"{"type": "array", "items": "null"}"#, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20],
        "items are claimed"
      ),
      (
        #"{"type": "array", "items": "null"}"#, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0], "items"
      ),
      (#""string""#, [0xFE, 0xFF, 0xFF, 0xFF, 0x0F, 0x41], "bytes are claimed"),
      (#""string""#, [0x01], "a length of -1"),
      (#""string""#, [0x02, 0xFF], "no UTF-8"), (#""boolean""#, [2], "no boolean"),
      (#""long""#, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "more than ten bytes"),
      (#"["null"]"#, [4], "no branch 2"), (#"{"type": "enum", "name": "E", "symbols": []}"#, [0], "no symbol 0"),
      (
        #"{"type": "record", "name": "N", "fields": [{"name": "n", "type": ["null", "N"]}]}"#,
        [UInt8](repeating: 2, count: 100_000), "nested more than 64 deep"
      ),
    ] as [(String, [UInt8], String)])
  func hostile(_ schema: String, _ bytes: [UInt8], _ reason: String) throws {
    let schema = try AvroSchema(parsing: schema)
    let error = #expect(throws: AvroError.self) { try AvroDatum.json(bytes[...], by: schema) }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test(
    "What is no schema says what is wrong with it",
    arguments: [
      ("{", "no JSON"), (#""Missing""#, "which it does not define"), ("7", "holds a number"), ("{}", "without a type"),
      (#"{"type": "record"}"#, "without a name"), (#"{"type": "fixed", "name": "F"}"#, "without a size"),
      (#"{"type": "record", "name": "R", "fields": [{"name": "a"}]}"#, "a field without"),
      (
        String(repeating: #"{"type": "array", "items": "#, count: 100) + #""int""# + String(repeating: "}", count: 100),
        "deep"
      ),
      (String(repeating: #"{"type": "#, count: 100) + #""int""# + String(repeating: "}", count: 100), "deep"),
    ])
  func schemas(_ text: String, _ reason: String) {
    let error = #expect(throws: AvroError.self) { try AvroSchema(parsing: text) }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }
}
