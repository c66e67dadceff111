internal import Glibc

/// What the process has used of the machine so far.
public struct ResourceUsage: Sendable, Hashable {
  /// How long processors worked for it, in its own code and in the kernel's, all threads together.
  public var processorTime: Duration
  /// The most memory that it held at once, in bytes.
  public var residentBytesMax: Int

  /// What it has used until now.
  public static var now: ResourceUsage {
    var usage = rusage()
    // Fails only for a process that does not exist.
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return ResourceUsage(
      processorTime: Duration(usage.ru_utime) + Duration(usage.ru_stime), residentBytesMax: usage.ru_maxrss * 1024)
  }
}

extension Duration {
  fileprivate init(_ time: timeval) {
    self = .seconds(time.tv_sec) + .microseconds(time.tv_usec)
  }
}
