import Kafka
import Telemetry
import Testing

extension MockCluster {
  var settings: KafkaSettings { settings() }

  /// Settings by which a group soon comes to terms: whoever joins or leaves one that has members waits for the session
  /// less a second (the first waits 3 s), and the members hear of it at their next heartbeat. A shorter session ends
  /// where the machine is busy.
  func settings(_ properties: [String: String] = [:]) -> KafkaSettings {
    KafkaSettings(
      bootstrapServers: bootstrapServers,
      properties: ["session.timeout.ms": "3000", "heartbeat.interval.ms": "200"].merging(properties) { $1 }
        .mapValues { Secret($0) })
  }

  /// Writes `count` records with the values 0, 1, 2, …
  func fill(_ topic: String, count: Int, from first: Int = 0) async throws {
    let producer = try KafkaProducer(settings, logger: .silent)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in first..<(first + count) {
        group.addTask {
          try await producer.send(KafkaRecord(topic: topic, key: bytes("key-\(number)"), value: bytes("\(number)")))
        }
      }
      try await group.waitForAll()
    }
    await producer.close()
  }
}

extension KafkaConsumer {
  /// The next records, exactly so many.
  func read(_ count: Int) async throws -> [KafkaMessage] {
    var messages: [KafkaMessage] = []
    while messages.count < count, let more = try await next(limit: count - messages.count) { messages += more }
    return messages
  }
}

extension KafkaMessage {
  var text: String { value.map { String(decoding: $0, as: UTF8.self) } ?? "" }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Waits for something that another thread brings about.
func eventually(
  within limit: Duration = .seconds(30), _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < deadline else {
      Issue.record("not in time: \(what)", sourceLocation: sourceLocation)
      return
    }
    try await Task.sleep(for: .milliseconds(20))
  }
}
