internal import Glibc
internal import Synchronization

/// Why bytes could not be written to a stream.
public enum StreamError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Who read the stream has gone, as `head` does after ten lines: no fault, but no reason to go on.
  case readerLeft
  /// The system refused, a full disk for example.
  case failed(reason: String)

  /// One sentence without its full stop.
  public var description: String {
    switch self {
    case .readerLeft: "nobody reads the output any more"
    case .failed(let reason): "cannot write the output: \(reason)"
    }
  }
}

/// Where a program's bytes go.
public protocol ByteSink: Sendable {
  /// Takes bytes; they may wait in a buffer until `flush()`.
  func write(_ bytes: [UInt8]) throws(StreamError)
  /// Sends on what waits.
  func flush() throws(StreamError)
  /// Whether a person looks at a terminal.
  var isTerminal: Bool { get }
}

extension ByteSink {
  /// Takes text as UTF-8.
  public func write(_ text: String) throws(StreamError) { try write(Array(text.utf8)) }
  /// Takes text and a line break.
  public func writeLine(_ text: String) throws(StreamError) { try write(Array(text.utf8) + [UInt8(ascii: "\n")]) }
}

/// Standard output or standard error.
///
/// The first write makes the process ignore SIGPIPE, so that a reader who leaves becomes an error to handle.
public final class StandardStream: ByteSink {
  /// Where results go; buffered, flush before the end.
  public static let output = StandardStream(descriptor: 1, bufferBytesMax: 64 << 10)
  /// Where messages go; each write leaves at once.
  public static let error = StandardStream(descriptor: 2, bufferBytesMax: 0)

  private let descriptor: Int32
  private let buffer = Mutex<[UInt8]>([])
  /// A write leaves the process when this many bytes wait: a system call a line costs more than the line.
  private let bufferBytesMax: Int
  /// Whether a person looks at a terminal.
  public let isTerminal: Bool

  /// A stream over an open descriptor, which stays the caller's to close.
  init(descriptor: Int32, bufferBytesMax: Int) {
    self.descriptor = descriptor
    self.bufferBytesMax = bufferBytesMax
    isTerminal = isatty(descriptor) == 1
    signal(SIGPIPE, SIG_IGN)
  }

  /// Takes bytes; they leave when the buffer is full, or at once on a terminal.
  public func write(_ bytes: [UInt8]) throws(StreamError) {
    try buffer.withLock { (waiting) throws(StreamError) in
      waiting.append(contentsOf: bytes)
      if waiting.count >= bufferBytesMax || isTerminal { try send(&waiting) }
    }
  }

  /// Sends on what waits.
  public func flush() throws(StreamError) {
    try buffer.withLock { (waiting) throws(StreamError) in try send(&waiting) }
  }

  private func send(_ waiting: inout [UInt8]) throws(StreamError) {
    var sent = 0
    // What failed once is dropped: a second try would repeat it in the middle of something else.
    defer { waiting.removeAll(keepingCapacity: true) }
    while sent < waiting.count {
      let count = waiting.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + sent, $0.count - sent) }
      if count > 0 { sent += count }
      if count >= 0 || errno == EINTR { continue }
      if errno == EAGAIN {
        // A terminal that another program made non-blocking: wait until it takes more.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
        continue
      }
      throw errno == EPIPE ? .readerLeft : .failed(reason: String(cString: strerror(errno)))
    }
  }
}

/// What comes in on standard input.
public enum StandardInput {
  /// Everything until the end.
  ///
  /// - Parameter bytesMax: The most bytes that are read; more is an error, not a cut.
  public static func read(bytesMax: Int) throws(FileError) -> [UInt8] {
    try FileSystem.read(0, named: "standard input", bytesMax: bytesMax)
  }
}
