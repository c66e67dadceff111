internal import CMicroHTTPD
import Glibc
import Synchronization

/// The running library with its connections, and the thread that watches their deadlines.
///
/// Sendable because `handle` and `startupLog` are set once, before the watching thread starts, and only that thread uses
/// them afterwards; the rest is constant or under a lock.
final class Daemon: @unchecked Sendable {
  private struct Stop {
    var deadline: ContinuousClock.Instant?
    var isOver = false
    var waiting: [@Sendable () -> Void] = []
  }

  let limits: Limits
  let isSecure: Bool
  let refuse: HTTPServer.Refuse
  let handler: HTTPServer.Handler
  /// No new connections and streams: the server is about to stop.
  let isDraining = Atomic<Bool>(false)
  /// No suspended connections any more: the library aborts the process if it is stopped with one.
  let isClosing = Atomic<Bool>(false)
  private let connections: OpenConnections
  private let stopping = Mutex(Stop())
  private let wake: Int32
  private var handle: OpaquePointer?
  private var startupLog: UnsafeMutablePointer<mhd_startup_log>?

  /// How exactly deadlines and heartbeats are kept.
  private static let tick: Duration = .milliseconds(200)
  /// How often a draining server looks whether it is done.
  private static let drainingTick: Duration = .milliseconds(5)
  /// What a stopping server gives its last answers (503) to leave.
  private static let farewell: Duration = .milliseconds(100)

  init(limits: Limits, isSecure: Bool, refuse: @escaping HTTPServer.Refuse, handler: @escaping HTTPServer.Handler) {
    self.limits = limits
    self.isSecure = isSecure
    self.refuse = refuse
    self.handler = handler
    connections = OpenConnections(limits)
    wake = mhd_new_wakeup()
  }

  deinit { close(wake) }

  /// Starts the library on `descriptor`, which it owns from here on, and the watching thread.
  func start(on descriptor: Int32, tls: TLSIdentity?) throws(HTTPServerError) {
    let log = UnsafeMutablePointer<mhd_startup_log>.allocate(capacity: 1)
    log.initialize(to: mhd_startup_log())
    log.pointee.listening = 1
    // The library keeps this pointer and the daemon for as long as it runs.
    let context = Unmanaged.passRetained(self)
    var settings = mhd_settings()
    settings.listen_fd = descriptor
    settings.threads = UInt32(limits.threads)
    settings.connections = UInt32(limits.connectionsMax)
    settings.idle_seconds = UInt32(max(1, limits.idleTime.components.seconds))
    settings.connection_memory = max(16 * 1024, 2 * limits.headerBytesMax)
    settings.context = context.toOpaque()
    settings.accept = connectionOffered
    settings.target = targetArrived
    settings.request = requestArrived
    settings.completed = requestCompleted
    settings.connection = connectionChanged
    settings.log = log
    handle = Self.withPEM(tls) { certificate, key in
      settings.certificate = certificate
      settings.key = key
      return mhd_start(&settings)
    }
    mhd_close_startup_log(log)
    guard handle != nil else {
      let said = withUnsafeBytes(of: &log.pointee.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      log.deallocate()
      // The socket is left alone: on most of its failures the library has closed it, and by now its number may be
      // somebody else's.
      context.release()
      throw .library(said.isEmpty ? "libmicrohttpd did not start" : said.split(separator: "\n").joined(separator: " "))
    }
    startupLog = log
    watch()
  }

  private static func withPEM<R>(
    _ tls: TLSIdentity?, _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> R
  ) -> R {
    guard let tls else { return body(nil, nil) }
    return tls.certificate.withCString { certificate in tls.key.withCString { body(certificate, $0) } }
  }

  /// Begins to stop, once; `then` runs when all is closed.
  func stop(within time: Duration, then: @escaping @Sendable () -> Void) {
    let over = stopping.withLock { stop in
      if stop.isOver { return true }
      stop.waiting.append(then)
      let deadline = ContinuousClock.now + time
      stop.deadline = min(stop.deadline ?? deadline, deadline)
      return false
    }
    if over { then() } else { signal() }
  }

  /// Whether somebody may connect.
  func admits(_ peer: PeerAddress) -> Bool {
    !isDraining.load(ordering: .relaxed) && connections.admit(peer)
  }

  func opened(_ connection: Connection) {
    if connections.insert(connection) { signal() }
  }

  func closed(_ connection: Connection) {
    connection.forget()
    connections.remove(connection)
  }

  // MARK: the watching thread

  private func watch() {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self).toOpaque()
    let failed = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Daemon>.fromOpaque(context!).takeRetainedValue().watchUntilStopped()
        return nil
      }, context)
    precondition(failed == 0, "the system has no thread left to watch an HTTP server")
    pthread_detach(thread)
  }

  private func watchUntilStopped() {
    while true {
      let open = connections.all
      let now = ContinuousClock.now
      open.forEach { $0.enforce(now, grace: limits.idleTime) }
      if let deadline = stopping.withLock({ $0.deadline }) {
        isDraining.store(true, ordering: .sequentiallyConsistent)
        open.forEach { $0.stop(force: false) }
        if now >= deadline || !open.contains(where: \.isBusy) { break }
        sleep(Self.drainingTick)
      } else {
        sleep(open.isEmpty ? nil : Self.tick)
      }
    }
    closeAll()
  }

  private func closeAll() {
    isClosing.store(true, ordering: .sequentiallyConsistent)
    connections.all.forEach { $0.stop(force: true) }
    let last = ContinuousClock.now + Self.farewell
    while ContinuousClock.now < last, connections.areBusy {
      sleep(Self.drainingTick)
    }
    MHD_stop_daemon(handle)
    handle = nil
    startupLog?.deallocate()
    let waiting = stopping.withLock { stop in
      stop.isOver = true
      defer { stop.waiting = [] }
      return stop.waiting
    }
    waiting.forEach { $0() }
    // What `start` gave the library.
    Unmanaged.passUnretained(self).release()
  }

  private func sleep(_ time: Duration?) {
    var request = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
    let milliseconds = time.map { Int32($0 / .milliseconds(1)) } ?? -1
    guard poll(&request, 1, milliseconds) > 0 else { return }
    var count: UInt64 = 0
    _ = read(wake, &count, MemoryLayout<UInt64>.size)
  }

  private func signal() {
    var one: UInt64 = 1
    _ = write(wake, &one, MemoryLayout<UInt64>.size)
  }
}
