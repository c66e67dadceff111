import JSON
import Push
import TestKit
import Testing
import Time

@Suite("Installations")
struct InstallationTests {
  static let token = "62BCD3484834B7E2DC56733AC5509259230CC1BA82BA1AE7D06E91908A05A8FA"

  static func installation(_ changes: JSONObject = [:]) throws -> Installation {
    var json: JSONObject = ["installationId": "inst-1", "platform": "apns", "pushChannel": .string(token)]
    for (key, value) in changes { json[key] = value }
    return try Installation(json: .object(json))
  }

  @Test("What a device gave is answered as Azure's service answers it, in its order")
  func answer() throws {
    let installation = try Self.installation([
      "userId": "u1", "tags": ["tag1", "TAG1", "b"], "pushVariables": ["var1": "value1"], "unknown": [1],
      "templates": [
        "Template Name": [
          "tags": ["fr"], "body": #"{"aps":{"alert":"$(x)"}}"#, "expiry": "2018-11-07T16:18:32.6641371-08:00",
          "headers": ["apns-priority": "10"],
        ]
      ],
    ])
    #expect(
      installation.json.text() == #"{"installationId":"inst-1","pushChannel":"\#(Self.token)","#
        + #""pushChannelExpired":false,"platform":"apns","expirationTime":"9999-12-31T23:59:59.9999999Z","#
        + #""tags":["tag1","b"],"pushVariables":{"var1":"value1"},"#
        + #""templates":{"Template Name":{"body":"{\"aps\":{\"alert\":\"$(x)\"}}","headers":{"apns-priority":"10"},"#
        + #""expiry":"2018-11-07T16:18:32.6641371-08:00","tags":["fr","Template Name"]}},"userId":"u1"}"#)
    #expect(try Installation(json: installation.json) == installation)
  }

  @Test(
    "Every installation that Azure's service was recorded to answer is answered alike",
    .enabled(if: Corpora.arePresent, Corpora.absence),
    arguments: [
      "CreateOrUpdateInstallationAsync_CreateInstallationWithExpiryInTemplate_GetCreatedInstallationWithExpiryInTemplateBack",
      "CreateOrUpdateInstallationAsync_CreateInstallationWithHeadersInTemplate_GetCreatedInstallationWithHeadersInTemplateBack",
      "CreateOrUpdateInstallationAsync_CreateInstallationWithUserId_GetCreatedInstallationWithUserIdBack",
      "InstallationExists_ChecksInstallation",
    ])
  func recorded(name: String) throws {
    let recording = try Corpora.read("recordings/dotnet-MockData/\(name).http")
    // The file begins with a byte order mark.
    let calls = try JSONValue(parsing: Array(recording.drop { $0 >= 0x80 }))["HttpCalls"]?.array ?? []
    let answers = calls.compactMap { $0["Content"]?.string }.filter { $0.hasPrefix("{\"installationId\"") }
    #expect(!answers.isEmpty)
    for answer in answers {
      #expect(try Installation(json: JSONValue(parsing: answer)).json.text() == answer)
    }
  }

