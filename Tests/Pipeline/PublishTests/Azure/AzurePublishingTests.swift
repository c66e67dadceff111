import Curl
import News
import Push
import Runtime
import Synchronization
import Telemetry
import TestKit
import Testing
import Time

@testable import Publish

/// A desk with its ledger, before a stub that misbehaves.
private struct Newsroom {
  let clock = ManualClock(Timestamp(rfc3339: "2026-11-30T12:00:00Z")!)
  let ledger = MemoryLedger()
  let source = DeskTests.ScriptedSource()
  let metrics = MetricRegistry()
  let lines = LineLog()
  let stub: AzureStub
  var onUnknown = Publisher.OnUnknown.hold
  /// Nil: by templates.
  var natives: [HouseTemplate]?

  init(_ stub: AzureStub) { self.stub = stub }

  private var logger: Logger { Logger(clock: clock, sink: lines.sink) }

  func desk(_ other: (any ArticleSource)? = nil) throws -> Desk {
    let connection = try stub.connection(
      clock: clock, timeouts: HTTPTimeouts(idle: .milliseconds(500)), logger: logger)
    let retry = RetryPolicy(first: .seconds(1), ceiling: .seconds(60), jitter: 0)
    let gate = HubGate(hub: "News", retry: retry, clock: clock, logger: logger, metrics: metrics)
    let routing = try Routing(parsing: "{category}")
    func composer(_ locales: [Locale], _ readers: Composer.Readers = .everyone) -> Composer {
      Composer(locales: locales, routing: routing, lifetime: .seconds(86_400), readers: readers)
    }
    let locales = Array(ComposerTests.locales.prefix(2))
    let outlets =
      natives.map { templates in
        templates.flatMap { template in
          locales.map { locale in
            Outlet(
              name: "News/\(template.format.rawValue)/\(locale.name)", composer: composer([locale], .ofItsLocales),
              hub: AzureHub(connection, form: .native(template, locale), clock: clock), gate: gate)
          }
        }
      } ?? [Outlet(name: "News", composer: composer(locales), hub: AzureHub(connection, clock: clock), gate: gate)]
    return Desk(
      source: other ?? source,
      editing: Desk.Editing(
        classifier: DeskTests.SubscribedClassifier(), policy: PushPolicy(maxAge: .seconds(86_400))),
      ledger: ledger,
      publisher: Publisher(
        outlets: outlets, ledger: ledger, onUnknown: onUnknown, retry: retry, clock: clock, logger: logger,
        metrics: metrics),
      heldAnew: Wakeup(), retry: retry, clock: clock, logger: logger, metrics: metrics)
  }

  func add(_ ids: String...) async throws {
    for id in ids {
      try await source.add(
        Article(id: id, text: .init(headline: "Headline \(id)"), language: "en"), subscribed: .world,
        firstSeen: clock.now)
    }
  }

  /// Has a desk of its own work on each article, one after the other.
  func tell(_ ids: String...) async throws {
    for id in ids {
      let source = BatchSource([id], firstSeen: clock.now)
      try await desk(source).run()
      #expect(source.acknowledgedIDs == [id])
    }
  }

  /// What the hub accepted: the articles of the requests that it answered 201, in order.
  func told(_ answers: [Int]) -> [String] {
    zip(stub.server.requests, answers).filter { $1 == 201 }.map { Self.article(of: $0.0) }
  }

  static func article(of request: RawServer.Request) -> String {
    let body = String(decoding: request.body, as: UTF8.self)
    let start = body.firstRange(of: "\"articleId\":\"")?.upperBound ?? body.startIndex
    return String(body[start...].prefix { $0 != "\"" })
  }

  func paused(_ cause: HubClosure.Cause) -> Double {
    metrics.gauge("tidings_hub_paused", help: "", labels: ["hub", "cause"]).value(["News", cause.rawValue])
  }

  func published(_ outcome: String) -> Double {
    metrics.counter("tidings_publications_total", help: "", labels: ["outcome"]).value([outcome])
  }
}

/// Gives all its articles at once, and then no more.
private final class BatchSource: ArticleSource {
  let name = "batch"
  let ids: [String]
  private let firstSeen: Timestamp
  private let acknowledged = Mutex<[String]>([])
  private let isGiven = Mutex(false)

  init(_ ids: [String], firstSeen: Timestamp) {
    self.ids = ids
    self.firstSeen = firstSeen
  }

  var acknowledgedIDs: [String] { acknowledged.withLock { $0 } }

