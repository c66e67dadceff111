import Runtime
import TestKit
import Testing

@Suite("Permits", .timeLimit(.minutes(1)))
struct PermitsTests {
  @Test("No more are out than there are, and each who waits gets one in the end")
  func bounds() async throws {
    let permits = Permits(3)
    let crowd = Crowd()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await permits.take()
          await crowd.visit()
          permits.giveBack()
        }
      }
      try await group.waitForAll()
    }
    #expect(crowd.most <= 3)
    #expect(crowd.total == 100)
  }

  @Test("Who is cancelled in line takes none with him")
  func cancelled() async throws {
    let permits = Permits(1)
    try await permits.take()
    let waiting = Task { try await permits.take() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    permits.giveBack()
    try await permits.take()
  }
}
