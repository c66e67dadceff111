import BuiltInHub
import Push
import Testing
import Time

private let noon = HubFixtures.noon

extension HubStoreContract {
  static let outbox = [
    HubStoreContract("A notification is taken once, whoever sends it again and whatever it says then") { open in
      let store = try await open()
      let notification = HubFixtures.notification(1, to: "World", ["b": "2", "a": "é"], expires: noon + .seconds(9))
      #expect(try await store.enqueue(notification, at: noon) == .taken)
      #expect(try await store.enqueue(HubFixtures.notification(1), at: noon + .seconds(1)) == .known)
      #expect(try await open().enqueue(notification, at: noon) == .known)
      let progress = try #require(try await open().progress(of: notification.id))
      #expect(progress.notification == notification)
      #expect(progress.state == .enqueued)
      #expect(progress.taken == noon)
      #expect(progress.started == nil && progress.finished == nil)
      #expect(progress.tally == Tally())
      #expect(try await store.progress(of: HubFixtures.notification(2).id) == nil)
    },
    HubStoreContract("Leases go out oldest first, to one at a time") { open in
      let (one, two) = (try await open(), try await open())
      #expect(try await one.lease(until: noon + .seconds(3), at: noon) == nil)
      for number in 1...3 { _ = try await one.enqueue(HubFixtures.notification(number), at: noon) }
      let first = try #require(try await one.lease(until: noon + .seconds(3), at: noon))
      #expect(first.notification == HubFixtures.notification(1))
      #expect(first.cursor == nil && first.tally == Tally() && first.taken == noon)
      let second = try #require(try await two.lease(until: noon + .seconds(5), at: noon))
      #expect(second.notification == HubFixtures.notification(2))
      try await two.release(second)
      #expect(try await one.lease(until: noon + .seconds(9), at: noon)?.notification == second.notification)
      let again = try #require(try await two.lease(until: noon + .seconds(9), at: noon + .seconds(3)))
      #expect(again.notification == first.notification)
      #expect(again.fence > first.fence)
    },
    HubStoreContract("Whoever lost his lease records nothing and gives nothing back") { open in
      let (one, two) = (try await open(), try await open())
      let (device, match) = try await one.register("a")
      _ = try await one.enqueue(HubFixtures.notification(1), at: noon)
      let lost = try #require(try await one.lease(until: noon + .seconds(3), at: noon))
      let held = try #require(try await two.lease(until: noon + .seconds(6), at: noon + .seconds(3)))
      #expect(try await one.record(.of([match]), under: lost, at: noon + .seconds(3)) == nil)
      try await one.release(lost)
      #expect(try await one.lease(until: noon + .seconds(9), at: noon + .seconds(4)) == nil)
      #expect(try await one.events(of: device, after: nil, limit: 1000, at: noon) == [])
      #expect(try await two.record(.of([match], .completed), under: held, at: noon + .seconds(4)) != nil)
      #expect(try await two.record(.of([match], .completed), under: held, at: noon + .seconds(4)) == nil)
    },
    HubStoreContract("A step is recorded whole: rows, cursor, tally, state, and a longer lease") { open in
      let store = try await open()
      let (device, match) = try await store.register("a")
      let notification = HubFixtures.notification(1, to: "World")
      _ = try await store.enqueue(notification, at: noon)
      let lease = try #require(try await store.lease(until: noon + .seconds(3), at: noon))
      var step = FanOutStep.of([match])
      step.tally.add(.invalidCredentials, on: .apns, count: 4)
      let now = noon + .seconds(1)
      let recorded = try #require(try await store.record(step, under: lease, until: noon + .seconds(4), at: now))
      var tally = Tally()
      tally.add(.success, on: .sse)
      tally.add(.invalidCredentials, on: .apns, count: 4)
      #expect(recorded.delivered == [device] && recorded.tally == tally)
      #expect(recorded.sequence == (try await store.latestSequence()))
      #expect(try await store.lease(until: noon + .seconds(9), at: noon + .seconds(3)) == nil)
      let next = try #require(try await open().lease(until: noon + .seconds(9), at: noon + .seconds(4)))
      #expect(next.cursor == match.registration && next.tally == tally)
      var progress = try #require(try await store.progress(of: notification.id))
      #expect(progress.state == .processing && progress.started == now && progress.finished == nil)

      var last = FanOutStep(after: next.cursor, expires: noon, mailboxMax: 1000)
      last.state = .completed
      let later = noon + .seconds(5)
      let ending = try await store.record(last, under: next, until: later, at: later)
      #expect(ending == RecordedStep(delivered: [], sequence: nil, tally: Tally()))
      progress = try #require(try await store.progress(of: notification.id))
      #expect(progress.state == .completed && progress.started == now && progress.finished == later)
      #expect(progress.tally == tally)
      #expect(try await store.lease(until: noon + .seconds(99), at: noon + .seconds(60)) == nil)
    },
    HubStoreContract("A row is added once for each notification, device and template name") { open in
      let store = try await open()
      let handle = HubFixtures.handle(1)
      let (device, match) = try await store.register("a", handle: handle)
      _ = try await store.enqueue(HubFixtures.notification(1), at: noon)
      _ = try await store.enqueue(HubFixtures.notification(2), at: noon)
      let lease = try #require(try await store.lease(until: noon + .seconds(3), at: noon))
      _ = try await store.record(.of([match], name: "x"), under: lease, at: noon)
      let (_, again) = try await store.register("b", handle: handle)
      #expect(again.device == device && again.registration != match.registration)
      let second = try #require(try await store.record(.of([again], name: "x"), under: lease, at: noon))
      #expect(second.delivered == [] && second.tally.count(of: .skipped) == 1)
      let third = try #require(try await store.record(.of([again], .completed, name: "y"), under: lease, at: noon))
      #expect(third.delivered == [device])
      let other = try #require(try await store.lease(until: noon + .seconds(3), at: noon))
      #expect(try await store.record(.of([again], name: "x"), under: other, at: noon)?.delivered == [device])
      #expect(try await store.mailboxCount() == 3)
    },
    HubStoreContract("No row is added for a registration that is gone, or has become another device's") { open in
      let store = try await open()
      let (_, gone) = try await store.register("gone")
      let (_, moved) = try await store.register("moved")
      _ = try await store.deleteInstallation("gone")
      let (device, _) = try await store.register("moved", handle: HubFixtures.handle(9))
      _ = try await store.enqueue(HubFixtures.notification(1), at: noon)
      let lease = try #require(try await store.lease(until: noon + .seconds(3), at: noon))
      let recorded = try #require(try await store.record(.of([gone, moved]), under: lease, at: noon))
      #expect(recorded.delivered == [] && recorded.tally.count(of: .expiredChannel, on: .sse) == 2)
      #expect(try await store.mailboxCount() == 0)
      #expect(try await store.events(of: device, after: nil, limit: 1000, at: noon) == [])
    },
    HubStoreContract("A notification is forgotten when it is old, done and read or expired everywhere") { open in
      let store = try await open()
      let (_, match) = try await store.register("a")
      for number in 1...3 {
        _ = try await store.enqueue(HubFixtures.notification(number), at: noon + .seconds(number))
      }
      for matches in [[match], []] {
        let lease = try #require(try await store.lease(until: noon + .seconds(3), at: noon + .seconds(4)))
        _ = try await store.record(.of(matches, .completed), under: lease, at: noon + .seconds(4))
      }
      let later = noon + .seconds(100)
      #expect(try await store.purgeNotifications(takenBefore: noon + .seconds(2), limit: 9) == 0)
      #expect(try await store.purgeNotifications(takenBefore: later, limit: 9) == 1)
      #expect(try await store.purgeMailbox(expiredAt: FanOutStep.expiry, limit: 9) == 1)
      #expect(try await store.purgeNotifications(takenBefore: later, limit: 9) == 1)
      #expect(try await store.progress(of: HubFixtures.notification(1).id) == nil)
      #expect(try await store.progress(of: HubFixtures.notification(3).id) != nil)
      #expect(try await store.enqueue(HubFixtures.notification(1), at: later) == .taken)
    },
  ]