  func next(limit: Int) async throws -> [Inbound]? {
    let wasGiven = isGiven.withLock { isGiven in
      defer { isGiven = true }
      return isGiven
    }
    guard !wasGiven else { return nil }
    return ids.map { id in
      Inbound(
        article: Article(id: id, text: .init(headline: "Headline \(id)"), language: "en"), subscribed: .world,
        firstSeen: firstSeen
      ) { self.acknowledged.withLock { $0.append(id) } }
    }
  }
}

@Suite("Azure: publishing", .timeLimit(.minutes(1)))
struct AzurePublishingTests {
  struct Pause: Sendable, CustomTestStringConvertible {
    let status: Int
    var headers: [String: String] = [:]
    /// Nil where the hub is not closed, and only this send waits.
    let cause: HubClosure.Cause?
    let seconds: Int

    var testDescription: String { "\(status) \(headers)" }
  }

  @Test(
    "What the hub did not take waits as long as it should, is said and shown, and is sent once",
    arguments: [
      Pause(status: 401, cause: .access, seconds: 60),
      Pause(status: 403, cause: .access, seconds: 60),
      Pause(status: 404, cause: .access, seconds: 60),
      Pause(status: 403, headers: ["Retry-After": "30"], cause: .quota, seconds: 30),
      Pause(status: 429, headers: ["Retry-After": "30"], cause: .quota, seconds: 30),
      Pause(status: 429, headers: ["Retry-After": "Mon, 30 Nov 2026 12:00:45 GMT"], cause: .quota, seconds: 45),
      Pause(status: 503, headers: ["Retry-After": "5"], cause: .quota, seconds: 5),
      Pause(status: 500, cause: nil, seconds: 1),
      Pause(status: 408, cause: nil, seconds: 1),
    ])
  func waits(_ pause: Pause) async throws {
    let newsroom = Newsroom(try AzureStub(answers: [.status(pause.status, pause.headers)]))
    try await newsroom.add("a")
    newsroom.source.end()
    let desk = try newsroom.desk()
    async let run: Void = desk.run()
    await newsroom.clock.waitForSleepers()
    #expect(newsroom.source.acknowledgedIDs.isEmpty)
    if let cause = pause.cause {
      #expect(newsroom.paused(cause) == 1)
      #expect(newsroom.lines.events == ["hub.paused"])
      #expect(newsroom.lines.levels == [cause == .access ? .error : .warning])
      #expect(newsroom.lines.fields("reason", of: "hub.paused")[0].contains("the hub answered \(pause.status), "))
    } else {
      #expect(newsroom.lines.events == ["hub.waiting"])
    }
    newsroom.clock.advance(by: .seconds(pause.seconds) - .milliseconds(1))
    await newsroom.clock.waitForSleepers()
    #expect(newsroom.stub.server.requests.count == 1)
    newsroom.clock.advance(by: .milliseconds(1))
    try await run
    #expect(newsroom.told([pause.status, 201]) == ["a"])
    #expect(newsroom.stub.server.requests.count == 2)
    #expect(newsroom.source.acknowledgedIDs == ["a"])
    #expect(newsroom.ledger.outcome(of: "a") == .sent(Receipt(notificationID: "NH-20261130-1-07")))
    #expect(newsroom.published("sent") == 1)
    #expect(HubClosure.Cause.allCases.allSatisfy { newsroom.paused($0) == 0 })
  }

