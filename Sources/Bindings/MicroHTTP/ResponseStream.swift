internal import CMicroHTTPD
import Synchronization

/// A body that is written as time goes by: Server-Sent Events, for instance. It costs a task, not a thread.
public struct ResponseStream: Sendable {
  /// Bytes that keep a silent stream alive and find out that its client has left.
  public struct Heartbeat: Sendable {
    let every: Duration
    let bytes: [UInt8]

    /// Sends `bytes` whenever nothing else was sent for `every`.
    public init(every: Duration, bytes: [UInt8]) {
      self.every = every
      self.bytes = bytes
    }
  }

  let lifetime: Duration
  let heartbeat: Heartbeat?
  let produce: @Sendable (ResponseWriter) async throws -> Void

  /// A stream that `produce` writes. It ends when `produce` returns; when `lifetime` is over; when the client is gone;
  /// when the server stops. In the last three cases the task that runs `produce` is cancelled and its next write throws
  /// `StreamEnd`. When `produce` throws anything else, the connection breaks off, so that the client knows.
  public init(
    lifetime: Duration, heartbeat: Heartbeat? = nil,
    produce: @escaping @Sendable (ResponseWriter) async throws -> Void
  ) {
    self.lifetime = lifetime
    self.heartbeat = heartbeat
    self.produce = produce
  }
}

/// Why a stream takes no more bytes.
public enum StreamEnd: Error, Sendable, Hashable {
  /// The client closed its side.
  case clientGone
  /// The stream lived as long as it was allowed to.
  case lifetimeOver
  /// The server is about to stop.
  case stopping
}

/// The writing end of a streamed body. Any task may write; each write arrives whole and in order.
public final class ResponseWriter: Sendable {
  private struct State {
    var pending: [UInt8] = []
    var sent = 0
    var sleeping: SleepingConnection?
    var waiting: [CheckedContinuation<Void, Never>] = []
    var end: StreamEnd?
    var finish: Finish?
    var lastActivity: ContinuousClock.Instant
    var producer: Task<Void, Never>?

    var unsent: Int { pending.count - sent }
  }

  private enum Finish { case clean, broken }

  private let state: Mutex<State>
  private let stream: ResponseStream
  private let bytesMax: Int
  private let socket: Int32
  let deadline: ContinuousClock.Instant

  init(_ stream: ResponseStream, bytesMax: Int, socket: Int32, now: ContinuousClock.Instant) {
    self.stream = stream
    self.bytesMax = bytesMax
    self.socket = socket
    deadline = now + stream.lifetime
    state = Mutex(State(lastActivity: now))
  }

  /// Hands `bytes` to the client, after waiting until fewer than `Limits.streamBytesMax` are on their way. The wait
  /// ends with the stream, and that has a lifetime.
  public func write(_ bytes: [UInt8]) async throws(StreamEnd) {
    while true {
      var ended: StreamEnd?
      let taken = state.withLock { state in
        ended = state.end
        guard ended == nil, state.unsent < bytesMax else { return false }
        Self.append(bytes, to: &state)
        return true
      }
      if let ended { throw ended }
      if taken { return }
      await withCheckedContinuation { continuation in
        let now = state.withLock { state in
          guard state.end == nil, state.unsent >= bytesMax else { return true }
          state.waiting.append(continuation)
          return false
        }
        if now { continuation.resume() }
      }
    }
  }

  /// Runs the producer. Separate from `init`, because a HEAD request has a stream that nobody reads.
  func start() {
    let task = Task { [self] in
      do {
        try await stream.produce(self)
        finish(.clean)
      } catch is StreamEnd, is CancellationError {
        finish(.clean)
      } catch {
        finish(.broken)
      }
    }
    let ended = state.withLock { state in
      state.producer = task
      return state.end != nil
    }
    if ended { task.cancel() }
  }

  /// Ends the stream; what was written before is still sent unless the client is gone.
  func close(_ end: StreamEnd) {
    let (waiting, producer) = state.withLock { state in
      guard state.end == nil else { return ([CheckedContinuation<Void, Never>](), Task<Void, Never>?.none) }
      state.end = end
      defer { state.waiting = [] }
      Self.wake(&state)
      return (state.waiting, state.finish == nil ? state.producer : nil)
    }
    waiting.forEach { $0.resume() }
    producer?.cancel()
  }

  /// Whether an end was declared: what is left is to flush.
  var isEnding: Bool { state.withLock { $0.end != nil } }

  /// Sends the heartbeat if the stream has been silent for that long.
  func beat(_ now: ContinuousClock.Instant) {
    guard let heartbeat = stream.heartbeat else { return }
    state.withLock { state in
      guard state.end == nil, state.finish == nil, state.unsent == 0,
        state.lastActivity.duration(to: now) >= heartbeat.every
      else { return }
      Self.append(heartbeat.bytes, to: &state)
    }
  }

  /// Fills the library's buffer, or suspends `connection` until there is something to fill it with. Runs on the thread
  /// that serves the connection. Returns how many bytes, or one of the library's two ends.
  func read(into buffer: UnsafeMutableRawBufferPointer, of connection: OpaquePointer) -> Int {
    var waiting: [CheckedContinuation<Void, Never>] = []
    var gone = false
    let count = state.withLock { state in
      if state.unsent > 0 {
        if clientHasLeft() {
          gone = true
          return mhd_end_with_error
        }
        let count = min(buffer.count, state.unsent)
        buffer.copyBytes(from: state.pending[state.sent..<state.sent + count])
        state.sent += count
        if state.unsent == 0 {
          state.pending.removeAll(keepingCapacity: state.pending.capacity <= 4096)
          state.sent = 0
        }
        state.lastActivity = .now
        if state.unsent < bytesMax {
          waiting = state.waiting
          state.waiting = []
        }
        return count
      }
      switch state.finish {
      case .clean: return mhd_end_of_stream
      case .broken: return mhd_end_with_error
      case nil:
        if state.end != nil { return mhd_end_of_stream }
        state.sleeping = SleepingConnection(suspending: connection)
        return 0
      }
    }
    if gone { close(.clientGone) }
    waiting.forEach { $0.resume() }
    return count
  }

  private func finish(_ finish: Finish) {
    state.withLock { state in
      state.finish = finish
      state.producer = nil
      Self.wake(&state)
    }
  }

  private static func append(_ bytes: [UInt8], to state: inout State) {
    state.pending.append(contentsOf: bytes)
    wake(&state)
  }

  private static func wake(_ state: inout State) {
    state.sleeping?.wake()
    state.sleeping = nil
  }

  /// Whether the client has closed its sending side. A browser that goes away does exactly that; waiting for a failed
  /// write instead would take two heartbeats, since the first one still fits the kernel's buffer.
  private func clientHasLeft() -> Bool { mhd_peer_has_left(socket) != 0 }
}
