/// Records that wait for a transaction. Pure.
///
/// A record that belongs to one that was read leaves with that one's offset, neither before nor after: after a crash
/// both are there, or neither is and what was read comes again.
struct PendingRecords {
  struct Entry {
    let number: Int
    var record: KafkaRecord
    /// What is written in its place where the brokers find it too large.
    var substitute: KafkaRecord?
    /// The record that it belongs to; nil where it belongs to none and leaves with the next transaction.
    let origin: KafkaMessage.Token?
  }

  /// Up to where a partition is done.
  struct Mark: Hashable {
    let next: Int64
    let assignment: Int
  }

  private(set) var entries: [Entry] = []
  private var lastNumber = 0

  /// Adds a record and returns its number.
  mutating func add(_ record: KafkaRecord, substitute: KafkaRecord?, origin: KafkaMessage.Token?) -> Int {
    lastNumber += 1
    entries.append(Entry(number: lastNumber, record: record, substitute: substitute, origin: origin))
    return lastNumber
  }

  /// What leaves with the transaction that commits these marks. Forgets what belongs to records of partitions that are
  /// another's meanwhile: he reads them again.
  mutating func due(_ marks: [TopicPartition: Mark]) -> [Entry] {
    entries.removeAll { entry in
      guard let origin = entry.origin else { return false }
      return marks[TopicPartition(origin.place)]?.assignment != origin.assignment
    }
    return entries.filter { entry in
      guard let origin = entry.origin else { return true }
      return marks[TopicPartition(origin.place)].map { $0.next > origin.place.offset } ?? false
    }
  }

  /// Forgets what has left.
  mutating func remove(_ numbers: Set<Int>) { entries.removeAll { numbers.contains($0.number) } }

  /// Puts the substitute in the place of a record that is too large. False where there is none: it is forgotten.
  mutating func shorten(_ number: Int) -> Bool {
    guard let place = entries.firstIndex(where: { $0.number == number }) else { return true }
    guard let substitute = entries[place].substitute else {
      entries.remove(at: place)
      return false
    }
    entries[place].record = substitute
    entries[place].substitute = nil
    return true
  }
}