  @Test(
    "What left without an answer is held: one request, a decision and a count that say so, and the next flows",
    arguments: [
      ("nothing", [.hold]),
      ("half a head", [.send(Array("HTTP/1.1 201 C\r\nContent-Le".utf8)), .close]),
      ("a reset", [.reset]),
    ] as [(String, RawServer.Answer)])
  func holds(name: String, answer: RawServer.Answer) async throws {
    let newsroom = Newsroom(try AzureStub(answers: [answer]))
    try await newsroom.tell("a", "b", "a")
    #expect(newsroom.stub.server.requests.map(Newsroom.article) == ["a", "b"])
    guard case .unknown = newsroom.ledger.outcome(of: "a") else {
      Issue.record("\(name): \(String(describing: newsroom.ledger.outcome(of: "a")))")
      return
    }
    #expect(
      newsroom.ledger.decisions[0].reason.hasPrefix("nobody knows whether it was sent: the request was sent and "))
    #expect(newsroom.published("unknown") == 1)
    #expect(newsroom.published("sent") == 1)
    #expect(newsroom.lines.events.filter { $0 == "hub.unknown" }.count == 1)
    #expect(HubClosure.Cause.allCases.allSatisfy { newsroom.paused($0) == 0 })
  }

  @Test("With half a body an answer counts still: what was taken is not sent again, and what was not is")
  func halfBody() async throws {
    func half(_ lines: String) -> RawServer.Answer {
      [.send(Array("HTTP/1.1 \(lines)\r\nContent-Length: 90\r\n\r\n<Err".utf8)), .close]
    }
    let taken = half("201 Created\r\nLocation: https://x/News/messages/NH-7")
    let newsroom = Newsroom(try AzureStub(answers: [half("429 Too Many\r\nRetry-After: 30"), taken]))
    try await newsroom.add("a")
    newsroom.source.end()
    let desk = try newsroom.desk()
    async let run: Void = desk.run()
    await newsroom.clock.waitForSleepers()
    #expect(newsroom.paused(.quota) == 1)
    newsroom.clock.advance(by: .seconds(30))
    try await run
    try await newsroom.tell("b")
    #expect(newsroom.stub.server.requests.map(Newsroom.article) == ["a", "a", "b"])
    #expect(newsroom.ledger.outcome(of: "a") == .sent(Receipt(notificationID: "NH-7")))
    #expect(newsroom.published("sent") == 2)
  }

  @Test("Where the operator prefers twice to never, a lost answer is sent again, under the same ids")
  func resends() async throws {
    var newsroom = Newsroom(try AzureStub(answers: [[.reset]]))
    newsroom.onUnknown = .resend
    try await newsroom.add("a")
    newsroom.source.end()
    let desk = try newsroom.desk()
    async let run: Void = desk.run()
    await newsroom.clock.waitForSleepers()
    newsroom.clock.advance(by: .seconds(1))
    try await run
    #expect(newsroom.stub.server.requests.map(Newsroom.article) == ["a", "a"])
    #expect(Set(newsroom.stub.server.requests.map(\.body)).count == 1)
    #expect(newsroom.published("sent") == 1)
  }

  @Test("While a key is refused all wait, one asks a minute and one line says so; then each goes once")
  func refusedKey() async throws {
    let isRefused = Mutex(true)
    let stub = try AzureStub { _ in isRefused.withLock { $0 } ? .status(401) : AzureStub.created }
    let newsroom = Newsroom(stub)
    let source = BatchSource((0..<10).map { "article-\($0)" }, firstSeen: newsroom.clock.now)
    let desk = try newsroom.desk(source)
    let running = Task { try await desk.run() }
    await newsroom.clock.waitForSleepers(10)
    // At first nobody knew.
    let asked = stub.server.requests.count
    #expect(newsroom.lines.events == ["hub.paused"])
    for minute in 1...3 {
      newsroom.clock.advance(by: .seconds(60))
      await newsroom.lines.wait(for: "hub.paused", count: 1 + minute)
      #expect(stub.server.requests.count == asked + minute)
    }
    #expect(newsroom.lines.events.allSatisfy { $0 == "hub.paused" })
    #expect(source.acknowledgedIDs.isEmpty)
    isRefused.withLock { $0 = false }
    newsroom.clock.advance(by: .seconds(60))
    try await running.value
    #expect(source.acknowledgedIDs.sorted() == source.ids)
    #expect(stub.server.requests.dropFirst(asked + 3).map(Newsroom.article).sorted() == source.ids)
    #expect(newsroom.lines.events.count { $0 == "hub.paused" } == 4)
    #expect(newsroom.lines.events.count { $0 == "hub.resumed" } == 1)
    #expect(newsroom.published("sent") == 10)
  }

  @Test("A worker that stops while a key is refused has sent nothing and doubts nothing: the next one sends")
  func stopWhilePaused() async throws {
    let stub = try AzureStub(answers: [.status(401)])
    let newsroom = Newsroom(stub)
    try await newsroom.add("a")
    let desk = try newsroom.desk()
    let running = Task { try await desk.run() }
    await newsroom.clock.waitForSleepers()
    running.cancel()
    try await running.value
    #expect(newsroom.source.acknowledgedIDs.isEmpty)
    try await newsroom.add("a")
    newsroom.source.end()
    try await newsroom.desk().run()
    #expect(newsroom.told([401, 201]) == ["a"])
    #expect(newsroom.published("sent") == 1)
  }
}

