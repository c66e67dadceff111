import Push
import Synchronization
import Time

/// What a listening device reads: its mailbox from a place on, and then whatever arrives, each event once.
///
/// One task reads. The device counts as listening until the stream is let go.
public final class MailboxStream: Sendable {
  /// What a reader gets.
  public enum Element: Hashable, Sendable {
    /// Pushes, the oldest first.
    case events([MailboxEvent])
    /// Nothing came for so long that whoever is at the other end may think that we are gone: say something.
    case quiet
  }

  private let store: any HubStore
  private let listeners: Listeners
  private let listener: Listeners.Listener
  private let heartbeat: Duration
  private let clock: any WallClock
  private let position: Mutex<MailboxPosition?>

  init(
    store: any HubStore, listeners: Listeners, listener: Listeners.Listener, after position: MailboxPosition?,
    heartbeat: Duration, clock: any WallClock
  ) {
    self.store = store
    self.listeners = listeners
    self.listener = listener
    self.heartbeat = heartbeat
    self.clock = clock
    self.position = Mutex(position)
  }

  deinit { listeners.leave(listener) }

  /// The next pushes; waits for them. Nil when the device is not registered any more or the task is cancelled.
  public func next() async throws(ListenError) -> Element? {
    let deadline = clock.now + heartbeat
    while !Task.isCancelled {
      guard let events = try await read() else { return nil }
      if let last = events.last {
        position.withLock { $0 = last.position }
        return .events(events)
      }
      guard clock.now < deadline else { return .quiet }
      await listener.wait(until: deadline)
    }
    return nil
  }

  /// How many events are read at once: at most 400 KiB for each of many readers.
  private static let eventsMax = 100

  private func read() async throws(ListenError) -> [MailboxEvent]? {
    do {
      return try await store.events(
        of: listener.device, after: position.withLock { $0 }, limit: Self.eventsMax, at: clock.now)
    } catch {
      throw .unavailable("\(error)")
    }
  }
}

/// Why a device cannot listen.
public enum ListenError: Error, Hashable, Sendable {
  /// No listening device is registered with this handle.
  case unknownDevice
  /// So many listen that this process takes no more; another time or elsewhere it may go well.
  case tooManyListeners
  /// The store failed.
  case unavailable(String)
}
