import Glibc
import Testing

@testable import Files

/// Both ends of a pipe, closed with the test.
private final class Pipe {
  let reader: Int32
  let writer: Int32
  private var readerIsOpen = true

  init() {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    (reader, writer) = (ends[0], ends[1])
  }

  func closeReader() {
    if readerIsOpen { close(reader) }
    readerIsOpen = false
  }

  func available() -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    _ = fcntl(reader, F_SETFL, O_NONBLOCK)
    let count = read(reader, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : ""
  }

  deinit {
    closeReader()
    close(writer)
  }
}

@Suite struct StandardStreamTests {
  @Test("Bytes wait until the buffer is full or flushed")
  func buffering() throws {
    let pipe = Pipe()
    let stream = StandardStream(descriptor: pipe.writer, bufferBytesMax: 8)
    try stream.write("1234567")
    #expect(pipe.available() == "")
    try stream.write("8")
    #expect(pipe.available() == "12345678")
    try stream.writeLine("9")
    try stream.flush()
    #expect(pipe.available() == "9\n")
  }

  @Test("A reader who leaves is an error, not the end of the process")
  func readerLeft() throws {
    let pipe = Pipe()
    let stream = StandardStream(descriptor: pipe.writer, bufferBytesMax: 0)
    pipe.closeReader()
    #expect(throws: StreamError.readerLeft) { try stream.write("x") }
  }

  @Test("A full disk is an error that says so")
  func fullDisk() throws {
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    let stream = StandardStream(descriptor: full, bufferBytesMax: 64)
    try stream.write("x")
    #expect(throws: StreamError.failed(reason: "No space left on device")) { try stream.flush() }
    try stream.flush()
  }

  @Test("The environment holds what the process was started with")
  func environment() throws {
    #expect(ProcessEnvironment.variables["PATH"]?.isEmpty == false)
    #expect(ProcessEnvironment.executablePath?.hasPrefix("/") == true)
  }
}
