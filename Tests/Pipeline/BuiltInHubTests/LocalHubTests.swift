import BuiltInHub
import JSON
import Push
import TestKit
import Testing
import Time

@Suite("The built-in hub") struct LocalHubTests {
  let harness = HubHarness { options in
    options.reservedTags = ["username:", "$UserId"]
    options.stepMax = 10
  }

  private var hub: LocalHub { harness.hub }

  @Test("Each reader gets what he asked for, in his language, once")
  func localised() async throws {
    let languages = ["English", "French", "Mandarin"]
    for (number, language) in languages.enumerated() {
      for category in ["World", "Sports"] {
        try await hub.put(
          HubFixtures.installation(
            "\(language)-\(category)", handle: HubFixtures.handle(number) + category, tags: [category],
            templates: [("news", HubFixtures.body("News_\(language)"))]))
      }
    }
    let properties: Properties = ["News_English": "Quake", "News_French": "Séisme", "News_Mandarin": "地震"]
    let notification = HubFixtures.notification(1, to: "World || Politics", properties)
    let receipt = try await hub.send(notification)
    #expect(receipt == Receipt(notificationID: notification.id.description))
    await harness.deliver()
    for (number, text) in ["Quake", "Séisme", "地震"].enumerated() {
      #expect(try await harness.bodies(HubFixtures.handle(number) + "World") == [#"{"alert":"\#(text)"}"#])
      #expect(try await harness.bodies(HubFixtures.handle(number) + "Sports") == [])
    }
    #expect(harness.value(#"tidings_hub_outcomes_total{platform="sse",outcome="Success"}"#) == "3")
    #expect(harness.value("tidings_hub_matches_total") == "3")
    #expect(harness.value("tidings_hub_fanout_seconds_count") == "1")
  }

  @Test("A notification that is sent again under its id has no second effect")
  func again() async throws {
    #expect(hub.repeatsSafely)
    try await hub.put(HubFixtures.installation("a", handle: HubFixtures.handle(1)))
    let notification = HubFixtures.notification(1)
    for _ in 0..<3 {
      #expect(try await hub.send(notification).notificationID == notification.id.description)
      await harness.deliver()
    }
    #expect(try await harness.mailbox(HubFixtures.handle(1)).count == 1)
    #expect(harness.value(#"tidings_hub_notifications_total{result="taken"}"#) == "1")
    #expect(harness.value(#"tidings_hub_notifications_total{result="known"}"#) == "2")
  }

  @Test("A large audience is reached step by step, each device once")
  func steps() async throws {
    for number in 0..<45 {
      let device = HubFixtures.installation(
        "d\(number)", handle: HubFixtures.handle(number), tags: ["World", number % 2 == 0 ? "Sports" : "Science"])
      try await hub.put(device)
    }
    let notification = HubFixtures.notification(1, to: "World || Sports")
    _ = try await hub.send(notification)
    await harness.deliver()
    for number in 0..<45 { #expect(try await harness.mailbox(HubFixtures.handle(number)).count == 1) }
    let progress = try #require(try await hub.progress(of: notification.id))
    #expect(progress.state == .completed)
    #expect(progress.tally.matched == 45)
  }

  @Test("An audience of nobody is told")
  func nobody() async throws {
    let notification = HubFixtures.notification(1, to: "World")
    _ = try await hub.send(notification)
    await harness.deliver()
    #expect(try await hub.progress(of: notification.id)?.state == .noTargetFound)
    #expect(harness.events.contains("hub.no_target_found"))
  }

  @Test("A notification whose time has passed is not delivered, and that is told")
  func expired() async throws {
    try await hub.put(HubFixtures.installation("a", handle: HubFixtures.handle(1)))
    let notification = HubFixtures.notification(1, expires: HubFixtures.noon + .seconds(60))
    _ = try await hub.send(notification)
    harness.clock.advance(by: .seconds(60))
    await harness.deliver()
    #expect(try await harness.mailbox(HubFixtures.handle(1)) == [])
    #expect(try await hub.progress(of: notification.id)?.state == .abandoned)
    #expect(harness.events.contains("hub.notification_expired"))
  }

  @Test("Devices of platforms without credentials are counted as such")
  func otherPlatforms() async throws {
    try await hub.put(HubFixtures.installation("a", platform: .gcm))
    try await hub.put(HubFixtures.installation("b", handle: HubFixtures.handle(1)))
    let notification = HubFixtures.notification(1)
    _ = try await hub.send(notification)
    await harness.deliver()
    let progress = try #require(try await hub.progress(of: notification.id))
    #expect(progress.tally.json == ["gcm": ["InvalidCredentials": 1], "sse": ["Success": 1]])
    #expect(try await harness.mailbox(HubFixtures.handle(1)).count == 1)
  }

  @Test("A reserved tag is refused, unless a back end sets it", arguments: ["UserName:x", "template", "user"])
  func reserved(_ place: String) async throws {
    let installation =
      switch place {
      case "template": HubFixtures.installation("a", templates: [("username:x", "{}")])
      case "user": HubFixtures.installation("a", user: "x")
      default: HubFixtures.installation("a", tags: ["World", place])
      }
    let error = await #expect(throws: RegistrationError.self) { try await hub.put(installation) }
    guard case .reservedTag = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await hub.installation("a") == nil)
    try await hub.put(installation, isTrusted: true)
    #expect(try await hub.installation("a") == installation)
  }

