import BuiltInHub
import JSON
import Push
import TestKit
import Testing
import Time

@Suite struct RenditionTests {
  private static let noon = HubFixtures.noon

  private func page(
    _ templates: [RegisteredTemplate], of registrations: [Int], pushVariables: [RegistrationID: Properties] = [:]
  ) -> MatchPage {
    MatchPage(
      matches: registrations.enumerated().map { number, template in
        Match(
          registration: RegistrationID(Int64(number + 1)), device: DeviceID(Int64(number + 100)),
          template: TemplateID(Int64(template)))
      },
      templates: Dictionary(uniqueKeysWithValues: templates.enumerated().map { (TemplateID(Int64($0)), $1) }),
      pushVariables: pushVariables)
  }

  private func template(
    _ body: String, name: String = "news", platform: Platform = .sse, isPersonal: Bool = false
  ) -> RegisteredTemplate {
    RegisteredTemplate(platform: platform, name: name, format: .json, body: body, isPersonal: isPersonal)
  }

  private func rendition(_ notification: Notification = HubFixtures.notification(1)) -> Rendition {
    Rendition(of: notification, templates: TemplateCache())
  }

  @Test("Devices with the same template share a text")
  func shared() {
    var rendition = rendition()
    let page = page([template(HubFixtures.body("News_English")), template("{}", name: "plain")], of: [0, 1, 0, 0])
    let step = rendition.step(for: page, after: nil, at: Self.noon)
    #expect(step.texts.map(\.body) == [#"{"alert":"News"}"#, "{}"])
    #expect(step.texts.map(\.templateName) == ["news", "plain"])
    #expect(step.entries.map(\.text) == [0, 1, 0, 0])
    #expect(step.entries.map(\.device.rawValue) == [100, 101, 102, 103])
    #expect(step.cursor == RegistrationID(4))
    #expect(step.tally == Tally())
  }

  @Test("A device's own texts go into its text, and into nobody else's")
  func personal() {
    var rendition = rendition()
    let page = page(
      [template(#"{"a":"{$(name) + ': ' + $(News_English)}"}"#, isPersonal: true)], of: [0, 0],
      pushVariables: [RegistrationID(1): ["name": "Zoë"], RegistrationID(2): ["name": "Ann", "News_English": "mine"]])
    let step = rendition.step(for: page, after: nil, at: Self.noon)
    #expect(step.texts.map(\.body) == [#"{"a":"Zoë: News"}"#, #"{"a":"Ann: mine"}"#])
    #expect(step.entries.map(\.text) == [0, 1])
  }

  @Test("What cannot be delivered is counted by its reason")
  func outcomes() {
    let long: Properties = ["News_English": String(repeating: "x", count: 5000)]
    var rendition = rendition(HubFixtures.notification(1, long))
    let page = page(
      [template(HubFixtures.body("News_English")), template("{", name: "broken"), template("{}", platform: .apns)],
      of: [0, 1, 2, 2, 0])
    let step = rendition.step(for: page, after: nil, at: Self.noon)
    #expect(step.entries.isEmpty && step.texts.isEmpty)
    #expect(
      step.tally.json
        == [
          "apns": ["InvalidCredentials": 2],
          "sse": ["InvalidNotificationSize": 2, "InvalidNotificationFormat": 1],
        ])
    #expect(step.cursor == RegistrationID(5))
  }

  @Test(
    "A mailbox keeps a push until it expires, and no longer than the retention",
    arguments: [(nil, 72 * 3600), (60, 60), (1_000_000, 72 * 3600)] as [(Int?, Int)])
  func retention(_ expires: Int?, _ expected: Int) {
    let notification = HubFixtures.notification(1, expires: expires.map { Self.noon + .seconds($0) })
    var rendition = rendition(notification)
    let step = rendition.step(for: page([template("{}")], of: [0]), after: nil, at: Self.noon)
    #expect(step.expires == Self.noon + .seconds(expected))
  }

  @Test("An empty page leaves the cursor where it was")
  func empty() {
    var rendition = rendition()
    #expect(rendition.step(for: page([], of: []), after: RegistrationID(7), at: Self.noon).cursor == RegistrationID(7))
  }

  @Test("A tally is read back as it was written")
  func tally() {
    var tally = Tally()
    tally.add(.success, on: .sse, count: 3)
    tally.add(.skipped, on: .sse)
    tally.add(.invalidCredentials, on: .fcmV1, count: 2)
    #expect(Tally(json: tally.json) == tally)
    #expect(tally.matched == 6)
    #expect(Tally(json: ["sse": ["Success": 1, "Unheard": 2], "pigeon": ["Success": 9]]).matched == 1)
  }
}
