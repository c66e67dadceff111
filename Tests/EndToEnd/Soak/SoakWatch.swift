import JSON
import Kafka
import News
import SQLite
import Synchronization
import Telemetry
import TestKit
import Testing

/// Watches a soak from outside: what reaches the readers, what is committed, what is put aside.
final class SoakWatch: Sendable {
  private struct State {
    var received: [Category: [SoakDelivery]] = [:]
    var sequence: Int64 = -1
    var committed: [Int32: Int64] = [:]
    var looks = 0
    var setbacks: [String] = []
    var letters: [Int: String] = [:]
    var strange: [String] = []
  }

  private let state = Mutex(State())
  private let database: Database
  private let offsets: GroupOffsets
  private let partitions: Int

  /// Watches what workers do over this store and these brokers.
  init(store: String, brokers: KafkaSettings, group: String, partitions: Int) async throws {
    database = try await Database.open(store)
    offsets = try GroupOffsets(brokers, group: group, logger: .silent)
    self.partitions = partitions
  }

  /// What each reader has, in the order of his mailbox.
  var received: [Category: [SoakDelivery]] { state.withLock { $0.received } }
  /// How much each reader has.
  var counts: [Category: Int] { state.withLock { $0.received.mapValues(\.count) } }
  /// What is committed of each partition.
  var committed: [Int32: Int64] { state.withLock { $0.committed } }
  /// How often it was asked what is committed.
  var looks: Int { state.withLock { $0.looks } }
  /// Where a committed offset moved back.
  var setbacks: [String] { state.withLock { $0.setbacks } }
  /// The stages of what was put aside, by its number.
  var letters: [Int: String] { state.withLock { $0.letters } }
  /// What cannot be understood.
  var strange: [String] { state.withLock { $0.strange } }

  /// A mailbox keeps a thousand pushes: it is read much faster than they come.
  private static let interval = Duration.milliseconds(50)

  /// Reads the mailboxes until cancelled.
  func readMailboxes() async throws {
    while !Task.isCancelled {
      try await look()
      try await Task.sleep(for: Self.interval)
    }
  }

  /// Reads what has come into the mailboxes since the last time.
  func look() async throws {
    let sequence = state.withLock { $0.sequence }
    let rows = try await database.read { db in
      try db.rows(
        """
        SELECT m.sequence, t.body FROM hub_mailbox m JOIN hub_text t ON t.id = m.text
        WHERE m.sequence > ?1 ORDER BY m.sequence, m.ordinal
        """, sequence
      ) { row in (try row[0] as Int64, try row[1] as String) }
    }
    state.withLock { state in
      for (sequence, body) in rows {
        state.sequence = max(state.sequence, sequence)
        let bytes = Array(body.utf8)
        guard let category = SoakReader.text("reader", in: bytes).flatMap(Category.init(rawValue:)),
          let delivery = SoakReader.delivery(in: bytes)
        else {
          state.strange.append(body)
          continue
        }
        state.received[category, default: []].append(delivery)
      }
    }
  }

  /// Asks again and again what is committed, until cancelled.
  func readOffsets() async throws {
    while !Task.isCancelled {
      // While no broker answers nothing is learnt.
      if let now = try? await offsets.committed(in: "articles", partitions: partitions) {
        state.withLock { state in
          state.looks += 1
          for (partition, offset) in now {
            if let earlier = state.committed[partition], offset < earlier {
              state.setbacks.append("partition \(partition) from \(earlier) to \(offset)")
            }
            state.committed[partition] = offset
          }
        }
      }
      try await Task.sleep(for: Self.interval)
    }
  }

  /// Reads what is put aside, until cancelled.
  func readLetters(_ brokers: KafkaSettings) async throws {
    let options = KafkaConsumer.Options(group: "soak-letters", topics: ["articles.dlq"])
    let consumer = try KafkaConsumer(brokers, options: options, logger: .silent)
    defer { Task { await consumer.close() } }
    while let messages = try await consumer.next(limit: 100) {
      for message in messages {
        func header(_ name: String) -> String {
          message.headers.first { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        state.withLock { state in
          if let number = Int(header("soak")) {
            state.letters[number] = header("tidings.error.stage")
          } else {
            state.strange.append("letter: \(header("tidings.error.message"))")
          }
        }
        consumer.acknowledge(message.token)
      }
    }
  }

  /// What nobody can know to be taken, of the hub of that name.
  func unknown(at outlet: String) async throws -> Int {
    try await database.read { db in
      try db.first(
        "SELECT count(*) FROM publication_part WHERE outlet = ?1 AND outcome = 'unknown'", outlet
      ) { row in try row[0] } ?? 0
    }
  }

  /// What the built-in hub has taken and not brought to its readers yet.
  func waiting() async throws -> Int {
    try await database.read { db in
      try db.first("SELECT count(*) FROM hub_notification WHERE finished IS NULL") { row in try row[0] } ?? 0
    }
  }

  func close() async { await database.close() }
}
