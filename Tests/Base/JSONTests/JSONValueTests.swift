import JSON
import Testing

@Suite("JSON values")
struct JSONValueTests {
  static let sample: JSONValue = [
    "title": "Séoul \"1\"\n", "tags": ["a", "b"], "empty": [], "none": [:], "n": 3, "f": 0.5, "on": true, "off": .null,
  ]

  @Test("Compact text has no blanks, and escapes what must be")
  func compact() {
    #expect(
      Self.sample.text()
        == #"{"title":"Séoul \"1\"\n","tags":["a","b"],"empty":[],"none":{},"n":3,"f":0.5,"on":true,"off":null}"#)
    #expect(
      JSONValue.string("\u{0}\u{1F}\u{7F}\\/\t\u{8}\u{C}\r").text() == #""\u0000\u001f"# + "\u{7F}" + #"\\/\t\b\f\r""#)
  }

  @Test("Pretty text stands one member a line")
  func pretty() {
    let value: JSONValue = ["a": [1, ["b": 2]], "c": [], "d": [:]]
    #expect(
      value.text(pretty: true) == """
        {
          "a": [
            1,
            {
              "b": 2
            }
          ],
          "c": [],
          "d": {}
        }
        """)
  }

  @Test("What is written is read again as the same", arguments: [false, true])
  func roundTrip(pretty: Bool) throws {
    #expect(try JSONValue(parsing: Self.sample.serialized(pretty: pretty)) == Self.sample)
  }

  @Test("Accessors give what is there, and nil for another kind")
  func accessors() {
    #expect(Self.sample["tags"]?[1]?.string == "b")
    #expect(Self.sample["tags"]?[-1] == nil)
    #expect(Self.sample["tags"]?["a"] == nil)
    #expect(Self.sample["n"]?.int == 3)
    #expect(Self.sample["n"]?.string == nil)
    #expect(Self.sample["f"]?.int == nil)
    #expect(Self.sample["on"]?.bool == true)
    #expect(Self.sample["off"]?.isNull == true)
    #expect(Self.sample["none"]?.object?.isEmpty == true)
    #expect(Self.sample.kind == "an object")
  }

  @Test("An object keeps order through setting, replacing and removing", arguments: [3, 20])
  func ordered(count: Int) {
    var object = JSONObject((0..<count).map { ("k\($0)", .number(JSONNumber($0))) })
    object["k1"] = "new"
    object["k0"] = nil
    object["last"] = true
    object["absent"] = nil
    #expect(object.keys == (1..<count).map { "k\($0)" } + ["last"])
    #expect(object["k1"] == "new")
    #expect(object["k0"] == nil)
    #expect(object["last"] == true)
  }

  @Test("Objects are equal whatever their order")
  func unorderedEquality() {
    let left: JSONValue = ["a": 1, "b": [2]]
    let right: JSONValue = ["b": [2], "a": 1]
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(left != ["a": 1])
  }

  @Test("A double that JSON cannot say is no number")
  func nonFinite() {
    #expect(JSONNumber(.infinity) == nil)
    #expect(JSONNumber(Double.nan) == nil)
    #expect(JSONNumber(1e300)?.double == 1e300)
  }
}
