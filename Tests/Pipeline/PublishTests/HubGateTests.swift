import Push
import Runtime
import Synchronization
import Telemetry
import TestKit
import Testing
import Time

@testable import Publish

@Suite("Hub gate", .timeLimit(.minutes(1)))
struct HubGateTests {
  let clock = ManualClock()
  let metrics = MetricRegistry()
  let lines = LineLog()
  let gate: HubGate

  init() {
    gate = HubGate(
      hub: "news", retry: RetryPolicy(first: .seconds(1), ceiling: .seconds(60), jitter: 0), clock: clock,
      logger: Logger(clock: clock, sink: lines.sink), metrics: metrics)
  }

  private var paused: [Double] {
    HubClosure.Cause.allCases.map { cause in
      metrics.gauge("tidings_hub_paused", help: "", labels: ["hub", "cause"]).value(["news", cause.rawValue])
    }
  }

  private func pass() async throws -> HubGate.Pass { try #require(try await gate.enter(before: nil)) }

  @Test("No more are in than may be; who comes then stands in line, and whatever was heard lets the next one in")
  func bounded() async throws {
    let gate = HubGate(hub: "narrow", sendsMax: 2, clock: clock, logger: .silent, metrics: metrics)
    let crowd = Crowd()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<30 {
        group.addTask {
          guard let pass = try await gate.enter(before: nil) else { return }
          await crowd.visit()
          if number % 2 == 0 { gate.open(pass) } else { gate.leave(pass) }
        }
      }
      try await group.waitForAll()
    }
    #expect(crowd.most <= 2)
    #expect(crowd.total == 30)
    let passes = [try await gate.enter(before: nil), try await gate.enter(before: nil)].compactMap(\.self)
    let cancelled = Task { try await gate.enter(before: nil) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    for pass in passes { gate.close(pass, HubClosure(.access, why: "the key is refused")) }
    // Who is late goes, and keeps nobody out.
    for _ in 0..<3 { #expect(try await gate.enter(before: clock.now) == nil) }
  }

  @Test("A clock that is set back keeps nobody out for longer")
  func clockSetBack() async throws {
    gate.close(try await pass(), HubClosure(.quota, wait: .seconds(10), why: "it is busy"))
    clock.advance(by: .seconds(-600))
    #expect(try await pass().isProbe)
  }

  @Test("An open gate keeps nobody, and says that it is open before anything happened")
  func open() async throws {
    #expect(try await pass().isProbe == false)
    #expect(paused == [0, 0, 0])
    #expect(metrics.exposition().contains("tidings_hub_paused{hub=\"news\",cause=\"access\"} 0\n"))
  }

  @Test("Many who are refused at once are one line; one of them asks again after a minute, and his answer frees all")
  func pausesAndResumes() async throws {
    let first = try await pass()
    let second = try await pass()
    for pass in [first, second] { gate.close(pass, HubClosure(.access, why: "the key is refused")) }
    #expect(lines.events == ["hub.paused"])
    #expect(paused == [1, 0, 0])

    async let waiting = withTaskGroup(of: HubGate.Pass?.self) { group in
      for _ in 0..<5 { group.addTask { try? await self.gate.enter(before: nil) } }
      // Only one asks; the others wait for what he hears.
      let probe = await group.next() ?? nil
      #expect(probe?.isProbe == true)
      if let probe { self.gate.open(probe) }
      var freed = 0
      for await pass in group where pass?.isProbe == false { freed += 1 }
      return freed
    }
    await clock.waitForSleepers(5)
    clock.advance(by: .seconds(59))
    #expect(lines.events == ["hub.paused"])
    clock.advance(by: .seconds(1))
    #expect(await waiting == 4)
    #expect(lines.events == ["hub.paused", "hub.resumed"])
    #expect(paused == [0, 0, 0])
  }

  @Test("While a key stays refused there is one line a minute")
  func oneLineAMinute() async throws {
    gate.close(try await pass(), HubClosure(.access, why: "the key is refused"))
    for minute in 1...3 {
      async let next = pass()
      await clock.waitForSleepers()
      clock.advance(by: .seconds(60))
      gate.close(try await next, HubClosure(.access, why: "the key is refused"))
      #expect(lines.events == Array(repeating: "hub.paused", count: 1 + minute))
    }
    #expect(lines.levels.allSatisfy { $0 == .error })
  }

  @Test("A hub that names a time is left alone so long, by those who hear it later too")
  func obeysWaits() async throws {
    let late = try await pass()
    gate.close(try await pass(), HubClosure(.quota, wait: .seconds(5), why: "throttled"))
    gate.close(late, HubClosure(.quota, wait: .seconds(30), why: "throttled"))
    async let next = pass()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(29))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(try await next.isProbe)
    #expect(paused == [0, 1, 0])
  }

  @Test("A hub that cannot be reached is asked less and less often, and the cause may change")
  func backsOff() async throws {
    gate.close(try await pass(), HubClosure(.unreachable, why: "no connection"))
    for wait in [1, 2, 4] {
      async let next = pass()
      await clock.waitForSleepers()
      clock.advance(by: .seconds(wait) - .milliseconds(1))
      // Whoever had been let in would not sleep.
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(1))
      gate.close(try await next, HubClosure(.unreachable, why: "no connection"))
    }
    async let next = pass()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(8))
    gate.close(try await next, HubClosure(.access, why: "the key is refused"))
    #expect(paused == [1, 0, 0])
    #expect(lines.levels.last == .error)
  }

  @Test("Who was under way when the gate closed does not open it; who asks and learns nothing leaves it closed")
  func learnsNothing() async throws {
    let early = try await pass()
    gate.close(try await pass(), HubClosure(.access, why: "the key is refused"))
    gate.open(early)
    #expect(gate.closure?.cause == .access)
    async let probe = pass()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    gate.leave(try await probe)
    async let again = pass()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    #expect(try await again.isProbe)
  }

  @Test("Who waits for something that expires waits no longer")
  func deadline() async throws {
    gate.close(try await pass(), HubClosure(.access, why: "the key is refused"))
    let deadline = clock.now + .seconds(10)
    async let late = gate.enter(before: deadline)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    #expect(try await late == nil)
  }
}

/// What was logged, for a test to read and to wait for.
final class LineLog: Sendable {
  private struct State {
    var records: [LogRecord] = []
    var watchers: [(event: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func count(of event: String) -> Int { records.count { $0.event == event } }
  }

  private let state = Mutex(State())

  var sink: Logger.Sink { { record in self.add(record) } }
  var events: [String] { state.withLock { $0.records.map(\.event) } }
  var levels: [LogLevel] { state.withLock { $0.records.map(\.level) } }

  /// The field of each line with that event, as text.
  func fields(_ name: String, of event: String) -> [String] {
    state.withLock { state in
      state.records.filter { $0.event == event }.compactMap { record in
        record.fields.last { $0.name == name }.map { "\($0.value)" }
      }
    }
  }

  /// Returns when there are so many lines with that event.
  func wait(for event: String, count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.count(of: event) >= count { return true }
        state.watchers.append((event, count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func add(_ record: LogRecord) {
    let ready = state.withLock { state in
      state.records.append(record)
      let count = state.count(of: record.event)
      let ready = state.watchers.filter { $0.event == record.event && $0.count <= count }
      state.watchers.removeAll { $0.event == record.event && $0.count <= count }
      return ready
    }
    for watcher in ready { watcher.continuation.resume() }
  }
}
