import BuiltInHub
import Push
import Runtime
import Telemetry
import Testing
import Time

private let noon = HubFixtures.noon

extension HubStoreContract {
  static let crashes =
    DyingHubStore.Moment.allCases.map { moment in
      HubStoreContract("Killed at any call, \(moment), a hub that starts again delivers each push exactly once") {
        open in
        let devices = 23
        let notifications = 3
        var call = 0
        var wasKilled = true
        while wasKilled {
          call += 1
          // Each round has devices and notifications of its own in the same store.
          let round = try await Round(number: call, devices: devices, notifications: notifications, in: open())
          let clock = ManualClock(noon)
          let dying = DyingHubStore(try await open(), killedAt: call, moment)
          await deliver(from: dying, clock: clock)
          wasKilled = dying.isDead
          // The dead process's lease has to end before the next process gets it.
          clock.advance(by: .seconds(10))
          await deliver(from: try await open(), clock: clock)
          try await round.expectEachPushOnce(in: open())
        }
        #expect(call > 10, "every call between lease and last step was deadly once")
      }
    } + [
      HubStoreContract("Two processes that work at once deliver each push exactly once") { open in
        let round = try await Round(number: 1, devices: 40, notifications: 6, in: open())
        let clock = ManualClock(noon)
        let stores = [try await open(), try await open()]
        await withTaskGroup(of: Void.self) { group in
          for store in stores { group.addTask { await deliver(from: store, clock: clock, until: stores.count) } }
        }
        try await round.expectEachPushOnce(in: open())
      },
      HubStoreContract("A correction waits for its alert, which is another process's, and others pass both") { open in
        let (first, second) = (try await open(), try await open())
        let stories = ["one", "one", "two", nil, nil]
        for (number, story) in stories.enumerated() {
          var properties: Properties = ["News_English": "\(number)"]
          if let story { properties["collapseId"] = story }
          _ = try await first.enqueue(HubFixtures.notification(number, properties), at: noon)
        }
        let end = noon + .seconds(3)
        let alert = try #require(try await first.lease(until: end, at: noon))
        var others: [OutboxLease] = []
        while let lease = try await second.lease(until: end, at: noon) { others.append(lease) }
        #expect(others.map(\.notification.id) == [2, 3, 4].map { HubFixtures.notification($0).id })
        // Its process is dead: another one tells it first.
        let again = try #require(try await second.lease(until: end + .seconds(3), at: end))
        #expect(again.notification.id == alert.notification.id)
        var step = FanOutStep(after: nil, expires: end, mailboxMax: 10)
        step.state = .completed
        _ = try #require(try await second.record(step, under: again, until: end, at: end))
        let correction = try #require(try await first.lease(until: end + .seconds(3), at: end))
        #expect(correction.notification.id == HubFixtures.notification(1).id)
      },
      HubStoreContract(
        "A lease from before the clock was set back is nobody's; one of a clock a little ahead is its own"
      ) {
        open in
        let store = try await open()
        for number in 0..<2 { _ = try await store.enqueue(HubFixtures.notification(number), at: noon) }
        let late = noon + .seconds(600)
        let early = try #require(try await store.lease(until: late + .seconds(3), at: late))
        let again = try #require(try await store.lease(until: noon + .seconds(4), at: noon + .seconds(1)))
        #expect(again.notification.id == early.notification.id && again.fence > early.fence)
        let other = try #require(try await store.lease(until: noon + .seconds(3), at: noon))
        #expect(other.notification.id != early.notification.id)
        #expect(try await store.lease(until: noon + .seconds(3), at: noon) == nil)
      },
    ]
}

/// What a round of the test delivers to whom.
private struct Round {
  let handles: [HandleDigest]
  let ids: [NotificationID]

  init(number: Int, devices: Int, notifications: Int, in store: any HubStore) async throws {
    var handles: [HandleDigest] = []
    for device in 0..<devices {
      let installation = HubFixtures.installation(
        "round\(number)-\(device)", tags: ["round\(number)"], templates: [("news", HubFixtures.body("News_English"))])
      try await store.put(installation, at: noon)
      handles.append(HandleDigest(of: installation.pushChannel.handle))
    }
    self.handles = handles
    ids = (0..<notifications).map { HubFixtures.notification(number * 100 + $0).id }
    for push in 0..<notifications {
      let notification = HubFixtures.notification(
        number * 100 + push, to: "round\(number) || World", ["News_English": "\(push)"])
      _ = try await store.enqueue(notification, at: noon)
    }
  }

  func expectEachPushOnce(in store: any HubStore) async throws {
    for handle in handles {
      let device = try #require(try await store.device(handle))
      let events = try #require(try await store.events(of: device, after: nil, limit: 1000, at: noon))
      // Two processes may finish in another order than they began.
      let sorted = events.sorted { $0.id.description < $1.id.description }
      #expect(sorted.map(\.id.notification) == ids)
      #expect(sorted.map(\.body) == ids.indices.map { #"{"alert":"\#($0)"}"# })
    }
    for id in ids {
      let progress = try #require(try await store.progress(of: id))
      #expect(progress.state == .completed)
      #expect(progress.tally.matched == handles.count)
      #expect(progress.tally.count(of: .success, on: .sse) == handles.count)
    }
  }
}

/// Runs a process's fan-out until it rests, and as many as that in all do: it has nothing to do, or has failed.
private func deliver(from store: any HubStore, clock: ManualClock, until resting: Int = 1) async {
  var options = LocalHub.Options()
  options.stepMax = 10
  let hub = LocalHub(
    name: "news", store: store, options: options, clock: clock, logger: .silent, metrics: MetricRegistry())
  let fanOut = Task { try await hub.fanOut.run() }
  await clock.waitForSleepers(resting)
  fanOut.cancel()
  _ = await fanOut.result
}
