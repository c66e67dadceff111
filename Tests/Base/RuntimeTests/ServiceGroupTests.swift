import Glibc
import Runtime
import Synchronization
import Telemetry
import TestKit
import Testing
import Time

@Suite("ServiceGroup")
struct ServiceGroupTests {
  /// What the services did, in order.
  final class Diary: Sendable {
    private let lines = Mutex<[String]>([])
    func write(_ line: String) { lines.withLock { $0.append(line) } }
    var text: [String] { lines.withLock { $0 } }
  }

  struct Broken: Error {}

  /// Lives until cancelled, then says so.
  func living(_ name: String, _ diary: Diary, _ started: BoundedChannel<String>) -> ClosureService {
    ClosureService(name) {
      try await started.send(name)
      _ = await BoundedChannel<Void>(capacity: 1).receive()
      diary.write(name)
    }
  }

  @Test("Services stop in reverse order, each after the one that leans on it")
  func reverseOrder() async throws {
    let diary = Diary()
    let started = BoundedChannel<String>(capacity: 3)
    let group = ServiceGroup(["store", "hub", "feeds"].map { living($0, diary, started) }, logger: .silent)
    let running = Task { try await group.run() }
    for _ in 0..<3 { _ = await started.receive() }
    running.cancel()
    try await running.value
    #expect(diary.text == ["feeds", "hub", "store"])
  }

  @Test("A signal stops every group that listens, as soon as its services run", arguments: ProcessSignal.allCases)
  func signal(signal: ProcessSignal) async throws {
    // Again and again: a listener that comes must not lose to one that went.
    for _ in 0..<50 {
      let diary = Diary()
      let started = BoundedChannel<String>(capacity: 3)
      let groups = (0..<2).map { _ in
        let group = ServiceGroup([living("a", diary, started)], logger: .silent)
        return Task { try await group.run(stoppingOn: [signal]) }
      }
      for _ in groups { _ = await started.receive() }
      kill(getpid(), signal == .terminate ? SIGTERM : SIGINT)
      for group in groups { try await group.value }
      #expect(diary.text == ["a", "a"])
    }
  }

  @Test("A service that fails stops the others and is named")
  func failure() async throws {
    let diary = Diary()
    let started = BoundedChannel<String>(capacity: 3)
    let group = ServiceGroup(
      [
        living("a", diary, started),
        ClosureService("b") {
          _ = await started.receive()
          throw Broken()
        },
      ], logger: .silent)
    do {
      try await group.run()
      Issue.record("the group has to fail")
    } catch .failed(let service, let reason) {
      #expect(service == "b")
      #expect(reason.contains("Broken"))
    } catch {
      Issue.record(error)
    }
    #expect(diary.text == ["a"])
  }

  @Test("A group ends by itself when all its services have returned")
  func allReturned() async throws {
    try await ServiceGroup([ClosureService("a") {}, ClosureService("b") {}], logger: .silent).run()
  }

  @Test("A service that does not stop in time is named")
  func deadline() async throws {
    let clock = ManualClock()
    let started = BoundedChannel<Void>(capacity: 1)
    let release = BoundedChannel<Void>(capacity: 1)
    let stubborn = ClosureService("stubborn") {
      try await started.send(())
      // Not even cancellation moves it.
      await Task.detached { _ = await release.receive() }.value
    }
    let running = Task {
      try await ServiceGroup([stubborn], stopDeadline: .seconds(30), clock: clock, logger: .silent).run()
    }
    _ = await started.receive()
    running.cancel()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    do {
      try await running.value
      Issue.record("the deadline has passed")
    } catch ServiceGroupError.deadlinePassed(let services) {
      #expect(services == ["stubborn"])
    }
    release.finish()
  }
}
