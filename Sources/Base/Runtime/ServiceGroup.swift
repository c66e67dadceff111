internal import Synchronization
public import Telemetry
public import Time

/// Why a group of services ended.
public enum ServiceGroupError: Error, Sendable {
  /// A service could not go on.
  case failed(service: String, reason: String)
  /// Services did not end within the deadline after they were told to.
  case deadlinePassed(services: [String])
}

/// Owns the order in which services start and stop.
///
/// They start in the order given. On a signal, on the first failure, or when the service that the others wait for has
/// returned, they are stopped in reverse order, each after the ones that lean on it have ended.
public struct ServiceGroup: Sendable {
  private let services: [any Service]
  private let logger: Logger
  private let clock: any WallClock
  private let stopDeadline: Duration

  /// A group of services, the ones that others lean on first. Stopping all of them may take `stopDeadline`.
  public init(
    _ services: [any Service], stopDeadline: Duration = .seconds(30), clock: any WallClock = SystemClock(),
    logger: Logger
  ) {
    self.services = services
    self.logger = logger
    self.clock = clock
    self.stopDeadline = stopDeadline
  }

  /// Runs the services until the task is cancelled, one of `signals` arrives, `end` returns, one of the services fails,
  /// or all have returned by themselves; then stops the rest.
  public func run(
    stoppingOn signals: [ProcessSignal] = [], orAfter end: (@Sendable () async throws -> Void)? = nil
  ) async throws(ServiceGroupError) {
    let (events, stream) = AsyncStream<Event>.makeStream()
    let watch = await SignalWatch(signals) { stream.yield(.signal($0)) }
    defer { watch.stop() }
    let ending = end.map { end in
      Task {
        do { try await end() } catch { return }
        stream.yield(.enough)
      }
    }
    defer { ending?.cancel() }

    var running: [(service: any Service, task: Task<Void, Never>)] = []
    for (index, service) in services.enumerated() {
      let task = Task {
        do {
          try await service.run()
          stream.yield(.ended(index, reason: nil))
        } catch is CancellationError {
          stream.yield(.ended(index, reason: nil))
        } catch {
          stream.yield(.ended(index, reason: String(describing: error)))
        }
      }
      running.append((service, task))
      logger.debug("service.started", ["service": LogValue(service.name)])
    }

    var alive = Set(services.indices)
    var failure: ServiceGroupError?
    waiting: for await event in events {
      switch event {
      case .signal(let signal):
        logger.info("service.stopping", ["signal": LogValue(signal.name)])
        break waiting
      case .enough:
        break waiting
      case .ended(let index, let reason):
        alive.remove(index)
        if let reason {
          failure = .failed(service: services[index].name, reason: reason)
          logger.error(
            "service.failed", ["service": LogValue(services[index].name), "reason": LogValue(reason)])
          break waiting
        }
        logger.debug("service.ended", ["service": LogValue(services[index].name)])
        if alive.isEmpty { break waiting }
      }
    }
    // Leaves the loop above as well when this task is cancelled: the stream ends then.
    try await stop(running, failure: failure)
  }

  private func stop(
    _ running: [(service: any Service, task: Task<Void, Never>)], failure: ServiceGroupError?
  ) async throws(ServiceGroupError) {
    let ended = EndedServices()
    let stopping = Task {
      for (service, task) in running.reversed() {
        task.cancel()
        await task.value
        ended.insert(service.name)
      }
    }
    let inTime = await finishes(stopping, within: stopDeadline, clock: clock)
    if let failure { throw failure }
    guard inTime else {
      for (_, task) in running { task.cancel() }
      let late = running.map(\.service.name).filter { !ended.contains($0) }
      logger.error("service.deadline_passed", ["services": LogValue(late.joined(separator: ","))])
      throw .deadlinePassed(services: late)
    }
  }

  private enum Event: Sendable {
    case signal(ProcessSignal)
    case enough
    case ended(Int, reason: String?)
  }
}

/// Whether a task ends before so much time has passed. Does not cancel it.
private func finishes(_ task: Task<Void, Never>, within limit: Duration, clock: any WallClock) async -> Bool {
  let (answers, stream) = AsyncStream<Bool>.makeStream()
  let timer = Task {
    do { try await clock.sleep(for: limit) } catch { return }
    stream.yield(false)
  }
  Task {
    await task.value
    stream.yield(true)
  }
  defer { timer.cancel() }
  // Detached from the caller's own cancellation, which is usually the reason why we stop.
  return await Task {
    for await answer in answers { return answer }
    return false
  }.value
}

/// The names of the services that have ended; touched by the task that stops them and the one that reports.
private final class EndedServices: Sendable {
  private let names = Mutex<Set<String>>([])
  func insert(_ name: String) { names.withLock { _ = $0.insert(name) } }
  func contains(_ name: String) -> Bool { names.withLock { $0.contains(name) } }
}
