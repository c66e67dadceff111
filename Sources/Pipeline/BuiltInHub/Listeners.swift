import Runtime
import Synchronization
import Time

/// The devices that listen to this process now, to be woken when there is something to read.
///
/// Thousands may wait, so a waiting one costs a continuation and nothing else: no timer and no query of its own.
final class Listeners: Sendable {
  /// One stream of one device.
  final class Listener: Sendable {
    let device: DeviceID
    fileprivate let bell = Wakeup()
    fileprivate let deadline = Mutex<Timestamp?>(nil)

    fileprivate init(_ device: DeviceID) {
      self.device = device
    }

    /// Returns when there may be something to read, at the first look of `Lookout` after `time`, or when cancelled.
    func wait(until time: Timestamp) async {
      deadline.withLock { $0 = time }
      await bell.wait()
      deadline.withLock { $0 = nil }
    }
  }

  private struct State {
    var listeners: [DeviceID: [Listener]] = [:]
    var count = 0
    /// The steps that this process recorded and `look` has not accounted for.
    var ownSteps: Set<Int64> = []
    /// The last step that `look` was told of.
    var seen: Int64?
  }

  private let state = Mutex(State())
  private let countMax: Int

  /// At most `countMax` may listen.
  init(countMax: Int) {
    self.countMax = countMax
  }

  var count: Int { state.withLock { $0.count } }

  /// Adds a listener; nil when there are too many.
  func join(_ device: DeviceID) -> Listener? {
    state.withLock { state in
      guard state.count < countMax else { return nil }
      let listener = Listener(device)
      state.listeners[device, default: []].append(listener)
      state.count += 1
      return listener
    }
  }

  func leave(_ listener: Listener) {
    state.withLock { state in
      guard let place = state.listeners[listener.device]?.firstIndex(where: { $0 === listener }) else { return }
      state.listeners[listener.device]?.remove(at: place)
      if state.listeners[listener.device]?.isEmpty == true { state.listeners[listener.device] = nil }
      state.count -= 1
    }
  }

  /// Wakes devices that got something by the step `sequence` of this process; returns how many listeners that were.
  @discardableResult
  func wake(_ devices: [DeviceID], after sequence: Int64?) -> Int {
    let woken = state.withLock { state in
      if let sequence, sequence > state.seen ?? 0 { state.ownSteps.insert(sequence) }
      return state.count == 0 ? [] : devices.flatMap { state.listeners[$0] ?? [] }
    }
    for listener in woken { listener.bell.ring() }
    return woken.count
  }

  /// Wakes everybody if a step up to `latest` was another process's, since whom it concerned is not known here; returns
  /// how many that were.
  @discardableResult
  func look(_ latest: Int64) -> Int {
    let woken = state.withLock { state in
      let own = state.ownSteps.count { $0 <= latest }
      let isForeign = state.seen.map { latest - $0 > own } ?? true
      state.seen = latest
      state.ownSteps = state.ownSteps.filter { $0 > latest }
      return isForeign ? state.listeners.values.flatMap(\.self) : []
    }
    for listener in woken { listener.bell.ring() }
    return woken.count
  }

  /// Wakes those who wait for no longer than until `now`.
  func tick(_ now: Timestamp) {
    let all = state.withLock { $0.listeners.values.flatMap(\.self) }
    for listener in all where listener.deadline.withLock({ $0.map { $0 <= now } ?? false }) {
      listener.bell.ring()
    }
  }
}
