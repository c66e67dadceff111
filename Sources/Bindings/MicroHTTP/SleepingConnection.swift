internal import CMicroHTTPD

/// A connection that the library leaves alone until it is woken, so that no thread waits for an answer.
///
/// Sendable because waking is the one call that the library allows from any thread, and the pointer stays valid until
/// then: a suspended connection cannot be closed. Whoever keeps one wakes it exactly once.
struct SleepingConnection: @unchecked Sendable {
  private let handle: OpaquePointer

  /// Puts it to sleep; only from a callback that the library makes for it.
  init(suspending handle: OpaquePointer) {
    self.handle = handle
    MHD_suspend_connection(handle)
  }

  /// Lets the library call back for it, on its own thread.
  func wake() { MHD_resume_connection(handle) }
}
