internal import Glibc

/// What the process was started with.
public enum ProcessEnvironment {
  /// The environment's variables, as they are now.
  public static var variables: [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return variables
  }

  /// The running executable's own path, links resolved; nil where /proc is not mounted.
  public static var executablePath: String? { resolved("/proc/self/exe") }

  /// Ends the process; what a stream still holds is lost.
  public static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
