// Holds the operating system's files and standard streams: bytes in, bytes out. Never knows what they mean.

internal import Glibc

/// Why a file could not be read or written.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was tried: `read`, `write`.
  public var operation: String
  /// The file, as it was named.
  public var path: String
  /// Why it failed, in the system's words or ours.
  public var reason: String

  /// A failed operation.
  public init(_ operation: String, _ path: String, _ reason: String) {
    self.operation = operation
    self.path = path
    self.reason = reason
  }

  fileprivate init(_ operation: String, _ path: String, errno code: Int32) {
    self.init(operation, path, String(cString: strerror(code)))
  }

  /// One sentence without its full stop.
  public var description: String { "cannot \(operation) \(path): \(reason)" }
}

/// The machine's files; paths are the system's, relative ones start at the working directory.
public enum FileSystem {
  /// What stands at a path, symbolic links followed.
  public enum Kind: Sendable {
    case file, directory
    /// A device, a pipe or a socket.
    case other
  }

  /// What stands at a path; nil if nothing does, or it cannot be looked at.
  public static func kind(of path: String) -> Kind? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .directory
    default: return .other
    }
  }

  /// The whole content of a file.
  ///
  /// - Parameters:
  ///   - path: A file, or anything else that can be read to its end.
  ///   - bytesMax: The most bytes that are read; a longer file is an error, not a cut.
  public static func read(_ path: String, bytesMax: Int) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError("read", path, errno: errno) }
    defer { close(descriptor) }
    guard kind(of: path) != .directory else { throw FileError("read", path, errno: EISDIR) }
    return try read(descriptor, named: path, bytesMax: bytesMax)
  }

  static func read(_ descriptor: Int32, named path: String, bytesMax: Int) throws(FileError) -> [UInt8] {
    var content: [UInt8] = []
    // Doubling, because neither a pipe nor /proc tells its size.
    var step = 64 << 10
    while true {
      let want = min(step, bytesMax + 1 - content.count)
      var count = 0
      var code: Int32 = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: want) { buffer, filled in
        count = Glibc.read(descriptor, buffer.baseAddress!, want)
        code = errno
        filled = max(0, count)
      }
      content += chunk
      if count == 0 { return content }
      if count < 0 && code != EINTR { throw FileError("read", path, errno: code) }
      guard content.count <= bytesMax else { throw FileError("read", path, "it has more than \(bytesMax) bytes") }
      step = min(step * 2, 4 << 20)
    }
  }

  /// Puts a file in place whole: whoever reads the path sees the old content or the new, never a part, even if the
  /// machine stops between.
  public static func write(_ content: [UInt8], to path: String) throws(FileError) {
    // Beside the target, because a rename is atomic only within one file system.
    let draft = "\(path).new-\(getpid())"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FileError("write", path, errno: errno) }
    do throws(FileError) {
      defer { close(descriptor) }
      try writeAll(content, to: descriptor, named: path)
      guard fsync(descriptor) == 0 else { throw FileError("write", path, errno: errno) }
    } catch {
      unlink(draft)
      throw error
    }
    guard rename(draft, path) == 0 else {
      let code = errno
      unlink(draft)
      throw FileError("write", path, errno: code)
    }
  }

  private static func writeAll(_ content: [UInt8], to descriptor: Int32, named path: String) throws(FileError) {
    var written = 0
    while written < content.count {
      let count = content.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw FileError("write", path, errno: errno) }
      written += count
    }
  }

  /// The names in a directory, sorted, `.` and `..` left out.
  public static func names(inDirectory path: String) throws(FileError) -> [String] {
    guard let directory = opendir(path) else { throw FileError("read", path, errno: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Makes a directory and the missing ones above it; one that is there is left as it is.
  public static func makeDirectory(_ path: String) throws(FileError) {
    if kind(of: path) == .directory { return }
    let parent = directory(of: path)
    if parent != path { try makeDirectory(parent) }
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw FileError("make", path, errno: errno) }
  }

  /// Removes a file, or a directory with everything in it; symbolic links are removed, not followed.
  public static func remove(_ path: String) throws(FileError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw FileError("remove", path, errno: errno) }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in try names(inDirectory: path) { try remove("\(path)/\(name)") }
    }
    guard Glibc.remove(path) == 0 else { throw FileError("remove", path, errno: errno) }
  }

  /// Where temporary files may stand, in this order. A container's root is often read-only, its shared memory never.
  private static let temporaryPlaces = ["/tmp", "/var/tmp", "/dev/shm"]

  /// Makes a directory of its own in the place that `TMPDIR` names, else in the first of the system's that takes it, and
  /// names it.
  public static func makeTemporaryDirectory() throws(FileError) -> String {
    if let named = ProcessEnvironment.variables["TMPDIR"], !named.isEmpty {
      return try makeTemporaryDirectory(inOneOf: [named])
    }
    return try makeTemporaryDirectory(inOneOf: temporaryPlaces)
  }

  /// Makes a directory of its own in the first of these places that takes one; the error is the first one's.
  static func makeTemporaryDirectory(inOneOf places: [String]) throws(FileError) -> String {
    var refusal: FileError?
    for place in places {
      let pattern = "\(place)/tidings-XXXXXX"
      var template = Array(pattern.utf8CString)
      if mkdtemp(&template) != nil {
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
      if refusal == nil { refusal = FileError("make", pattern, errno: errno) }
    }
    throw refusal ?? FileError("make", "a temporary directory", "there is no place for one")
  }

  /// The path's directory: all before its last slash, `.` if there is none.
  public static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path as seen from a directory: itself if it begins with a slash.
  public static func path(_ path: String, from directory: String) -> String {
    path.hasPrefix("/") || directory == "." ? path : "\(directory)/\(path)"
  }
}
