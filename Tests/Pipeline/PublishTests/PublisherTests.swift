import News
import Push
import Runtime
import Telemetry
import TestKit
import Testing
import Time

@testable import Publish

@Suite("Publisher", .timeLimit(.minutes(1)))
struct PublisherTests {
  typealias ScriptedHub = DeskTests.ScriptedHub

  let clock = ManualClock()
  let ledger = MemoryLedger()
  let metrics = MetricRegistry()
  let lines = LineLog()
  let article = Article(id: "a", text: .init(headline: "Strong quake"), language: "en")

  private func publisher(_ hubs: [String: ScriptedHub], onUnknown: Publisher.OnUnknown = .hold) throws -> Publisher {
    let composer = Composer(
      locales: [ComposerTests.locales[0]], routing: try Routing(parsing: "{category}"), lifetime: .seconds(3600))
    let logger = Logger(clock: clock, sink: lines.sink)
    let retry = RetryPolicy(first: .seconds(1), ceiling: .seconds(60), jitter: 0)
    return Publisher(
      outlets: hubs.sorted { $0.key < $1.key }.map { name, hub in
        Outlet(
          name: name, composer: composer, hub: hub,
          gate: HubGate(hub: name, retry: retry, clock: clock, logger: logger, metrics: metrics))
      },
      ledger: ledger, onUnknown: onUnknown, retry: retry, clock: clock, logger: logger, metrics: metrics)
  }

  private struct Refused: Error {
    let refusal: ArticleRefusal
  }

  private func claim() async throws -> (publication: Publication, isResumed: Bool) {
    let claim = Claim(
      articleID: "a", version: 1, canonicalLink: nil, kind: .alert, categories: [.world],
      notificationID: NotificationID(at: clock.now), time: clock.now)
    switch try await ledger.claim(claim) {
    case .claimed(let publication): return (publication, false)
    case .resumed(let publication), .told(let publication), .retold(let publication, _): return (publication, true)
    case .refused(let refusal): throw Refused(refusal: refusal)
    }
  }

  private func publish(_ publisher: Publisher) async throws -> Publisher.Published {
    let (publication, isResumed) = try await claim()
    return try await publisher.publish(article, as: publication, isResumed: isResumed)
  }

  /// Publishes and turns the clock whenever all rest.
  private func publish(_ publisher: Publisher, advancing steps: [Duration]) async throws -> Publisher.Published {
    async let published = publish(publisher)
    for step in steps {
      await clock.waitForSleepers()
      clock.advance(by: step)
    }
    return try await published
  }

  @Test("A story goes to every outlet, and the whole counts as sent with all that matched")
  func everyOutlet() async throws {
    let hubs = ["apple": ScriptedHub(), "gcm": ScriptedHub(repeatsSafely: false)]
    let published = try await publish(publisher(hubs))
    guard case .sent = published.outcome else {
      Issue.record("\(published)")
      return
    }
    #expect(published.reason == nil)
    #expect(hubs.values.allSatisfy { $0.notifications.count == 1 })
    #expect(try await ledger.parts(of: claim().publication).count == 2)
  }

  @Test("What a hub does not serve, or refuses, stops no other, and the trail names it")
  func partial() async throws {
    let hubs = [
      "apple": ScriptedHub(), "gcm": ScriptedHub([.unserved(why: "no credentials")]),
      "windows": ScriptedHub([.refused(why: "too large")]),
    ]
    let published = try await publish(publisher(hubs))
    #expect(published.outcome?.isSent == true)
    #expect(published.reason == "sent, but not to all: refused by the hub: windows: too large")
    #expect(lines.events == ["hub.refused"])
    let sends = metrics.counter("tidings_hub_sends_total", help: "", labels: ["outlet", "outcome"])
    #expect(sends.value(["apple", "sent"]) == 1)
    #expect(sends.value(["gcm", "unserved"]) == 1)
    #expect(sends.value(["windows", "refused"]) == 1)
  }

  @Test("Where a hub serves nobody at all, the reason says so")
  func unserved() async throws {
    let published = try await publish(publisher(["gcm": ScriptedHub([.unserved(why: "no credentials")])]))
    #expect(published.outcome == .refused(reason: "no credentials"))
  }

  @Test("After a restart only what is not known to be sent is sent, under the same id")
  func resumesParts() async throws {
    let publication = try await claim().publication
    #expect(try await ledger.depart(for: "apple", of: publication, after: 0) == .granted)
    try await ledger.settle(for: "apple", of: publication, as: .sent(Receipt(notificationID: "1")))
    #expect(try await ledger.depart(for: "gcm", of: publication, after: 0) == .granted)
    try await ledger.postpone(for: "gcm", of: publication)
    #expect(try await ledger.depart(for: "windows", of: publication, after: 0) == .granted)
    let names = ["apple", "gcm", "mpns", "windows"]
    let hubs = Dictionary(uniqueKeysWithValues: names.map { ($0, ScriptedHub(repeatsSafely: false)) })
    let published = try await publish(publisher(hubs))
    #expect(hubs["apple"]?.notifications.isEmpty == true)
    #expect(hubs["gcm"]?.notifications.map(\.id) == [publication.notificationID])
    #expect(hubs["mpns"]?.notifications.count == 1)
    #expect(hubs["windows"]?.notifications.isEmpty == true)
    #expect(published.outcome == .unknown(reason: "windows: a restart came between the request and its answer"))
  }

