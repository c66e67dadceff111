import Runtime
import TestKit
import Testing
import Time

@Suite("Broadcast", .timeLimit(.minutes(1)))
struct BroadcastTests {
  let broadcast = Broadcast()
  let clock = ManualClock()

  @Test("All who wait hear of a change, those too who looked before it and wait after it")
  func everyone() async throws {
    let seen = broadcast.round
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await broadcast.wait(past: seen, until: clock.now + .seconds(60), clock: clock)
        }
      }
      await Task.yield()
      broadcast.send()
      try await group.waitForAll()
    }
    #expect(clock.sleeperCount == 0)
  }

  @Test("Nobody waits past his deadline, or once he is cancelled")
  func ends() async throws {
    let deadline = clock.now + .seconds(60)
    let waiting = Task { try await broadcast.wait(past: broadcast.round, until: deadline, clock: clock) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    try await waiting.value
    let cancelled = Task {
      try await broadcast.wait(past: broadcast.round, until: deadline + .seconds(60), clock: clock)
    }
    await clock.waitForSleepers()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }
}
