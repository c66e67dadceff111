internal import CRdKafka
internal import Synchronization

/// What a consumer's thread has read and others have not finished: the place where the two meet.
final class Intake: Sendable {
  fileprivate struct State {
    /// Read and not asked for yet; those before `head` are gone.
    var buffer: [KafkaMessage] = []
    var head = 0
    var marks: [TopicPartition: OffsetMarks] = [:]
    /// Where each partition ends, as the brokers said last.
    var ends: [TopicPartition: Int64] = [:]
    /// Counts the times a partition was assigned or taken: what is acknowledged of an earlier time is ignored.
    var assignment = 0
    var openCount = 0
    var openBytes = 0
    /// Whether the thread waits for room.
    var isFull = false
    var waiters: [Waiter] = []
    var nextID = 0
    var isClosed = false
    var failure: KafkaError?
    /// The client, until it has left its group.
    var client: ClientHandle?
    var status = KafkaConsumer.Status()
  }

  fileprivate struct Waiter {
    let id: Int
    let limit: Int
    let continuation: CheckedContinuation<[KafkaMessage]?, any Error>
  }

  private let messagesMax: Int
  private let bytesMax: Int
  private let wake: ConsumerWaker
  private let state = Mutex(State())

  init(messagesMax: Int, bytesMax: Int, wake: ConsumerWaker) {
    self.messagesMax = messagesMax
    self.bytesMax = bytesMax
    self.wake = wake
  }

  // MARK: For who works on records