  @Test("A hub that repeats safely is asked again after a restart, whatever has left")
  func repeatsSafely() async throws {
    let publication = try await claim().publication
    let hub = ScriptedHub(repeatsSafely: true)
    #expect(try await publish(publisher(["news": hub])).outcome?.isSent == true)
    #expect(hub.notifications.map(\.id) == [publication.notificationID])
  }

  @Test("A lost answer is held: nothing is sent again, and it is counted and said")
  func holdsUnknown() async throws {
    let hub = ScriptedHub([.unknown(why: "no answer came")], repeatsSafely: false)
    let published = try await publish(publisher(["news": hub]))
    #expect(published.outcome == .unknown(reason: "no answer came"))
    #expect(published.reason == "nobody knows whether it was sent: no answer came")
    #expect(hub.notifications.isEmpty)
    #expect(lines.events == ["hub.unknown"])
    #expect(try await publish(publisher(["news": hub])).outcome?.isUnknown == true)
    #expect(hub.notifications.isEmpty)
  }

  @Test("Where the operator prefers twice to never, a lost answer is sent again under the same id")
  func resendsUnknown() async throws {
    let hub = ScriptedHub([.unknown(why: "no answer came")], repeatsSafely: false)
    let published = try await publish(publisher(["news": hub], onUnknown: .resend), advancing: [.seconds(1)])
    #expect(published.outcome?.isSent == true)
    #expect(hub.notifications.map(\.id) == [try await claim().publication.notificationID])
  }

  @Test("What nobody answers is sent again a few times at most, restarts counted")
  func resendsBounded() async throws {
    let publication = try await claim().publication
    #expect(try await ledger.depart(for: "news", of: publication, after: 0) == .granted)
    let hub = ScriptedHub(Array(repeating: .unknown(why: "no answer came"), count: 5), repeatsSafely: false)
    let published = try await publish(publisher(["news": hub], onUnknown: .resend), advancing: [.seconds(1)])
    #expect(published.outcome == .unknown(reason: "no answer came"))
    #expect(hub.askedCount == Publisher.departuresMax - 1)
    #expect(try await publish(publisher(["news": hub], onUnknown: .resend)).outcome?.isUnknown == true)
    #expect(hub.askedCount == Publisher.departuresMax - 1)
  }

  @Test("A closed hub is waited for, and nothing has left then: a restart sends it")
  func waitsWhileClosed() async throws {
    let hub = ScriptedHub([.closed(HubClosure(.access, why: "the key is refused"))], repeatsSafely: false)
    let publisher = try publisher(["news": hub])
    let running = Task { try await publish(publisher) }
    await clock.waitForSleepers()
    #expect(try await ledger.parts(of: claim().publication).allSatisfy { $0.departures == 0 })
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(try await publish(self.publisher(["news": hub])).outcome?.isSent == true)
    #expect(hub.notifications.count == 1)
  }

  @Test("What another has in hand is not sent as well")
  func another() async throws {
    let hub = ScriptedHub([.retry(after: .zero, why: "busy")], repeatsSafely: false)
    async let first = publish(publisher(["news": hub]))
    await clock.waitForSleepers()
    // Another process takes it up and sends it while this one waits.
    let publication = try await claim().publication
    #expect(try await ledger.depart(for: "news", of: publication, after: 0) == .granted)
    clock.advance(by: .seconds(1))
    #expect(try await first.outcome == .unknown(reason: "it is being sent by another"))
    #expect(hub.notifications.isEmpty)
  }

  @Test("A store that fails once a hub has taken something is asked until it can note that")
  func patience() async throws {
    let failing = FailingLedger(ledger, failures: 3)
    let hub = ScriptedHub(repeatsSafely: false)
    let composer = Composer(
      locales: [ComposerTests.locales[0]], routing: try Routing(parsing: "{category}"), lifetime: .seconds(3600))
    let publisher = Publisher(
      outlets: ["apple", "gcm"].map { name in
        Outlet(
          name: name, composer: composer, hub: hub,
          gate: HubGate(hub: name, clock: clock, logger: .silent, metrics: metrics))
      },
      ledger: failing, retry: RetryPolicy(first: .seconds(1), ceiling: .seconds(1), jitter: 0), clock: clock,
      logger: .silent, metrics: metrics)
    let publication = try await claim().publication
    // Time passes whenever somebody waits for it.
    let time = Task { [clock] in
      while !Task.isCancelled {
        if clock.sleeperCount > 0 { clock.advance(by: .seconds(1)) }
        await Task.yield()
      }
    }
    defer { time.cancel() }
    #expect(try await publisher.publish(article, as: publication, isResumed: false).outcome?.isSent == true)
    #expect(failing.failures == 0)
    #expect(hub.notifications.count == 2)
    #expect(try await ledger.parts(of: publication).allSatisfy { $0.outcome?.isSent == true })
  }
}

extension PublicationOutcome {
  var isSent: Bool { if case .sent = self { true } else { false } }
  var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

extension Publisher.Published {
  /// What became of it; nil while it is parked.
  var outcome: PublicationOutcome? {
    if case .settled(let outcome, _) = self { outcome } else { nil }
  }

  /// What a reader of the trail should know.
  var reason: String? {
    switch self {
    case .settled(_, let reason): reason
    case .parked(_, let reason): reason
    }
  }
}
