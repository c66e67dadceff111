import Glibc
import JSON
import Kafka
import News
import Synchronization
import Telemetry
import TestKit
import Testing
import Time

/// A soak under way: an editor who follows a plan, workers that are killed and started, a broker and a hub that fail.
final class Soak: Sendable {
  static let partitions = 16
  static let group = "tidings"
  static let far = "far"

  private struct State {
    var first: Worker?
    var second: Worker?
    var told: [Category: Int] = [:]
    /// What readers had to have when something broke last.
    var toldBeforeFault: [Category: Int] = [:]
    var ends: [Int32: Int64] = [:]
    var faults: [String: Int] = [:]
    var faultyEndings: [String] = []
  }

  let plan: SoakPlan
  let watch: SoakWatch
  let hub: BusyHub
  private let folder: Folder
  private let broker: MockCluster
  private let clock: SteppingClock
  private let brokerIsDownFor: Duration
  private let producer: KafkaProducer
  private let state = Mutex(State())

  /// Readers are registered, nothing runs yet.
  init(_ plan: SoakPlan, brokerIsDownFor: Duration) async throws {
    self.plan = plan
    self.brokerIsDownFor = brokerIsDownFor
    folder = try Folder()
    broker = try MockCluster()
    try broker.createTopic("articles", partitions: Self.partitions)
    hub = try BusyHub()
    clock = try await SteppingClock(in: folder)
    producer = try KafkaProducer(Self.settings(broker.bootstrapServers), logger: .silent)
    let text = Self.configuration(of: nil, in: folder, brokers: broker.bootstrapServers, hub: hub.url)
    let registrar = try Worker(configuration: folder.write(text, to: "registrar.yaml"))
    let address = try await registrar.address()
    for category in Category.allCases { try await SoakReader.register(category, at: address) }
    #expect(await registrar.stop() == .exited(0))
    watch = try await SoakWatch(
      store: "\(folder.path)/tidings.db", brokers: Self.settings(broker.bootstrapServers),
      group: Self.group, partitions: Self.partitions)
  }

  /// What broke, and how often.
  var faults: [String: Int] { state.withLock { $0.faults } }
  /// Workers that did not end as they should.
  var faultyEndings: [String] { state.withLock { $0.faultyEndings } }

  /// A group of the mock cluster comes to terms in twice the session. A broker that goes down there leaves some
  /// connections open and silent, of which librdkafka makes sure for a minute unless it is told otherwise.
  private static let clientProperties = [
    "session.timeout.ms": "3000", "heartbeat.interval.ms": "300", "socket.timeout.ms": "5000",
  ]

  private static func settings(_ brokers: String) -> KafkaSettings {
    KafkaSettings(bootstrapServers: brokers, properties: clientProperties.mapValues { Secret($0) })
  }

  /// The members of the group say who they are, or not: both have to do. Without a name it only registers readers.
  private static func configuration(of member: String?, in folder: Folder, brokers: String, hub: String) -> String {
    let properties = clientProperties.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(
      separator: ", ")
    let isStatic = member == "first"
    return """
      roles: [\(member == nil ? "" : "publish, ")hub]
      kafka:
        bootstrapServers: \(member == nil ? "null" : brokers)
        group: \(group)
        properties: {\(properties)\(isStatic ? ", group.instance.id: first" : "")}
      publisher: {corrections: send}
      hubs:
        - kind: builtin
          name: news
          accessRules:
            - {name: DefaultListenSharedAccessSignature, key: \(Worker.listenKey), rights: [Listen]}
        - kind: azure
          name: \(far)
          connectionString: "Endpoint=\(hub);SharedAccessKeyName=Send;SharedAccessKey=\(Worker.fullKey)"
      store: {sqlite: "\(folder.path)/tidings.db"}
      server: {port: 0, operationsPort: 0}
      logging: {level: \(member == nil ? "info" : "warning"), format: json}
      """
  }

  private func start(_ member: String) throws -> Worker {
    let text = Self.configuration(of: member, in: folder, brokers: broker.bootstrapServers, hub: hub.url)
    return try Worker(configuration: folder.write(text, to: "\(member).yaml"), environment: clock.environment)
  }