@Suite("Azure: platforms without templates", .timeLimit(.minutes(1)))
struct AzureNativeTests {
  private func newsroom(
    _ formats: [AzureFormat], _ answer: @escaping @Sendable (RawServer.Request) -> RawServer.Answer
  ) throws -> Newsroom {
    var newsroom = Newsroom(try AzureStub(answer))
    newsroom.natives = try formats.map { format in
      switch format {
      case .apple:
        try HouseTemplate(
          format: .apple, headers: [("apns-push-type", "alert")],
          body: #"{"aps":{"alert":"$(messageParam)"},"articleId":"$(articleId)"}"#)
      default: try HouseTemplateTests.minimal(format)
      }
    }
    return newsroom
  }

  private static func summary(_ request: RawServer.Request) -> String {
    "\(request["ServiceBusNotification-Format"] ?? "") \(request["ServiceBusNotification-Tags"] ?? "")"
  }

  @Test("There is a send for each platform and language, with its headers, for who bears the language's tag")
  func eachPlatform() async throws {
    let newsroom = try newsroom([.apple, .windowsphone]) { _ in AzureStub.created }
    try await newsroom.add("a")
    newsroom.source.end()
    try await newsroom.desk().run()
    let requests = newsroom.stub.server.requests.sorted { Self.summary($0) < Self.summary($1) }
    #expect(
      requests.map(Self.summary) == [
        "apple World && English", "apple World && French", "windowsphone World && English",
        "windowsphone World && French",
      ])
    #expect(requests[0]["apns-push-type"] == "alert")
    #expect(requests[0]["Content-Type"] == "application/json;charset=utf-8")
    #expect(
      String(decoding: requests[1].body, as: UTF8.self)
        == #"{"aps":{"alert":"Flash Monde : Headline a"},"articleId":"a"}"#)
    #expect(requests[2]["X-NotificationClass"] == "2" && requests[2]["X-WindowsPhone-Target"] == "toast")
    #expect(requests[2]["Content-Type"] == "application/xml")
    #expect(newsroom.ledger.decisions.map(\.action) == [.push])
  }

  @Test("A platform that the hub does not know stops no other, is said once, and is asked for again after a while")
  func unserved() async throws {
    let newsroom = try newsroom([.gcm, .apple]) { request in
      guard request["ServiceBusNotification-Format"] == "gcm" else { return AzureStub.created }
      let detail = "The notification has no target applications. The notification format is gcm. Review the credentials"
      return .status(400, body: Array("<Error><Code>400</Code><Detail>\(detail)</Detail></Error>".utf8))
    }
    let desk = try newsroom.desk()
    let running = Task { try await desk.run() }
    func asked(_ format: String) -> Int {
      newsroom.stub.server.requests.count { $0["ServiceBusNotification-Format"] == format }
    }
    for (place, id) in ["a", "b", "c"].enumerated() {
      if id == "c" { newsroom.clock.advance(by: AzureConnection.unservedInterval) }
      let before = asked("gcm")
      try await newsroom.add(id)
      await newsroom.lines.wait(for: "article.decided", count: place + 1)
      // At first each language may ask; from then on none does.
      #expect(id == "b" ? asked("gcm") == before : asked("gcm") > before)
      #expect(asked("apple") == 2 * (place + 1))
    }
    newsroom.source.end()
    try await running.value
    #expect(newsroom.lines.events.filter { $0 == "hub.unserved" }.count == 2)
    #expect(newsroom.lines.events.filter { $0 == "hub.refused" }.isEmpty)
    #expect(newsroom.ledger.decisions.map(\.reason) == ["new", "new", "new"])
    #expect(newsroom.published("sent") == 3)
  }

  @Test("A retry and a restart send only the parts that are not known to be sent")
  func parts() async throws {
    let failing = Mutex(true)
    let newsroom = try newsroom([.apple, .windows]) { request in
      let isFailing = Self.summary(request) == "windows World && French" && failing.withLock { $0 }
      return isFailing ? .status(500) : AzureStub.created
    }
    try await newsroom.add("a")
    let desk = try newsroom.desk()
    let running = Task { try await desk.run() }
    await newsroom.clock.waitForSleepers()
    // Of the others only the ledger knows when they are done.
    while newsroom.ledger.parts(ofStory: "a").count(where: { $0.outcome != nil }) < 3 { await Task.yield() }
    running.cancel()
    try await running.value
    #expect(newsroom.source.acknowledgedIDs.isEmpty)
    failing.withLock { $0 = false }
    try await newsroom.add("a")
    newsroom.source.end()
    try await newsroom.desk().run()
    let requests = newsroom.stub.server.requests.map(Self.summary)
    #expect(requests.count == 5)
    #expect(requests.count { $0 == "windows World && French" } == 2)
    #expect(Set(requests).count == 4)
    #expect(newsroom.ledger.decisions.map(\.reason) == ["begun before a restart"])
  }
}
