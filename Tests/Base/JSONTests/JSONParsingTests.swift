import JSON
import Testing

@Suite("Parsing JSON")
struct JSONParsingTests {
  @Test(
    "Each kind of value is read as what it is",
    arguments: [
      ("null", .null), ("true", true), ("false", false), ("\"\"", ""), ("0", 0), ("-12", -12), (" 1 ", 1),
      ("[]", []), ("{}", [:]), ("[1, [2], {\"a\": null}]", [1, [2], ["a": .null]]), ("\"a\\/b\"", "a/b"),
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u4E2D""#, "é中"), ("\"é中😀\"", "é中😀"),
      (#""\ud83d\uDE00""#, "😀"), ("\t{\r\n \"a\" : [ ] }\n", ["a": []]),
    ] as [(String, JSONValue)])
  func reads(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
  }

  @Test(
    "A fault is told with its place and what would be right",
    arguments: [
      ("", 1, 1, "found the end of the text"), ("  \n ", 2, 2, "expected a value"),
      ("{\"a\": 1,}", 1, 9, "a key in double quotes after the comma, found '}'"), ("[1,]", 1, 4, "expected a value"),
      ("[1 2]", 1, 4, "a comma or ']'"), ("{\"a\" 1}", 1, 6, "a colon after the key, found '1'"),
      ("{a: 1}", 1, 2, "a key in double quotes or '}'"), ("{\"a\": 1]", 1, 8, "a comma or '}'"),
      ("{\n  \"é\": 01\n}", 2, 9, "no digit after a leading zero"), ("nul", 1, 1, "null, spelled out"),
      ("True", 1, 1, "found 'T'"), ("1.", 1, 3, "a digit"), (".5", 1, 1, "expected a value"), ("-", 1, 2, "a digit"),
      ("+1", 1, 1, "expected a value"), ("1e", 1, 3, "a digit"), ("0x1", 1, 2, "nothing more"),
      ("NaN", 1, 1, "found 'N'"), ("'a'", 1, 1, "found '''"), ("\"a", 1, 1, "no closing quote"),
      ("\"a\nb\"", 1, 3, "control characters"), ("\"a\\x\"", 1, 4, "after a backslash, found 'x'"),
      (#""\u12g4""#, 1, 6, "four hexadecimal digits"), (#""\"#, 1, 3, "found the end"), ("{} {}", 1, 4, "nothing more"),
      ("\u{FEFF}{}", 1, 1, "found a byte order mark"), ("[1]]", 1, 4, "nothing more"), ("]", 1, 1, "expected a value"),
      ("// a\n1", 1, 1, "found '/'"), ("[1,\u{7}]", 1, 4, "U+0007"),
    ])
  func refuses(text: String, line: Int, column: Int, message: String) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error?.line == line && error?.column == column, "\(String(describing: error))")
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test(
    "Bytes that are no UTF-8 are refused where they stand",
    arguments: [
      ([0x22, 0x61, 0xFF, 0x22], 2), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
      ([0x22, 0x5C, 0x6E, 0xE4, 0xB8, 0x22], 3), ([0xFF], 0),
    ] as [([UInt8], Int)])
  func refusesInvalidUTF8(bytes: [UInt8], offset: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    #expect(error?.offset == offset)
    #expect(error?.message.contains("UTF-8") == true)
  }

  @Test(
    "A surrogate escape without its other half becomes one replacement character",
    arguments: [
      (#""\ud83d""#, "\u{FFFD}"), (#""\ude00x""#, "\u{FFFD}x"), (#""\ud83d\n""#, "\u{FFFD}\n"),
      (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
    ])
  func replacesLoneSurrogates(text: String, value: String) throws {
    #expect(try JSONValue(parsing: text).string == value)
  }

  @Test("Of equal keys the last wins, in the first one's place")
  func lastKeyWins() throws {
    let value = try JSONValue(parsing: #"{"a": 1, "b": 2, "a": 3}"#)
    #expect(value.text() == #"{"a":3,"b":2}"#)
  }

  @Test("Containers may stand 128 deep in each other, and no deeper")
  func boundsDepth() throws {
    let deepest = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    #expect(try JSONValue(parsing: deepest).text() == deepest)
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: "[" + deepest + "]") }
    #expect(error?.offset == 128)
    #expect(error?.message.contains("at most 128 deep") == true)
    let objects = String(repeating: #"{"a":"#, count: 128) + "[]" + String(repeating: "}", count: 128)
    #expect(throws: JSONError.self) { try JSONValue(parsing: objects) }
  }

  @Test("A number keeps its spelling")
  func keepsSpelling() throws {
    let text = "[1.50,1e5,-0,123456789012345678901234567890,0.1]"
    let value = try JSONValue(parsing: text)
    #expect(value.text() == text)
    #expect(value[0]?.double == 1.5)
    #expect(value[1]?.int == 100_000)
    #expect(value[3]?.int == nil)
    #expect(value[4]?.int == nil)
    #expect(value[5] == nil)
  }

  @Test(
    "Only what is a JSON number becomes one", arguments: ["", " 1", "1 ", "01", "+1", "1.", "abc", "[", "1,2", "\"1\""])
  func refusesNumber(spelling: String) {
    #expect(JSONNumber(spelling) == nil)
  }

  @Test("The scanner tells every string value with its bytes in the source, keys apart")
  func scansPlaces() throws {
    let source = Array(#"{"k": "é", "l": ["b\n", 1, {"m": "c"}]}"#.utf8)
    var scanner = JSONScanner(source)
    var values: [String] = []
    while let token = try scanner.next() {
      if case .string = token { values.append(String(decoding: source[scanner.range], as: UTF8.self)) }
    }
    #expect(values == ["\"é\"", #""b\n""#, "\"c\""])
    #expect(try scanner.next() == nil)
  }

  @Test("An object of thousands of members finds each and stays in order")
  func largeObject() throws {
    let members = (0..<5000).map { "\"key\($0)\":\($0)" }
    let text = "{" + members.joined(separator: ",") + "}"
    let value = try JSONValue(parsing: text)
    #expect(value["key4321"]?.int == 4321)
    #expect(value["key5000"] == nil)
    #expect(value.text() == text)
  }
}
