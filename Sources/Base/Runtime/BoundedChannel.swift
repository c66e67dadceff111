internal import Synchronization

/// Hands values from tasks to tasks, at most `capacity` waiting in between: a sender that is too fast waits.
public final class BoundedChannel<Element: Sendable>: AsyncSequence, Sendable {
  private struct State {
    var buffer: [Element] = []
    var isFinished = false
    var nextID = 0
    var senders: [(id: Int, element: Element, continuation: CheckedContinuation<Void, any Error>)] = []
    var receivers: [(id: Int, continuation: CheckedContinuation<Element?, Never>)] = []
  }

  private enum SendStep {
    case accepted, refused, waiting
    case handed(CheckedContinuation<Element?, Never>)
  }

  private enum ReceiveStep {
    case nothing, waiting
    case taken(Element, CheckedContinuation<Void, any Error>?)
  }

  private let capacity: Int
  private let state = Mutex(State())

  /// A channel in which at most so many values wait.
  public init(capacity: Int) {
    precondition(capacity > 0, "a channel holds at least one value")
    self.capacity = capacity
  }

  /// How many values wait to be received.
  public var count: Int { state.withLock { $0.buffer.count + $0.senders.count } }

  /// Hands over a value; waits while the channel is full. Throws `CancellationError` when cancelled meanwhile or when
  /// the channel is finished: the value was not handed over then.
  public func send(_ element: Element) async throws {
    let id = nextID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let step = state.withLock { state -> SendStep in
          if state.isFinished || Task.isCancelled { return .refused }
          if !state.receivers.isEmpty { return .handed(state.receivers.removeFirst().continuation) }
          if state.buffer.count < capacity {
            state.buffer.append(element)
            return .accepted
          }
          state.senders.append((id, element, continuation))
          return .waiting
        }
        switch step {
        case .accepted: continuation.resume()
        case .refused: continuation.resume(throwing: CancellationError())
        case .waiting: break
        case .handed(let receiver):
          receiver.resume(returning: element)
          continuation.resume()
        }
      }
    } onCancel: {
      let sender = state.withLock { state in
        state.senders.firstIndex { $0.id == id }.map { state.senders.remove(at: $0).continuation }
      }
      sender?.resume(throwing: CancellationError())
    }
  }

  /// No more values will come: what waits is still received, then receivers get nil.
  public func finish() {
    let (senders, receivers) = state.withLock { state in
      state.isFinished = true
      defer {
        state.senders = []
        state.receivers = []
      }
      return (state.senders, state.receivers)
    }
    for sender in senders { sender.continuation.resume(throwing: CancellationError()) }
    for receiver in receivers { receiver.continuation.resume(returning: nil) }
  }

  /// The next value; nil when the channel is finished and empty, or the task is cancelled.
  public func receive() async -> Element? {
    let id = nextID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Element?, Never>) in
        let step = state.withLock { state -> ReceiveStep in
          if !state.buffer.isEmpty {
            let element = state.buffer.removeFirst()
            guard !state.senders.isEmpty else { return .taken(element, nil) }
            let sender = state.senders.removeFirst()
            state.buffer.append(sender.element)
            return .taken(element, sender.continuation)
          }
          if state.isFinished || Task.isCancelled { return .nothing }
          state.receivers.append((id, continuation))
          return .waiting
        }
        switch step {
        case .nothing: continuation.resume(returning: nil)
        case .waiting: break
        case .taken(let element, let sender):
          sender?.resume()
          continuation.resume(returning: element)
        }
      }
    } onCancel: {
      let receiver = state.withLock { state in
        state.receivers.firstIndex { $0.id == id }.map { state.receivers.remove(at: $0).continuation }
      }
      receiver?.resume(returning: nil)
    }
  }

  private func nextID() -> Int {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  /// Receives values until the channel is finished.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let channel: BoundedChannel
    /// The next value; nil at the end.
    public mutating func next() async -> Element? { await channel.receive() }
  }

  /// Receives values until the channel is finished.
  public func makeAsyncIterator() -> Iterator { Iterator(channel: self) }
}