  func next(limit: Int) async throws -> [KafkaMessage]? {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<[KafkaMessage]?, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.isClosed { return .success(nil) }
          if let failure = state.failure { return .failure(failure) }
          if state.head < state.buffer.count { return .success(state.take(limit)) }
          state.waiters.append(Waiter(id: id, limit: limit, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  func acknowledge(_ token: KafkaMessage.Token) {
    let hasRoomAgain = state.withLock { state in
      let partition = TopicPartition(token.place)
      guard let since = state.marks[partition]?.assignment, since == token.assignment,
        let bytes = state.marks[partition]?.finish(token.place.offset)
      else { return false }
      state.openCount -= 1
      state.openBytes -= bytes
      // Half of the room, so that the thread is not woken for every record.
      guard state.isFull, state.openCount <= messagesMax / 2, state.openBytes <= bytesMax / 2 else { return false }
      state.isFull = false
      return true
    }
    if hasRoomAgain { wake.wake() }
  }

  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      state.buffer = []
      state.head = 0
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
    wake.wake()
  }

  var status: KafkaConsumer.Status {
    state.withLock { state in
      var status = state.status
      status.partitions = state.marks.count
      status.inFlight = state.openCount
      status.uncommitted = state.marks.values.count { $0.uncommitted != nil }
      status.lags = state.marks.compactMap { partition, marks in
        guard let end = state.ends[partition], let next = marks.next else { return nil }
        return KafkaConsumer.Lag(
          topic: partition.topic, partition: partition.partition, records: Int(max(end - next, 0)))
      }
      return status
    }
  }

  // MARK: For the thread

  /// Records that are done behind one that is not, in one partition: so many come again after a crash.
  private static let heldBackMax = 100_000

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// How much may be read now: records, and bytes, which the last record may exceed. None when a bound is reached,
  /// until half of it is free.
  func room() -> (messages: Int, bytes: Int)? {
    state.withLock { state in
      if state.openCount >= messagesMax || state.openBytes >= bytesMax { state.isFull = true }
      // One record that takes long holds its partition's mark back, while others behind it are done.
      let isHeldBack = state.marks.values.contains { $0.heldBackCount > Self.heldBackMax }
      return state.isFull || isHeldBack ? nil : (messagesMax - state.openCount, bytesMax - state.openBytes)
    }
  }

  /// Waits until there is room, or for so long.
  func waitForRoom(milliseconds: Int32) { wake.waitForRoom(milliseconds: milliseconds) }

  /// The partitions that are assigned.
  var partitions: [TopicPartition] { state.withLock { Array($0.marks.keys) } }

  /// The time of assignment that records read now belong to; nil for a partition that is not assigned.
  func assignment(of partition: TopicPartition) -> Int? { state.withLock { $0.marks[partition]?.assignment } }

  func deliver(_ messages: [KafkaMessage]) {
    guard !messages.isEmpty else { return }
    let served = state.withLock { state -> [(Waiter, [KafkaMessage])] in
      guard !state.isClosed else { return [] }
      for message in messages {
        let partition = TopicPartition(message.place)
        let (openCount, openBytes) = (state.marks[partition]?.openCount ?? 0, state.marks[partition]?.openBytes ?? 0)
        state.marks[partition]?.handOut(message.place.offset, bytes: message.bytes)
        state.openCount += (state.marks[partition]?.openCount ?? 0) - openCount
        state.openBytes += (state.marks[partition]?.openBytes ?? 0) - openBytes
      }
      state.buffer += messages
      var served: [(Waiter, [KafkaMessage])] = []
      while !state.waiters.isEmpty && state.head < state.buffer.count {
        let waiter = state.waiters.removeFirst()
        served.append((waiter, state.take(waiter.limit)))
      }
      return served
    }
    for (waiter, messages) in served { waiter.continuation.resume(returning: messages) }
  }

  func assign(_ partitions: [TopicPartition], from starts: [TopicPartition: StartPosition] = [:]) {
    state.withLock { state in
      state.assignment += 1
      for partition in partitions {
        var marks = OffsetMarks(assignment: state.assignment)
        if let start = starts[partition] { marks.begin(at: start.offset, isCommitted: start.isCommitted) }
        state.marks[partition] = marks
      }
      state.status.hasJoined = true
      state.status.rebalances.assigned += 1
    }
  }

  func noteEnds(_ ends: [TopicPartition: Int64]) {
    state.withLock { state in
      for (partition, end) in ends where state.marks[partition] != nil { state.ends[partition] = end }
    }
  }

  /// Forgets partitions and what was read of them; `uncommitted(of:)` has told before what is to be committed.
  func revoke(_ partitions: [TopicPartition], isLost: Bool) {
    state.withLock { state in
      for partition in partitions {
        state.ends[partition] = nil
        guard let marks = state.marks.removeValue(forKey: partition) else { continue }
        state.openCount -= marks.openCount
        state.openBytes -= marks.openBytes
      }
      let gone = Set(partitions)
      state.buffer = state.buffer[state.head...].filter {
        !gone.contains(TopicPartition($0.place))
      }
      state.head = 0
      if state.openCount <= messagesMax / 2 && state.openBytes <= bytesMax / 2 { state.isFull = false }
      if isLost {
        state.status.hasJoined = false
        state.status.rebalances.lost += 1
      } else {
        state.status.rebalances.revoked += 1
      }
    }
  }

  /// The low-water marks that the broker has not confirmed.
  func uncommitted() -> [(partition: TopicPartition, offset: Int64)] {
    state.withLock { state in
      state.marks.compactMap { partition, marks in marks.uncommitted.map { (partition, $0) } }
    }
  }

  /// What a transaction is to commit: up to where each partition is done.
  struct TransactionMark {
    let next: Int64
    let assignment: Int
    let isUncommitted: Bool
  }

  func transactionMarks() -> [TopicPartition: TransactionMark] {
    state.withLock { state in
      state.marks.compactMapValues { marks in
        marks.next.map {
          TransactionMark(next: $0, assignment: marks.assignment, isUncommitted: marks.uncommitted != nil)
        }
      }
    }
  }

  /// The client whose group's offsets a transaction commits; nil once it has left.
  var client: ClientHandle? {
    get { state.withLock { $0.client } }
    set { state.withLock { $0.client = newValue } }
  }

  func confirm(_ partition: TopicPartition, _ offset: Int64) {
    state.withLock { $0.marks[partition]?.confirm(offset) }
  }

  func fail(_ error: KafkaError) {
    let waiters = state.withLock { state in
      state.failure = error
      state.status.hasJoined = false
      state.status.failure = error
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(throwing: error) }
  }

  func report(unreachable: String?, fault: String?, isPaused: Bool) {
    state.withLock { state in
      state.status.unreachableReason = unreachable
      state.status.fault = fault
      state.status.isPaused = isPaused
    }
  }
}

extension Intake.State {
  fileprivate mutating func take(_ limit: Int) -> [KafkaMessage] {
    let end = min(head + max(limit, 1), buffer.count)
    let taken = Array(buffer[head..<end])
    head = end
    // What is taken is let go in one piece once it is most of the buffer, so that taking costs the same each time.
    if head == buffer.count || head > 256 && head > buffer.count / 2 {
      buffer.removeFirst(head)
      head = 0
    }
    return taken
  }
}

/// Wakes a consumer's thread from waiting for records or for room.
///
/// Sendable because librdkafka takes these calls from any thread.
final class ConsumerWaker: @unchecked Sendable {
  private let handle: ClientHandle
  private let records: OpaquePointer?
  /// A queue that stays empty: to wait on it is to wait for being woken.
  private let room: OpaquePointer?

  init(_ handle: ClientHandle) {
    self.handle = handle
    records = rd_kafka_queue_get_consumer(handle.pointer)
    room = rd_kafka_queue_new(handle.pointer)
  }

  deinit {
    // Before the client, which the queues belong to.
    rd_kafka_queue_destroy(records)
    rd_kafka_queue_destroy(room)
  }

  func waitForRoom(milliseconds: Int32) {
    rd_kafka_queue_poll_callback(room, milliseconds)
  }

  func wake() {
    rd_kafka_queue_yield(records)
    rd_kafka_queue_yield(room)
  }
}
