internal import CLibcurl
internal import Glibc
internal import Synchronization

/// The thread that owns the multi handle and every easy handle. Nothing of libcurl's is touched anywhere else.
final class PollThread {
  private let multi: MultiHandle
  private let queue: CommandQueue
  private let options: HTTPClient.Options
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  private var idle: [EasyHandle] = []
  private var isStopping = false
  /// No transfer's deadline is earlier: bytes that come push deadlines back, so it may turn out to be early.
  private var nextDeadline: ContinuousClock.Instant?

  /// Longest sleep. Nothing depends on it: libcurl shortens it for its own timers, the queue wakes it.
  private static let sleepMax = Duration.seconds(60)

  private init(multi: MultiHandle, queue: CommandQueue, options: HTTPClient.Options) {
    self.multi = multi
    self.queue = queue
    self.options = options
  }

  /// Starts a thread that runs until the queue says stop.
  static func start(queue: CommandQueue, options: HTTPClient.Options) -> Handle {
    _ = globalInit
    guard let pointer = curl_multi_init() else { preconditionFailure("libcurl is out of memory") }
    let multi = MultiHandle(pointer: pointer)
    tidings_curl_multi_set_long(
      pointer, CURLMOPT_PIPELINING, Int(options.multiplexes ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING))
    tidings_curl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, options.idleConnectionsMax)
    tidings_curl_multi_set_long(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHostMax)
    queue.open(multi)
    let handle = Handle()
    let start = Start(multi: multi, queue: queue, options: options, handle: handle)
    let code = pthread_create(
      &handle.thread, nil,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        tidings_curl_name_thread("http")
        PollThread(multi: start.multi, queue: start.queue, options: start.options).run()
        start.handle.ended()
        return nil
      }, Unmanaged.passRetained(start).toOpaque())
    precondition(code == 0, "no thread for HTTP: \(String(cString: strerror(code)))")
    return handle
  }

  /// Once for the process, as libcurl asks.
  private static let globalInit: Void = {
    precondition(curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK, "libcurl cannot be initialised")
  }()

  private final class Start {
    let multi: MultiHandle
    let queue: CommandQueue
    let options: HTTPClient.Options
    let handle: Handle

    init(multi: MultiHandle, queue: CommandQueue, options: HTTPClient.Options, handle: Handle) {
      self.multi = multi
      self.queue = queue
      self.options = options
      self.handle = handle
    }
  }

  private func run() {
    var running: Int32 = 0
    while true {
      for command in queue.takeAll() { obey(command) }
      if isStopping { break }
      curl_multi_perform(multi.pointer, &running)
      finishDone()
      expire()
      if isStopping { break }
      curl_multi_poll(multi.pointer, nil, 0, milliseconds(until: nextDeadline), nil)
    }
    end()
  }

  private func obey(_ command: CommandQueue.Command) {
    switch command {
    case .start(let transfer): start(transfer)
    case .cancel(let transfer): fail(transfer, .cancelled)
    case .resume(let transfer):
      guard transfers[ObjectIdentifier(transfer)] != nil else { return }
      transfer.resume(now: .now)
      watch(transfer, now: .now)
    case .stop: isStopping = true
    }
  }

  private func start(_ transfer: Transfer) {
    guard !transfer.isCancelled.load(ordering: .acquiring) else {
      queue.requestEnded()
      return transfer.receiver.fail(.cancelled)
    }
    guard let easy = idle.popLast() ?? EasyHandle() else { preconditionFailure("libcurl is out of memory") }
    let now = ContinuousClock.now
    transfer.prepare(easy, now: now)
    transfers[ObjectIdentifier(transfer)] = transfer
    curl_multi_add_handle(multi.pointer, easy.pointer)
    watch(transfer, now: now)
  }

  private func finishDone() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi.pointer, &left) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      // The message is gone once its handle is removed.
      let code = tidings_curl_message_result(message)
      guard let easy = tidings_curl_message_easy(message), let transfer = Transfer.of(easy) else { continue }
      // The place is free before the caller hears of the end: his next request may need it.
      queue.requestEnded()
      transfer.complete(code)
      remove(transfer)
    }
  }

  private func expire() {
    let now = ContinuousClock.now
    guard let due = nextDeadline, due <= now else { return }
    nextDeadline = nil
    for transfer in Array(transfers.values) { watch(transfer, now: now) }
  }

  private func watch(_ transfer: Transfer, now: ContinuousClock.Instant) {
    switch transfer.patience(now: now) {
    case .ended(let error): fail(transfer, error)
    case .until(let time): nextDeadline = min(nextDeadline ?? time, time)
    case .endless: return
    }
  }

  private func fail(_ transfer: Transfer, _ error: HTTPClientError) {
    guard transfers[ObjectIdentifier(transfer)] != nil else { return }
    queue.requestEnded()
    transfer.fail(error)
    remove(transfer)
  }

  private func remove(_ transfer: Transfer) {
    transfers[ObjectIdentifier(transfer)] = nil
    guard let easy = transfer.release() else { return }
    curl_multi_remove_handle(multi.pointer, easy.pointer)
    easy.reset()
    if idle.count < options.idleConnectionsMax { idle.append(easy) }
  }

  private func end() {
    for transfer in Array(transfers.values) { fail(transfer, .closed) }
    for case .start(let transfer) in queue.close() { transfer.receiver.fail(.closed) }
    idle = []
    curl_multi_cleanup(multi.pointer)
  }

  private func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    let wait = min(deadline.map { $0 - .now } ?? Self.sleepMax, Self.sleepMax)
    guard wait > .zero else { return 0 }
    // Rounded up: to wake a moment early would spin.
    return Int32(wait / .milliseconds(1)) + 1
  }
}

extension PollThread {
  /// The way to wait for the thread's end. Sendable because `thread` is written before the handle is handed out.
  final class Handle: @unchecked Sendable {
    fileprivate var thread = pthread_t()
    private let state = Mutex(State())

    private struct State {
      var isEnded = false
      var isJoined = false
      var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Nobody asked to wait: the thread's remains are the system's.
    deinit {
      if !state.withLock({ $0.isJoined }) { pthread_detach(thread) }
    }

    /// Returns when the thread has ended, without blocking one meanwhile.
    func join() async {
      await withCheckedContinuation { continuation in
        let isEnded = state.withLock { state in
          if !state.isEnded { state.waiters.append(continuation) }
          return state.isEnded
        }
        if isEnded { continuation.resume() }
      }
      let isFirst = state.withLock { state in
        defer { state.isJoined = true }
        return !state.isJoined
      }
      if isFirst { pthread_join(thread, nil) }
    }

    fileprivate func ended() {
      let waiters = state.withLock { state in
        state.isEnded = true
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
  }
}

/// An easy handle and the buffer for its last error, freed with the object.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  init?() {
    guard let pointer = curl_easy_init() else {
      errorText.deallocate()
      return nil
    }
    self.pointer = pointer
    reset()
  }

  deinit {
    curl_easy_cleanup(pointer)
    errorText.deallocate()
  }

  /// Forgets all options; the connections belong to the multi handle and live on.
  func reset() {
    curl_easy_reset(pointer)
    errorText.pointee = 0
    tidings_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
  }

  /// libcurl's words for the last failure; it may leave none.
  func reason(_ code: CURLcode) -> String {
    errorText.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
  }
}
