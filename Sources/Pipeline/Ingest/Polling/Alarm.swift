internal import Time

/// Calls once when a time has come; set anew, it forgets the time before.
struct Alarm {
  private let clock: any WallClock
  private let onTime: @Sendable () -> Void
  private var task: Task<Void, Never>?
  private var time: Timestamp?

  init(clock: any WallClock, onTime: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.onTime = onTime
  }

  mutating func set(for time: Timestamp) {
    // The same time may have passed and been called for already.
    if time == self.time, time > clock.now { return }
    stop()
    self.time = time
    task = Task { [clock, onTime] in
      // A clock that is set back meanwhile ends a sleep before the time.
      repeat {
        do { try await clock.sleep(until: time) } catch { return }
      } while clock.now < time
      onTime()
    }
  }

  mutating func stop() {
    task?.cancel()
    task = nil
    time = nil
  }
}