  /// Follows the plan until everything in it has come to its end.
  func run() async throws {
    let first = try start("first")
    state.withLock { $0.first = first }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [watch] in do { try await watch.readMailboxes() } catch is CancellationError {} }
      group.addTask { [watch] in do { try await watch.readOffsets() } catch is CancellationError {} }
      group.addTask { [watch, broker] in
        let brokers = Self.settings(broker.bootstrapServers)
        do { try await watch.readLetters(brokers) } catch is CancellationError {}
      }
      try await follow()
      group.cancelAll()
      try await group.waitForAll()
    }
    await producer.close()
    await end(state.withLock { $0.first }, "the first")
    await end(state.withLock { $0.second }, "the second")
    try await watch.look()
  }

  private func end(_ worker: Worker?, _ name: String) async {
    guard let worker else { return }
    let ending = await worker.stop()
    guard ending != .exited(0) else { return }
    let last = worker.process.lines(.errors).suffix(5)
    state.withLock { $0.faultyEndings.append("\(name): \(ending): \(last)") }
  }
}

// MARK: - The editor

extension Soak {
  /// So many records are written side by side, those of one key one after the other.
  private static let lanes = 32
  private static let batch = 128
  /// A reader's mailbox keeps a thousand: no more than this are on their way to him.
  private static let onTheirWayMax = 600

  private func follow() async throws {
    try await withThrowingTaskGroup(of: Void.self) { mending in
      var waiting: [SoakRecord] = []
      for step in plan.steps {
        switch step {
        case .write(let record):
          waiting.append(record)
          // The last before a fault are kept back.
          guard waiting.count >= 3 * Self.batch else { continue }
          try await write(Array(waiting.prefix(Self.batch)))
          waiting.removeFirst(Self.batch)
        case .fault(let fault):
          // What was told before the last fault has survived it, and as this one comes others are on their way.
          let needed = state.withLock { $0.toldBeforeFault }
          try await wait("what was told before a fault") { counts in
            needed.allSatisfy { counts[$0.key, default: 0] >= $0.value }
          }
          try await write(waiting)
          waiting = []
          state.withLock { state in
            state.toldBeforeFault = state.told
            state.faults[fault.name, default: 0] += 1
          }
          try await perform(fault, mending: &mending)
        }
      }
      try await write(waiting)
      try await mending.waitForAll()
    }
    try await settle()
  }

  private func write(_ records: [SoakRecord]) async throws {
    let told = state.withLock { $0.told }
    try await wait("the readers") { counts in
      told.allSatisfy { $0.value - counts[$0.key, default: 0] < Self.onTheirWayMax }
    }
    var lanes = [[SoakRecord]](repeating: [], count: Self.lanes)
    for record in records {
      let sum = record.key?.utf8.reduce(5381) { ($0 &* 33) ^ Int($1) } ?? 0
      lanes[Int(UInt(bitPattern: sum) % UInt(Self.lanes))].append(record)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in lanes where !lane.isEmpty {
        group.addTask { for record in lane { try await self.write(record) } }
      }
      try await group.waitForAll()
    }
    state.withLock { state in
      for record in records { for category in record.told { state.told[category, default: 0] += 1 } }
    }
  }

  private func write(_ record: SoakRecord) async throws {
    var headers: [KafkaHeader] = []
    if case .poison(let number, _) = record.content { headers.append(KafkaHeader("soak", String(number))) }
    let place = try await producer.send(
      KafkaRecord(
        topic: "articles", key: record.key.map { Array($0.utf8) }, value: record.value(at: SystemClock().now),
        headers: headers))
    state.withLock { $0.ends[place.partition] = max($0.ends[place.partition] ?? 0, place.offset + 1) }
  }
}

// MARK: - What breaks

extension Soak {
  /// How long the hub is busy or away: long enough that the worker asks it in vain a few times.
  private static let hubPause = Duration.seconds(2)