  @Test("Properties beyond Azure's limit on a request are refused")
  func tooLarge() async throws {
    let properties: Properties = ["text": String(repeating: "x", count: 65_536)]
    let error = await #expect(throws: HubError.self) {
      try await hub.send(HubFixtures.notification(1, properties))
    }
    guard case .refused = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("When its store fails the hub asks to be called again, and its log says why")
  func storeFails() async {
    let harness = HubHarness(store: DyingHubStore(MemoryHubStore(), killedAt: 1, .beforeEffect))
    let error = await #expect(throws: HubError.self) { try await harness.hub.send(HubFixtures.notification(1)) }
    guard case .retry = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(harness.log.contains("hub.store_failed"))
  }

  @Test("A deleted device is forgotten, and what was underway to it too")
  func deleted() async throws {
    try await hub.put(HubFixtures.installation("a", handle: HubFixtures.handle(1)))
    _ = try await hub.send(HubFixtures.notification(1))
    #expect(try await hub.deleteInstallation("a"))
    #expect(try await hub.deleteInstallation("a") == false)
    await harness.deliver()
    try await hub.put(HubFixtures.installation("a", handle: HubFixtures.handle(1)))
    #expect(try await harness.mailbox(HubFixtures.handle(1)) == [])
  }

  @Test("No line of the log holds a handle, and each tells its notification or device")
  func discretion() async throws {
    let handle = HubFixtures.handle(4711)
    try await hub.put(HubFixtures.installation("a", handle: handle))
    _ = try await hub.send(HubFixtures.notification(1))
    await harness.deliver()
    _ = try await hub.deleteInstallation("a")
    #expect(harness.events.count >= 4)
    #expect(!harness.log.contains(handle))
    #expect(harness.log.contains("\(HandleDigest(of: handle))"))
    #expect(harness.log.contains(HubFixtures.notification(1).id.description))
  }

  @Test("What is old is forgotten while the hub runs, and what is there is counted")
  func upkeep() async throws {
    let harness = HubHarness { $0.notificationRetention = .seconds(100) }
    let noon = HubFixtures.noon
    try await harness.hub.put(HubFixtures.installation("short", expires: noon + .seconds(30)))
    try await harness.hub.put(HubFixtures.installation("long", handle: HubFixtures.handle(1)))
    _ = try await harness.hub.send(HubFixtures.notification(1, expires: noon + .seconds(90)))
    await harness.deliver()
    try await harness.running("hub.upkeep") {
      await harness.clock.waitForSleepers()
      #expect(harness.value("tidings_hub_registrations") == "4")
      #expect(harness.value("tidings_hub_mailbox_rows") == "2")
      for (registrations, rows) in [("2", "1"), ("2", "0"), ("2", "0")] {
        harness.clock.advance(by: .seconds(60))
        await harness.clock.waitForSleepers()
        #expect(harness.value("tidings_hub_registrations") == registrations)
        #expect(harness.value("tidings_hub_mailbox_rows") == rows)
      }
    }
    #expect(try await harness.hub.progress(of: HubFixtures.notification(1).id) == nil)
  }
}
