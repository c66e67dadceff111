import BuiltInHub
import Push
import TestKit
import Testing
import Time

@Suite("A listening device") struct MailboxStreamTests {
  private let handle = HubFixtures.handle(1)

  /// A hub with one listening device.
  private func harness(
    store: any HubStore = MemoryHubStore(), _ adjust: (inout LocalHub.Options) -> Void = { _ in }
  ) async throws -> HubHarness {
    let harness = HubHarness(store: store, adjust)
    try await harness.hub.put(HubFixtures.installation("a", handle: handle))
    return harness
  }

  private func send(_ numbers: ClosedRange<Int>, from harness: HubHarness) async throws {
    for number in numbers {
      _ = try await harness.hub.send(HubFixtures.notification(number, ["News_English": "\(number)"]))
    }
    await harness.deliver()
  }

  private func ids(_ element: MailboxStream.Element?) -> [NotificationID]? {
    guard case .events(let events) = element else { return nil }
    return events.map(\.id.notification)
  }

  private func ids(_ numbers: ClosedRange<Int>) -> [NotificationID] { numbers.map { HubFixtures.notification($0).id } }

  @Test("It reads what waits, then each push as it comes")
  func reads() async throws {
    let harness = try await harness()
    try await send(1...2, from: harness)
    let stream = try await harness.hub.listen(handle: handle)
    #expect(ids(try await stream.next()) == ids(1...2))
    let next = Task { try await stream.next() }
    try await send(3...3, from: harness)
    #expect(ids(try await next.value) == ids(3...3))
  }

  @Test("It reads a long absence page by page, without waiting")
  func longAbsence() async throws {
    let harness = try await harness()
    try await send(1...250, from: harness)
    let stream = try await harness.hub.listen(handle: handle)
    var read: [NotificationID] = []
    while read.count < 250 { read += try #require(ids(try await stream.next())) }
    #expect(read == ids(1...250))
  }

  @Test("It goes on after the last event that it has seen")
  func resumes() async throws {
    let harness = try await harness()
    try await send(1...4, from: harness)
    let seen = HubFixtures.notification(2).id.description
    let stream = try await harness.hub.listen(handle: handle, lastEventID: seen)
    #expect(ids(try await stream.next()) == ids(3...4))
  }

  @Test("It reads everything where its last event is not there any more", arguments: ["", "7", "NH", "unknown"])
  func unknownEvent(_ id: String) async throws {
    let harness = try await harness()
    try await send(1...2, from: harness)
    let id = id == "unknown" ? HubFixtures.notification(99).id.description : id
    let stream = try await harness.hub.listen(handle: handle, lastEventID: id)
    #expect(ids(try await stream.next()) == ids(1...2))
  }

  @Test("It gets a sign of life when nothing comes")
  func heartbeat() async throws {
    let harness = try await harness { options in
      options.heartbeat = .seconds(15)
      options.pollInterval = .seconds(1)
    }
    let stream = try await harness.hub.listen(handle: handle)
    try await harness.running("hub.lookout") {
      let turning = Task { [clock = harness.clock] in
        while !Task.isCancelled {
          await clock.waitForSleepers()
          clock.advance(by: .seconds(1))
        }
      }
      for seconds in [15, 30] {
        let element = try await stream.next()
        #expect(element == .quiet)
        #expect(harness.clock.now >= HubFixtures.noon + .seconds(seconds))
      }
      turning.cancel()
      await turning.value
    }
  }

  @Test("It hears of what another process delivered when this one looks")
  func otherProcess() async throws {
    let store = MemoryHubStore()
    let harness = try await harness(store: store)
    let other = HubHarness(store: store)
    let stream = try await harness.hub.listen(handle: handle)
    try await harness.running("hub.lookout") {
      // Once in vain, so that it knows where the other process begins.
      await harness.clock.waitForSleepers()
      harness.clock.advance(by: .seconds(1))
      await harness.clock.waitForSleepers()
      let next = Task { try await stream.next() }
      try await send(1...1, from: other)
      harness.clock.advance(by: .seconds(1))
      let element = try await next.value
      #expect(ids(element) == ids(1...1))
    }
  }

  @Test("Its stream ends when the device is not registered any more")
  func deleted() async throws {
    let harness = try await harness()
    let stream = try await harness.hub.listen(handle: handle)
    try await harness.hub.deleteInstallation("a")
    #expect(try await stream.next() == nil)
  }

  @Test("Its stream ends when the reader is cancelled")
  func cancelled() async throws {
    let harness = try await harness()
    let stream = try await harness.hub.listen(handle: handle)
    let next = Task { try await stream.next() }
    next.cancel()
    #expect(try await next.value == nil)
  }

  @Test("Without a registration it is not known, and a phone's token is no listener's handle")
  func unknownDevice() async throws {
    let harness = try await harness()
    try await harness.hub.put(HubFixtures.installation("b", handle: HubFixtures.handle(2), platform: .gcm))
    for handle in [HubFixtures.handle(2), HubFixtures.handle(3)] {
      await #expect(throws: ListenError.unknownDevice) { try await harness.hub.listen(handle: handle) }
    }
  }

  @Test("More than the bound may not listen at once, and whoever leaves makes room")
  func bound() async throws {
    let harness = try await harness { $0.listenersMax = 2 }
    var streams = [try await harness.hub.listen(handle: handle), try await harness.hub.listen(handle: handle)]
    await #expect(throws: ListenError.tooManyListeners) { try await harness.hub.listen(handle: handle) }
    try await send(1...1, from: harness)
    for stream in streams { #expect(ids(try await stream.next()) == ids(1...1)) }
    streams.removeLast()
    _ = try await harness.hub.listen(handle: handle)
  }
}
