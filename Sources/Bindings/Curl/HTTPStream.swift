internal import Synchronization

/// An answer whose body is read while it comes. Reading slowly slows the server down: at most
/// ``bufferBytesMax`` wait here. One reader; letting go of the stream ends the request.
public struct HTTPStream: AsyncSequence, Sendable {
  /// Status and headers.
  public let head: HTTPResponseHead
  private let reader: StreamReader

  /// Bytes that wait for the reader before the server is made to wait.
  public static let bufferBytesMax = 64 << 10

  init(head: HTTPResponseHead, buffer: StreamBuffer) {
    self.head = head
    reader = StreamReader(buffer)
  }

  /// Reads the body's bytes, in whatever pieces they come.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

  /// Ends the request; a reader that waits gets ``HTTPClientError/cancelled``.
  public func cancel() { reader.buffer.cancel() }

  /// Reads the body's bytes.
  public struct Iterator: AsyncIteratorProtocol {
    let reader: StreamReader

    /// What has come since the last call, at least one byte; nil at the end of the body.
    public mutating func next() async throws -> [UInt8]? { try await reader.buffer.next() }

    /// What has come since the last call, at least one byte; nil at the end of the body.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(HTTPClientError) -> [UInt8]? {
      try await reader.buffer.next()
    }
  }
}

/// Held by everyone who may still read. The poll thread holds the buffer too, so the buffer's own end would come too
/// late to tell that nobody reads any more.
final class StreamReader: Sendable {
  let buffer: StreamBuffer

  init(_ buffer: StreamBuffer) { self.buffer = buffer }

  deinit { buffer.cancel() }
}

/// The bytes between the poll thread, which fills it, and one reader.
final class StreamBuffer: Sendable {
  typealias Head = Result<HTTPResponseHead, HTTPClientError>
  typealias Piece = Result<[UInt8]?, HTTPClientError>

  private enum End {
    case open
    case finished(HTTPClientError?)
  }

  private struct State {
    var head: CheckedContinuation<Head, Never>?
    var reader: CheckedContinuation<Piece, Never>?
    var bytes: [UInt8] = []
    var isPaused = false
    var end = End.open
    var transfer: Transfer?
    var queue: CommandQueue?
  }

  private let state = Mutex(State())

  func attach(_ transfer: Transfer, _ queue: CommandQueue) {
    state.withLock { state in
      state.transfer = transfer
      state.queue = queue
    }
  }

  func awaitHead(_ continuation: CheckedContinuation<Head, Never>) {
    state.withLock { $0.head = continuation }
  }

  // MARK: The poll thread's side

  func takeHead(_ head: HTTPResponseHead) {
    state.withLock { state in
      defer { state.head = nil }
      return state.head
    }?.resume(returning: .success(head))
  }

  /// Takes the bytes; false if the reader must first make room.
  func offer(_ bytes: UnsafeRawBufferPointer) -> Bool {
    enum Step {
      case kept, full
      case hand(CheckedContinuation<Piece, Never>)
    }
    let step = state.withLock { state -> Step in
      if let reader = state.reader {
        state.reader = nil
        return .hand(reader)
      }
      if !state.bytes.isEmpty, state.bytes.count + bytes.count > HTTPStream.bufferBytesMax {
        state.isPaused = true
        return .full
      }
      state.bytes.append(contentsOf: bytes)
      return .kept
    }
    switch step {
    case .kept: return true
    case .full: return false
    case .hand(let reader):
      reader.resume(returning: .success(Array(bytes)))
      return true
    }
  }

  func finish(_ error: HTTPClientError?) {
    let (head, reader) = state.withLock { state in
      state.end = .finished(error)
      defer {
        state.head = nil
        state.reader = nil
        state.transfer = nil
      }
      return (state.head, state.reader)
    }
    head?.resume(returning: .failure(error ?? .malformedAnswer("it ended before its head did")))
    reader?.resume(returning: error.map { .failure($0) } ?? .success(nil))
  }

  // MARK: The reader's side

  func next() async throws(HTTPClientError) -> [UInt8]? {
    let piece = await withTaskCancellationHandler {
      await withCheckedContinuation { reader in read(reader) }
    } onCancel: {
      cancel()
    }
    return try piece.get()
  }

  private func read(_ reader: CheckedContinuation<Piece, Never>) {
    enum Step {
      case wait
      case give(Piece, resume: Transfer?, CommandQueue?)
    }
    let step = state.withLock { state -> Step in
      if !state.bytes.isEmpty {
        let paused = state.isPaused ? state.transfer : nil
        state.isPaused = false
        defer { state.bytes = [] }
        return .give(.success(state.bytes), resume: paused, state.queue)
      }
      if case .finished(let error) = state.end {
        return .give(error.map { .failure($0) } ?? .success(nil), resume: nil, nil)
      }
      precondition(state.reader == nil, "an HTTPStream has one reader")
      state.reader = reader
      return .wait
    }
    guard case .give(let piece, let paused, let queue) = step else { return }
    reader.resume(returning: piece)
    if let paused { queue?.post(.resume(paused)) }
  }

  func cancel() {
    let (transfer, queue) = state.withLock { ($0.transfer, $0.queue) }
    guard let transfer else { return }
    transfer.isCancelled.store(true, ordering: .releasing)
    queue?.post(.cancel(transfer))
  }
}