  private func perform(_ fault: SoakFault, mending: inout ThrowingTaskGroup<Void, any Error>) async throws {
    switch fault {
    case .firstIsKilled:
      try await kill(\.first, "first")
    case .secondJoins:
      let second = try start("second")
      state.withLock { $0.second = second }
    case .secondIsKilled:
      try await kill(\.second, "second")
    case .secondLeaves:
      let second = state.withLock { state in
        defer { state.second = nil }
        return state.second
      }
      mending.addTask { await self.end(second, "the second") }
    case .brokerIsDown:
      mending.addTask { [broker, brokerIsDownFor] in
        try broker.setBroker(1, isUp: false)
        try await Task.sleep(for: brokerIsDownFor)
        try broker.setBroker(1, isUp: true)
      }
    case .requestsFail(let apiKey, let codes):
      broker.failRequests(apiKey: apiKey, with: codes)
    case .hubAnswers(let status):
      hub.refuse(with: status, for: Self.hubPause)
    case .hubRefuses:
      mending.addTask { [hub] in try await hub.goAway(for: Self.hubPause) }
    case .clockShows(let seconds):
      clock.show(ahead: .seconds(seconds))
    }
  }

  private func kill(_ place: any WritableKeyPath<State, Worker?> & Sendable, _ member: String) async throws {
    guard let worker = state.withLock({ $0[keyPath: place] }) else { return }
    worker.process.signal(SIGKILL)
    let ending = await worker.process.ending()
    if ending != .killed(SIGKILL) {
      let last = worker.process.lines(.errors).suffix(5)
      state.withLock { $0.faultyEndings.append("\(member) ended before it was killed: \(ending): \(last)") }
    }
    let next = try start(member)
    state.withLock { $0[keyPath: place] = next }
  }
}

// MARK: - Waiting

extension Soak {
  /// Nothing takes longer: a broker that is down, and two sessions until a dead member's partitions are another's.
  private static let patience = Duration.seconds(90)

  /// How a soak that stands still says what it waits for.
  struct Stalled: Error, CustomStringConvertible {
    let description: String
  }

  private func wait(
    _ what: String, for condition: @Sendable ([Category: Int]) async throws -> Bool
  ) async throws {
    var deadline = ContinuousClock.now + Self.patience
    var counts = watch.counts
    while !(try await condition(counts)) {
      try await Task.sleep(for: .milliseconds(20))
      let now = watch.counts
      if now != counts { deadline = ContinuousClock.now + Self.patience }
      counts = now
      guard ContinuousClock.now < deadline else { throw Stalled(description: "\(what): \(standing())") }
    }
  }

  /// Waits until all is read, committed, brought to the readers and put aside.
  private func settle() async throws {
    let ends = state.withLock { $0.ends }
    try await wait("the end") { [watch, plan] counts in
      watch.committed == ends && watch.letters.count >= plan.poison.count
        && plan.expected.allSatisfy { counts[$0.key, default: 0] >= $0.value.count }
    }
    // Whatever came twice or too much is there by then, too.
    try await wait("the built-in hub") { [watch] _ in try await watch.waiting() == 0 }
  }

  /// How things are, for whoever looks into a soak that went wrong.
  func standing() -> String {
    let (ends, told, workers) = state.withLock { ($0.ends, $0.told, [$0.first, $0.second]) }
    let committed = watch.committed
    let behind = ends.filter { committed[$0.key] != $0.value }.map {
      "\($0.key): \(committed[$0.key] ?? -1)/\($0.value)"
    }
    let (counts, received) = (watch.counts, watch.received)
    let lost = plan.expected.map { category, expected in
      "\(category.rawValue) \(Set(expected).subtracting(received[category] ?? []).map(\.description).prefix(3).joined(separator: ", "))"
    }
    let missing = Category.allCases.map { category in
      "\(category.rawValue) \(counts[category] ?? 0) of \(told[category] ?? 0) told, "
        + "\(plan.expected[category]?.count ?? 0) in all"
    }
    let logs = workers.compactMap { $0?.process.lines(.errors).suffix(15).joined(separator: "\n") }
    return """
      readers: \(missing); offsets behind: \(behind.sorted()); letters \(watch.letters.count) of \(plan.poison.count); \
      faults \(faults); strange \(watch.strange.prefix(3)); lost \(lost)
      \(logs.joined(separator: "\n---\n"))
      """
  }
}
