import BuiltInHub
import Push
import Runtime
import Synchronization
import Telemetry
import TestKit
import Time

/// A hub with its store in memory, a clock that the test turns, and what it said.
final class HubHarness: Sendable {
  let clock = ManualClock(HubFixtures.noon)
  let metrics = MetricRegistry()
  let store: any HubStore
  let hub: LocalHub
  private let lines: LineList

  init(store: any HubStore = MemoryHubStore(), _ adjust: (inout LocalHub.Options) -> Void = { _ in }) {
    var options = LocalHub.Options()
    adjust(&options)
    let lines = LineList()
    self.lines = lines
    self.store = store
    let logger = Logger(level: .debug, clock: clock) { lines.append($0) }
    hub = LocalHub(
      name: "news", store: store, options: options, clock: clock, logger: logger, metrics: metrics)
  }

  /// The names of the lines that were logged.
  var events: [String] { lines.all.map(\.event) }

  /// Everything that was logged, as text.
  var log: String { lines.all.map { "\($0.event) \($0.fields)" }.joined(separator: "\n") }

  /// Runs one of the hub's services until `body` is done.
  func running(_ name: String, _ body: () async throws -> Void) async throws {
    let service = hub.services.first { $0.name == name }
    precondition(service != nil, "there is no service \(name)")
    let task = Task { try await service?.run() }
    try await body()
    task.cancel()
    _ = await task.result
  }

  /// Runs the fan-out until it has nothing to do.
  func deliver() async {
    try? await running("hub.fanout") { await clock.waitForSleepers() }
  }

  /// What waits for the device with this handle.
  func mailbox(_ handle: String) async throws -> [MailboxEvent] {
    guard let device = try await store.device(HandleDigest(of: handle)) else { return [] }
    return try await store.events(of: device, after: nil, limit: 1000, at: clock.now) ?? []
  }

  func bodies(_ handle: String) async throws -> [String] { try await mailbox(handle).map(\.body) }

  func value(_ line: String) -> String? {
    metrics.exposition().split(separator: "\n").first { $0.hasPrefix(line + " ") }.map {
      String($0.dropFirst(line.count + 1))
    }
  }
}

/// Lines that were logged.
private final class LineList: Sendable {
  private let lines = Mutex<[LogRecord]>([])
  var all: [LogRecord] { lines.withLock { $0 } }
  func append(_ line: LogRecord) { lines.withLock { $0.append(line) } }
}
