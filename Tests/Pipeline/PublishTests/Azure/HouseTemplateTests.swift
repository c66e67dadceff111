import JSON
import Push
import Testing
import Time

@testable import Publish

@Suite("House templates")
struct HouseTemplateTests {
  static let now = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!
  static let french = ComposerTests.locales[1]

  static func template(
    _ format: AzureFormat, _ headers: [(String, String)] = [], _ body: String
  ) throws -> HouseTemplate {
    try HouseTemplate(format: format, headers: headers, body: body)
  }

  static func notification(_ text: String, _ others: [(String, String)] = []) -> Push.Notification {
    var properties = Properties([("messageParam", text), ("News_French", text), ("collapseId", "story-1")])
    for (name, value) in others { properties[name] = value }
    return Push.Notification(
      id: AzureStub.notification.id, properties: properties, audience: .everyone, expires: now + .seconds(3600))
  }

  @Test("A payload is the template with the notification in it, escaped for its format")
  func escapes() throws {
    let text = "Salut \"monde\" <b> & l'été"
    let apple = try Self.template(
      .apple, [("apns-push-type", "alert")],
      """
      {
        "aps": {"alert": "$(messageParam)", "sound": "default"},
        "all": "{$(News_French) + ' / ' + $(language)}"
      }
      """
    ).payload(of: Self.notification(text), in: Self.french, at: Self.now)
    #expect(
      apple.body
        == #"{"aps":{"alert":"Salut \"monde\" <b> & l'été","sound":"default"},"all":"Salut \"monde\" <b> & l'été / fr"}"#
    )
    let windows = try Self.template(
      .windows, [("X-WNS-Type", "wns/toast")], "<toast><text id=\"1\">$(messageParam)</text></toast>\n"
    ).payload(of: Self.notification(text), in: Self.french, at: Self.now)
    #expect(
      windows.body == "<toast><text id=\"1\">Salut \"monde\" &lt;b&gt; &amp; l'été</text></toast>")
  }

  @Test("Headers are filled too, an empty one is left out, and none can break out of its line")
  func headers() throws {
    let template = try Self.template(
      .apple,
      [
        ("apns-push-type", "alert"), ("apns-expiration", "$(expiresSeconds)"), ("apns-collapse-id", "$(collapseId)"),
        ("apns-topic", "$(image)"), ("apns-x", "$(title)"),
      ], #"{"aps":{}}"#)
    let payload = try template.payload(
      of: Self.notification("x", [("title", "a\r\nb: é")]), in: Self.french, at: Self.now)
    #expect(
      payload.headers.map { "\($0.name): \($0.value)" } == [
        "apns-push-type: alert", "apns-expiration: 1796043600", "apns-collapse-id: story-1", "apns-x: a%0D%0Ab: %C3%A9",
      ])
  }

  @Test("How long a push lives is told in seconds, as a number or in a text")
  func lifetime() throws {
    let payload = try Self.template(
      .fcmv1, [],
      ##"{"message":{"android":{"ttl":"{$(lifetimeSeconds) + 's'}"},"n":"#(lifetimeSeconds)"}}"##
    ).payload(of: Self.notification("x"), in: Self.french, at: Self.now)
    #expect(payload.body == #"{"message":{"android":{"ttl":"3600s"},"n":3600}}"#)
  }

  @Test(
    "A payload that is too large is cut between graphemes to what just fits",
    arguments: [
      (AzureFormat.apple, "👨‍👩‍👧", 18), (.apple, "强", 3), (.gcm, "\u{1}", 6), (.fcmv1, "\"", 2), (.windows, "&", 5),
      (.windowsphone, "é", 2),
    ])
  func cuts(format: AzureFormat, grapheme: String, bytesEach: Int) throws {
    let template = try Self.minimal(format)
    let text = String(repeating: grapheme, count: 6000)
    let payload = try template.payload(of: Self.notification(text), in: Self.french, at: Self.now)
    let size = payload.body.utf8.count
    #expect(size <= format.payloadBytesMax)
    // One more grapheme would not have fitted.
    #expect(size > format.payloadBytesMax - bytesEach)
    #expect(payload.body.contains("…"))
    if !format.isXML { #expect(throws: Never.self) { try JSONValue(parsing: payload.body) } }
  }

  static func minimal(_ format: AzureFormat) throws -> HouseTemplate {
    switch format {
    case .apple: try template(.apple, [("apns-push-type", "alert")], #"{"aps":{"alert":"$(messageParam)"}}"#)
    case .fcmv1: try template(.fcmv1, [], #"{"message":{"notification":{"body":"$(messageParam)"}}}"#)
    case .gcm: try template(.gcm, [], #"{"data":{"message":"$(messageParam)"}}"#)
    case .windows: try template(.windows, [("X-WNS-Type", "wns/toast")], "<toast>$(messageParam)</toast>")
    case .windowsphone:
      try template(
        .windowsphone, [("X-WindowsPhone-Target", "toast"), ("X-NotificationClass", "2")], "<x>$(messageParam)</x>")
    }
  }

  @Test("Links that leave no room for the text go before it does, the picture first")
  func dispenses() throws {
    let template = try Self.template(
      .apple, [("apns-push-type", "alert")],
      #"{"aps":{"alert":"$(messageParam)"},"url":"$(url)","image":"$(image)"}"#)
    let text = String(repeating: "x", count: 500)
    func body(url: Int, image: Int) throws -> JSONValue {
      let notification = Self.notification(
        text, [("url", String(repeating: "u", count: url)), ("image", String(repeating: "i", count: image))])
      return try JSONValue(
        parsing: template.payload(of: notification, in: Self.french, at: Self.now).body)
    }
    let long = try body(url: 1000, image: 2800)
    #expect(long["url"]?.string?.count == 1000)
    #expect(long["image"]?.string?.count == 2800)
    #expect((60..<300).contains(try #require(long["aps"]?["alert"]?.string?.count)))
    let longer = try body(url: 1000, image: 3600)
    #expect(longer["image"] == "")
    #expect(longer["url"]?.string?.count == 1000)
    #expect(longer["aps"]?["alert"]?.string == text)
    let longest = try body(url: 5000, image: 0)
    #expect(longest["url"] == "")
    #expect(longest["aps"]?["alert"]?.string == text)
  }

  @Test("A template that is too large by itself is said to be")
  func tooLarge() throws {
    let template = try Self.template(
      .gcm, [], #"{"data":{"x":"\#(String(repeating: "x", count: 5000))"}}"#)
    #expect(throws: HouseTemplateError.self) {
      try template.payload(of: Self.notification("x"), in: Self.french, at: Self.now)
    }
  }

  @Test(
    "What would make every push of a platform fail is known at the start",
    arguments: [
      (AzureFormat.apple, [("apns-push-type", "alert")], "{\"aps\":", "the body is no JSON"),
      (.apple, [("apns-push-type", "alert")], "{\"alert\":{}}", "the body has no object \"aps\""),
      (.apple, [], "{\"aps\":{}}", "the header apns-push-type is missing"),
      (
        .apple, [("apns-push-type", "alert"), ("Authorization", "x")], "{\"aps\":{}}", "Authorization is none of apple"
      ),
      (.fcmv1, [], "{\"data\":{}}", "the body has no object \"message\""),
      (.fcmv1, [("X-Priority", "1")], "{\"message\":{}}", "is of no use: fcmv1 pushes say everything in their body"),
      (.gcm, [], "{\"data\":{\"m\":\"$(messageParm)\"}}", "there is no property \"messageparm\""),
      (.gcm, [], "{\"data\":{\"m\":\"$(title\"}}", "the body is no template"),
      (.windows, [], "<toast/>", "the header X-WNS-Type is missing"),
      (.windows, [("X-WNS-Type", "wns/toast")], "<toast>", "the body is no template"),
      (.windows, [("X-WNS-Type", "wns/toast"), ("X-WNS-Tag: x", "y")], "<toast/>", "is none of windows"),
      (.apple, [("apns-push-type", "$alert")], "{\"aps\":{}}", "the header apns-push-type is no template"),
    ])
  func refuses(format: AzureFormat, headers: [(String, String)], body: String, words: String) {
    let error = #expect(throws: HouseTemplateError.self) { try Self.template(format, headers, body) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }
}
