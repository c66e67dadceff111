import JSON
import Push
import Testing
import Time

@Suite("Notifications")
struct NotificationTests {
  @Test("An id is spelled as Azure spells it, and reads as itself")
  func identifier() throws {
    let moment = try #require(
      Timestamp.civil(year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5, millisecond: 6))
    let id = NotificationID(at: moment)
    #expect(id.description.hasPrefix("NH-20260102030405006-"))
    #expect(id.description.utf8.count == 56)
    #expect(NotificationID(id.description) == id)
    #expect(Set((0..<1000).map { _ in NotificationID(at: moment) }).count == 1000)
  }

  @Test("The same generator gives the same id")
  func deterministic() {
    struct Counter: RandomNumberGenerator {
      var count: UInt64 = 0
      mutating func next() -> UInt64 {
        count += 1
        return count
      }
    }
    var counter = Counter()
    let id = NotificationID(at: Timestamp(millisecondsSince1970: 0), using: &counter)
    #expect(id.description.hasPrefix("NH-19700101000000000-00000000000000010000000000000002-"))
    counter = Counter()
    #expect(NotificationID(at: Timestamp(millisecondsSince1970: 0), using: &counter) == id)
  }

  @Test(
    "What is no id is none",
    arguments: [
      "", "NH-1", "NH-20230803155355238-23cfaa9cd29144c8a8e05c08336d5153-7",
      "nh-20230803155355238-23cfaa9cd29144c8a8e05c08336d5153-07",
      "NH-20230803155355238-23CFAA9CD29144C8A8E05C08336D5153-07",
      "NH-20230803155355238-23cfaa9cd29144c8a8e05c08336d5153-07-1",
      "NH-2023080315535523x-23cfaa9cd29144c8a8e05c08336d5153-07",
    ])
  func noIdentifier(text: String) {
    #expect(NotificationID(text) == nil)
  }

  @Test("Properties keep their order and spelling, and are found in whatever case")
  func properties() throws {
    var properties: Properties = ["News_French": "Salut", "title": "a", "NEWS_FRENCH": "Bonjour"]
    #expect(properties.map(\.name) == ["NEWS_FRENCH", "title"])
    #expect(properties["news_french"] == "Bonjour")
    properties["Title"] = nil
    properties["url"] = "u"
    #expect(properties["TITLE"] == nil)
    #expect(properties["URL"] == "u")
    #expect(properties.json.text() == #"{"NEWS_FRENCH":"Bonjour","url":"u"}"#)
    #expect(try Properties(json: properties.json) == properties)
  }

  @Test(
    "Only a flat object of strings is properties",
    arguments: [
      ("[]", "expected an object of strings, found an array"), (#"{"a":1}"#, "the value of 'a', found a number"),
      (#"{"a":{"b":"c"}}"#, "found an object"), (#"{"a":null}"#, "found null"),
      (#"{"\#(String(repeating: "a", count: 121))":"x"}"#, "Maximum allowed length is 120"),
    ])
  func noProperties(text: String, message: String) throws {
    let json = try JSONValue(parsing: text)
    let error = #expect(throws: PropertiesError.self) { try Properties(json: json) }
    #expect(error?.message.contains(message) == true)
  }
}
