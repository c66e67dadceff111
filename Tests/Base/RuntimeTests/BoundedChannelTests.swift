import Runtime
import Testing

@Suite("BoundedChannel")
struct BoundedChannelTests {
  @Test("Every value arrives once, in the order of its sender, and none waits beyond the capacity")
  func deliversOnce() async throws {
    let channel = BoundedChannel<Int>(capacity: 3)
    let received = try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for value in 0..<1000 { try await channel.send(value) }
        channel.finish()
      }
      var received: [Int] = []
      for await value in channel {
        #expect(channel.count <= 4)
        received.append(value)
      }
      try await group.waitForAll()
      return received
    }
    #expect(received == Array(0..<1000))
  }

  @Test("A sender that waits is freed by cancellation and its value is not handed over")
  func cancelsSender() async throws {
    let channel = BoundedChannel<Int>(capacity: 1)
    try await channel.send(1)
    let sender = Task { try await channel.send(2) }
    while channel.count < 2 { await Task.yield() }
    sender.cancel()
    await #expect(throws: CancellationError.self) { try await sender.value }
    channel.finish()
    #expect(await channel.receive() == 1)
    #expect(await channel.receive() == nil)
  }

  @Test("A receiver that waits is freed by cancellation, by a value and by the end")
  func freesReceiver() async throws {
    let channel = BoundedChannel<Int>(capacity: 1)
    let cancelled = Task { await channel.receive() }
    cancelled.cancel()
    #expect(await cancelled.value == nil)
    let fed = Task { await channel.receive() }
    try await channel.send(7)
    #expect(await fed.value == 7)
    let ended = Task { await channel.receive() }
    channel.finish()
    #expect(await ended.value == nil)
    await #expect(throws: CancellationError.self) { try await channel.send(8) }
  }
}
