import Files
import Synchronization
import Time

@testable import App

/// A console in memory: what a command writes can be read back.
final class MemoryConsole: Sendable {
  let output = MemorySink()
  let errors = MemorySink()
  let console: Console

  init(
    input: String = "", environment: [String: String] = [:], executablePath: String? = nil,
    clock: any WallClock = SystemClock()
  ) {
    console = Console(
      output: output, errors: errors,
      readInput: { (bytesMax) throws(FileError) in
        guard input.utf8.count <= bytesMax else {
          throw FileError("read", "standard input", "it has more than \(bytesMax) bytes")
        }
        return Array(input.utf8)
      },
      environment: environment, executablePath: executablePath ?? MemoryConsole.executablePath, clock: clock)
  }

  /// Where a development build's executable stands, so that `Share` finds the source tree.
  static let executablePath = packageRoot + "/.build/debug/tidings"

  /// The source tree.
  static let packageRoot = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
}

/// Bytes kept in memory.
final class MemorySink: ByteSink {
  private let bytes = Mutex<[UInt8]>([])
  private let failure: StreamError?
  let isTerminal = false

  /// - Parameter failure: What every write throws, if anything.
  init(failure: StreamError? = nil) { self.failure = failure }

  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }

  func write(_ new: [UInt8]) throws(StreamError) {
    if let failure { throw failure }
    bytes.withLock { $0 += new }
  }

  func flush() throws(StreamError) {}
}
