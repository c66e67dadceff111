internal import Glibc

/// Lets a thread sleep until a time or until it is rung, whichever is first. Once rung it stays so.
///
/// Sendable because the lock guards everything that changes.
final class ThreadBell: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var isRung = false

  init() {
    lock = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    // Measured by the clock that nobody sets.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(lock)
    condition.deallocate()
    lock.deallocate()
  }

  func ring() {
    pthread_mutex_lock(lock)
    isRung = true
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(lock)
  }

  func wait(_ duration: Duration) {
    var until = timespec()
    clock_gettime(CLOCK_MONOTONIC, &until)
    let (seconds, attoseconds) = duration.components
    let nanoseconds = Int64(until.tv_nsec) + attoseconds / 1_000_000_000
    until.tv_sec += Int(seconds + nanoseconds / 1_000_000_000)
    until.tv_nsec = Int(nanoseconds % 1_000_000_000)
    pthread_mutex_lock(lock)
    while !isRung, pthread_cond_timedwait(condition, lock, &until) == 0 {}
    pthread_mutex_unlock(lock)
  }
}