  @Test("It amounts to one native registration and one for each template, each with all its tags")
  func registrations() throws {
    let installation = try Self.installation([
      "userId": "u1", "tags": ["World"], "pushVariables": ["v": "1"], "expirationTime": "2027-01-01T00:00+0000",
      "templates": ["Template Name": ["body": "{}", "tags": ["fr", "WORLD"]], "b": ["body": "{}"]],
    ])
    let registrations = installation.registrations
    #expect(registrations.map { $0.template?.name } == [nil, "Template Name", "b"])
    #expect(
      registrations.map { $0.tags.map(\.name) } == [
        ["$InstallationId:{inst-1}", "$UserId:{u1}", "World"],
        ["$InstallationId:{inst-1}", "$UserId:{u1}", "World", "fr", "Template Name"],
        ["$InstallationId:{inst-1}", "$UserId:{u1}", "World", "b"],
      ])
    for registration in registrations {
      #expect(registration.pushChannel.handle == Self.token)
      #expect(registration.pushVariables == ["v": "1"])
      #expect(registration.expirationTime == Timestamp.civil(year: 2027, month: 1, day: 1))
    }
  }

  @Test("A secondary tile has an address, tags and templates of its own")
  func secondaryTiles() throws {
    let installation = try Self.installation([
      "platform": "WNS", "pushChannel": "https://a.notify.windows.com/1", "tags": ["one"],
      "secondaryTiles": [
        "tile1": [
          "pushChannel": "https://a.notify.windows.com/2", "tags": ["two"],
          "templates": ["t": ["body": "<toast>$(a)</toast>", "tags": ["three"]]],
        ]
      ],
    ])
    #expect(installation.registrations.map(\.pushChannel.handle.last) == ["1", "2", "2"])
    #expect(
      installation.registrations.last?.tags.map(\.name) == ["$InstallationId:{inst-1}", "two", "three", "t"])
    #expect(try Installation(json: installation.json) == installation)
  }

  @Test(
    "A browser's channel is read as an object and as its JSON in a string, and answered as it was written",
    arguments: [
      ["endpoint": "https://push.example/1", "p256dh": "bar", "auth": "baz"],
      #"{"endpoint":"https://push.example/1","p256dh":"bar","auth":"baz"}"#,
    ] as [JSONValue])
  func browser(channel: JSONValue) throws {
    let installation = try Self.installation(["platform": "browser", "pushChannel": channel])
    #expect(installation.pushChannel.handle == "https://push.example/1")
    #expect(installation.json["pushChannel"] == channel)
  }

  @Test(
    "Dates are read as each SDK writes them and answered with seven decimals",
    arguments: [
      ("2027-01-01T00:00+0000", "2027-01-01T00:00:00.0000000Z"),
      ("2014-11-26T23:34:01.1740468Z", "2014-11-26T23:34:01.1740000Z"),
      ("2027-01-01T02:00:00+02:00", "2027-01-01T00:00:00.0000000Z"),
      ("2027-01-01T00:00:00", "2027-01-01T00:00:00.0000000Z"),
      ("01/02/2027 03:04:05", "2027-01-02T03:04:05.0000000Z"),
      ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999Z"),
      ("9999-12-31T23:59:59.999", "9999-12-31T23:59:59.9999999Z"),
      ("2027-01-01 00:00:00Z", "2027-01-01T00:00:00.0000000Z"),
    ])
  func dates(text: String, answer: String) throws {
    #expect(try Self.installation(["expirationTime": .string(text)]).json["expirationTime"]?.string == answer)
  }

  @Test("The address's id stands in for one that is not in the object, and may not contradict it")
  func addressID() throws {
    let json: JSONValue = ["platform": "gcm", "pushChannel": "qwe"]
    #expect(try Installation(json: json, id: "from-path").id == "from-path")
    #expect(try Installation(json: ["installationId": "a", "platform": "gcm", "pushChannel": "q"], id: "a").id == "a")
    let error = #expect(throws: InstallationError.self) {
      try Installation(json: ["installationId": "a", "platform": "gcm", "pushChannel": "q"], id: "b")
    }
    #expect(error?.description.contains("the address says 'b'") == true)
  }

  @Test("Null means absent, as the SDKs write it")
  func nulls() throws {
    let nulls: JSONObject = [
      "tags": .null, "userId": .null, "templates": .null, "pushVariables": .null, "expirationTime": .null,
      "secondaryTiles": .null,
    ]
    #expect(try Self.installation(nulls) == Self.installation())
  }

  @Test(
    "What is wrong is said in Azure's sentence",
    arguments: [
      (["platform": .null], "'platform' is missing"), (["platform": "ios"], "one of apns, wns,"),
      (["platform": 3], "a string, found a number"),
      (["installationId": .null], "'installationId' is missing"), (["installationId": "a b"], "not allowed"),
      (["installationId": .string(String(repeating: "a", count: 120))], "too long"), (["userId": "a b"], "'userId'"),
      (["pushChannel": .null], "'pushChannel' is missing"), (["pushChannel": ""], "not empty"),
      (["pushChannel": "xyz0"], "hexadecimal digit"),
      (["pushChannel": "abc"], "odd number of nibbles"), (["platform": "wns"], "Channel URI is either null"),
      (["platform": "browser"], "endpoint, p256dh and auth"),
      (["platform": "sse", "pushChannel": "short"], "at least 22"),
      (["platform": "sse", "pushChannel": "0123456789012345678901/"], "A-Z a-z 0-9 - _"),
      (["expirationTime": "soon"], "'expirationTime' is 'soon'"), (["tags": "a"], "array of strings"),
      (["tags": [1]], "found a number"),
      (["tags": ["a b"]], "holds ' '"), (["tags": .array((0...60).map { .string("t\($0)") })], "at most 60"),
      (["tags": ["$UserId:{a}", "$UserId:{b}"]], "more than one tag that begins with $userid:"),
      (["tags": ["$InstallationId:{victim}"]], "more than one tag that begins with $installationid:"),
      (
        ["templates": ["$InstallationId:{victim}": ["body": "{}"]]],
        "more than one tag that begins with $installationid:"
      ),
      (
        ["templates": ["t": ["body": "{}", "tags": ["$installationid:{victim}"]]]],
        "more than one tag that begins with $installationid:"
      ),
      (["userId": "a", "tags": ["$UserId:{b}"]], "more than one tag that begins with $userid:"),
      (["pushVariables": ["a": 1]], "expected a string as the value of 'a'"),
      (["pushVariables": []], "expected an object of strings"),
      (["templates": []], "'templates' has to be an object"),
      (["templates": ["t": [:]]], "'templates/t/body' is missing"),
      (["templates": ["t": ["body": 1]]], "'templates/t/body' has to be a string"),
      (["templates": ["t": ["body": "{\"a\":\"#ff0000\"}"]]], "'templates/t/body': Expression is #ff0000."),
      (["templates": ["t": ["body": "hello"]]], "Failed to deserialize the body template."),
      (["templates": ["t": ["body": "[]"]]], "Either Json object or valid Xml"),
      (
        ["templates": [.init(String(repeating: "n", count: 201)): ["body": "{}"]]], "exceeds the '200' character limit."
      ),
      (["templates": ["t": ["body": "{}", "expiry": ""]]], "Expiry value is empty."),
      (["templates": ["t": ["body": "{}", "expiry": "soon"]]], "could not be deserialized to a date time."),
      (["templates": ["t": ["body": "{}", "expiry": "$(a"]]], "'templates/t/expiry': Expression is $(a."),
      (["templates": ["t": ["body": "{}", "headers": ["X-A": "1"]]]], "headers must begin with \"apns-\"."),
      (["templates": ["t": ["body": "{}", "headers": ["apns-priority": "300"]]]], "deserialized to a byte."),
      (["templates": ["t": ["body": "{}", "headers": ["apns-expiration": "x"]]]], "It must be an integer."),
      (["templates": ["t": ["body": "{}", "headers": ["apns-id": "$x"]]]], "'templates/t/headers/apns-id'"),
      (["templates": ["t": ["body": "{}", "headers": [1]]]], "'templates/t/headers' has to be an object"),
      (
        ["platform": "wns", "pushChannel": "https://h/1", "templates": ["t": ["body": "<raw/>"]]],
        "Must contain WNS Header : 'X-WNS-Type'."
      ),
    ] as [(JSONObject, String)])
  func refuses(changes: JSONObject, message: String) {
    let error = #expect(throws: InstallationError.self) { try Self.installation(changes) }
    #expect(error?.description.hasPrefix("Installation validation failed with following error(s): ") == true)
    #expect(error?.description.contains(message) == true, "\(String(describing: error))")
  }

  @Test("All that is wrong is said at once")
  func allErrors() {
    let error = #expect(throws: InstallationError.self) {
      try Self.installation(["userId": "a b", "tags": ["c d"], "pushChannel": "x", "expirationTime": "soon"])
    }
    #expect(error?.errors.count == 4)
  }

  @Test(
    "Bodies and headers that a platform takes are accepted",
    arguments: [
      ("wns", "<toast launch='$(url)'/>", [:]),
      ("wns", "{\"aps\":{\"alert\":\"alert!\"}}", ["X-WNS-Type": "wns/toast"]),
      ("wns", "{'raw ' + $(message)}", ["x-wns-type": "wns/raw"]),
      ("apns", "{}", ["apns-expiration": "$(exp)", "apns-priority": "5"]),
      ("fcmv1", "{\"message\":{\"notification\":{\"title\":\"$(title)\"}}}", [:]),
      ("SSE", "{\"alert\":\"$(News_French)\"}", [:]),
    ] as [(String, String, JSONValue)])
  func accepts(platform: String, body: String, headers: JSONValue) throws {
    let channel = platform == "wns" ? "https://h/1" : "abcdef0123456789abcdef"
    let installation = try Self.installation([
      "platform": .string(platform), "pushChannel": .string(channel),
      "templates": ["t": ["body": .string(body), "headers": headers, "expiry": "0"]],
    ])
    #expect(installation.templates.first?.template.body == body)
  }

  @Test(
    "Platforms are named in whatever case",
    arguments: [
      ("APNS", .apns), ("fcmv1", .fcmV1), ("FCMV1", .fcmV1), ("Browser", .browser), ("sse", .sse), ("apple", nil),
    ]
      as [(String, Platform?)])
  func platforms(name: String, platform: Platform?) {
    #expect(Platform(name) == platform)
  }
}