  static let mailbox = [
    HubStoreContract("A listening device is known by its handle, while it is registered") { open in
      let store = try await open()
      let handle = HubFixtures.handle(1)
      #expect(try await store.device(HandleDigest(of: handle)) == nil)
      _ = try await store.register("phone", handle: handle, platform: .gcm)
      #expect(try await store.device(HandleDigest(of: handle)) == nil)
      let (device, _) = try await store.register("a", handle: handle)
      #expect(try await open().device(HandleDigest(of: handle)) == device)
      _ = try await store.deleteInstallation("a")
      #expect(try await store.device(HandleDigest(of: handle)) == nil)
      #expect(try await store.events(of: device, after: nil, limit: 1000, at: noon) == nil)
    },
    HubStoreContract("A device reads its pushes in order, from any of them on") { open in
      let store = try await open()
      let (device, match) = try await store.register("a", templates: [("y", "{}"), ("x", "{}")])
      let second = try #require(try await store.matches(nil).last)
      let (other, _) = try await store.register("b")
      for number in 1...3 { _ = try await store.push(number, "text \(number)", to: [match, second]) }
      let events = try #require(try await open().events(of: device, after: nil, limit: 1000, at: noon))
      #expect(events.map(\.id.notification) == [1, 1, 2, 2, 3, 3].map { HubFixtures.notification($0).id })
      // By a template's place in its installation, not by its name.
      #expect(events.map(\.id.ordinal) == [0, 1, 0, 1, 0, 1])
      #expect(events.map(\.body) == [1, 1, 2, 2, 3, 3].map { "text \($0)" })
      #expect(events.map(\.position) == events.map(\.position).sorted())
      for (place, event) in events.enumerated() {
        let position = try #require(try await store.position(of: event.id, in: device))
        #expect(position == event.position)
        #expect(
          try await store.events(of: device, after: position, limit: 1000, at: noon) == Array(events[(place + 1)...]))
        #expect(try await store.position(of: event.id, in: other) == nil)
      }
      let unknown = MailboxEventID(notification: HubFixtures.notification(9).id)
      #expect(try await store.position(of: unknown, in: device) == nil)
      #expect(try await store.events(of: other, after: nil, limit: 1000, at: noon) == [])
    },
    HubStoreContract("The numbers of steps grow by one, whoever records them") { open in
      let (one, two) = (try await open(), try await open())
      let (_, match) = try await one.register("a")
      let before = try await one.latestSequence()
      let first = try await one.push(1, "one", to: [match])
      let second = try await two.push(2, "two", to: [match])
      #expect([first.sequence, second.sequence] == [before + 1, before + 2])
      #expect(try await one.latestSequence() == before + 2)
    },
    HubStoreContract("A device reads as much at once as it asks for") { open in
      let store = try await open()
      let (device, match) = try await store.register("a")
      for number in 1...5 { _ = try await store.push(number, "text \(number)", to: [match]) }
      let first = try #require(try await store.events(of: device, after: nil, limit: 2, at: noon))
      #expect(first.map(\.body) == ["text 1", "text 2"])
      let rest = try #require(try await store.events(of: device, after: first.last?.position, limit: 9, at: noon))
      #expect(rest.map(\.body) == ["text 3", "text 4", "text 5"])
    },
    HubStoreContract("A mailbox keeps the newest pushes, and few more than its bound") { open in
      let store = try await open()
      let (device, match) = try await store.register("a")
      let (other, otherMatch) = try await store.register("b")
      _ = try await store.push(1, "other", to: [otherMatch])
      let last = 200
      for number in 2...last { _ = try await store.push(number, "text", to: [match], mailboxMax: 48) }
      let events = try #require(try await store.events(of: device, after: nil, limit: 1000, at: noon))
      #expect(48...72 ~= events.count)
      #expect(
        events.map(\.id.notification) == (last - events.count + 1...last).map { HubFixtures.notification($0).id })
      #expect(try await store.events(of: other, after: nil, limit: 1000, at: noon)?.count == 1)
    },
    HubStoreContract("A push whose time has passed is not read, and is purged") { open in
      let store = try await open()
      let (device, match) = try await store.register("a")
      let (other, otherMatch) = try await store.register("b")
      _ = try await store.push(1, "short", to: [match, otherMatch], expires: noon + .seconds(5))
      _ = try await store.push(2, "long", to: [match, otherMatch], expires: noon + .seconds(9))
      let later = noon + .seconds(5)
      #expect(try await store.events(of: device, after: nil, limit: 1000, at: noon)?.map(\.body) == ["short", "long"])
      #expect(try await store.events(of: device, after: nil, limit: 1000, at: later)?.map(\.body) == ["long"])
      #expect(try await store.purgeMailbox(expiredAt: later, limit: 1) == 1)
      #expect(try await store.purgeMailbox(expiredAt: later, limit: 9) == 1)
      #expect(try await store.purgeMailbox(expiredAt: later, limit: 9) == 0)
      #expect(try await store.mailboxCount() == 2)
      #expect(try await store.events(of: other, after: nil, limit: 1000, at: later)?.map(\.body) == ["long"])
    },
    HubStoreContract("The mailbox of a handle that nobody is registered with is gone") { open in
      let store = try await open()
      let handle = HubFixtures.handle(1)
      let (device, match) = try await store.register("a", handle: handle)
      _ = try await store.push(1, "text", to: [match])
      _ = try await store.register("b", handle: handle)
      _ = try await store.deleteInstallation("a")
      #expect(try await store.events(of: device, after: nil, limit: 1000, at: noon)?.count == 1)
      _ = try await store.register("b", handle: HubFixtures.handle(2))
      #expect(try await store.events(of: device, after: nil, limit: 1000, at: noon) == nil)
      #expect(try await store.mailboxCount() == 0)
      let (back, _) = try await store.register("b", handle: handle)
      #expect(back != device)
      #expect(try await store.events(of: back, after: nil, limit: 1000, at: noon) == [])
    },
  ]
}

extension FanOutStep {
  fileprivate static let expiry = HubFixtures.noon + .seconds(3600)

  /// A step that brings one text to all of `matches`.
  fileprivate static func of(
    _ matches: [Match], _ state: NotificationState = .processing, name: String? = nil, text: String = "text",
    expires: Timestamp = expiry, mailboxMax: Int = 1000
  ) -> FanOutStep {
    var step = FanOutStep(after: matches.last?.registration, expires: expires, mailboxMax: mailboxMax)
    step.state = state
    step.texts = matches.indices.map { RenderedText(templateName: name ?? "template \($0)", body: text) }
    step.entries = matches.enumerated().map {
      Entry(registration: $1.registration, device: $1.device, text: $0)
    }
    return step
  }
}

extension RegistrationStore where Self: Outbox {
  /// Registers a device; its id and its first template registration's match.
  fileprivate func register(
    _ id: String, handle: String? = nil, platform: Platform = .sse, templates: [(String, String)] = [("news", "{}")]
  ) async throws -> (DeviceID, Match) {
    let installation = HubFixtures.installation(id, handle: handle, platform: platform, templates: templates)
    try await put(installation, at: noon)
    let match = try #require(try await matches("$InstallationId:{\(id)}").first)
    return (match.device, match)
  }

  fileprivate func record(
    _ step: FanOutStep, under lease: OutboxLease, at now: Timestamp
  ) async throws -> RecordedStep? {
    try await record(step, under: lease, until: now + .seconds(3), at: now)
  }

  /// Brings a notification to some matches, from end to end.
  fileprivate func push(
    _ number: Int, _ text: String, to matches: [Match], expires: Timestamp = FanOutStep.expiry, mailboxMax: Int = 1000
  ) async throws -> RecordedStep {
    _ = try await enqueue(HubFixtures.notification(number), at: noon)
    let lease = try #require(try await lease(until: noon + .seconds(3), at: noon))
    let step = FanOutStep.of(matches, .completed, text: text, expires: expires, mailboxMax: mailboxMax)
    return try #require(try await record(step, under: lease, at: noon))
  }
}
