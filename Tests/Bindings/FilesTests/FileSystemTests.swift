@testable import Files
import Testing

/// A directory of its own for one test, gone afterwards.
final class Scratch {
  let path: String
  init() throws { path = try FileSystem.makeTemporaryDirectory() }
  deinit { try? FileSystem.remove(path) }
}

@Suite struct FileSystemTests {
  @Test("What was written is read, and replaces what was there")
  func roundTrip() throws {
    let scratch = try Scratch()
    let path = "\(scratch.path)/a"
    try FileSystem.write(Array("one".utf8), to: path)
    try FileSystem.write([UInt8](repeating: 7, count: 300_000), to: path)
    #expect(try FileSystem.read(path, bytesMax: 300_000) == [UInt8](repeating: 7, count: 300_000))
    #expect(try FileSystem.names(inDirectory: scratch.path) == ["a"])
    try FileSystem.write([], to: path)
    #expect(try FileSystem.read(path, bytesMax: 0) == [])
  }

  @Test("A temporary directory stands in the first place that takes one")
  func temporary() throws {
    let scratch = try Scratch()
    let absent = "\(scratch.path)/absent"
    let made = try FileSystem.makeTemporaryDirectory(inOneOf: [absent, scratch.path])
    #expect(FileSystem.directory(of: made) == scratch.path)
    #expect(FileSystem.kind(of: made) == .directory)
    #expect {
      try FileSystem.makeTemporaryDirectory(inOneOf: [absent, "\(absent)/too"])
    } throws: {
      "\($0)" == "cannot make \(absent)/tidings-XXXXXX: No such file or directory"
    }
  }

  @Test("A file beyond the bound is an error, never a part")
  func bound() throws {
    let scratch = try Scratch()
    let path = "\(scratch.path)/a"
    try FileSystem.write([1, 2, 3], to: path)
    #expect { try FileSystem.read(path, bytesMax: 2) } throws: {
      "\($0)" == "cannot read \(path): it has more than 2 bytes"
    }
    #expect(throws: FileError.self) { try FileSystem.read("/dev/zero", bytesMax: 1 << 20) }
  }

  @Test("What cannot be read or written says why")
  func errors() throws {
    let scratch = try Scratch()
    let absent = "\(scratch.path)/absent"
    #expect { try FileSystem.read(absent, bytesMax: 1) } throws: {
      "\($0)" == "cannot read \(absent): No such file or directory"
    }
    #expect { try FileSystem.read(scratch.path, bytesMax: 1) } throws: {
      "\($0)" == "cannot read \(scratch.path): Is a directory"
    }
    #expect { try FileSystem.write([1], to: "\(absent)/x") } throws: {
      "\($0)" == "cannot write \(absent)/x: No such file or directory"
    }
    // A directory cannot be replaced by a file, and the draft beside it is gone.
    try FileSystem.makeDirectory("\(scratch.path)/full")
    try FileSystem.write([1], to: "\(scratch.path)/full/x")
    #expect(throws: FileError.self) { try FileSystem.write([1], to: "\(scratch.path)/full") }
    #expect(try FileSystem.names(inDirectory: scratch.path) == ["full"])
  }

  @Test("The kind of what stands at a path")
  func kinds() throws {
    let scratch = try Scratch()
    #expect(FileSystem.kind(of: scratch.path) == .directory)
    #expect(FileSystem.kind(of: "/dev/null") == .other)
    #expect(FileSystem.kind(of: "\(scratch.path)/absent") == nil)
    try FileSystem.makeDirectory("\(scratch.path)/a/b/c")
    try FileSystem.write([], to: "\(scratch.path)/a/b/c/file")
    #expect(FileSystem.kind(of: "\(scratch.path)/a/b/c/file") == .file)
    try FileSystem.remove("\(scratch.path)/a")
    #expect(FileSystem.kind(of: "\(scratch.path)/a") == nil)
  }

  @Test(
    "A path's directory, and a path from a directory",
    arguments: [("a/b.yaml", "a"), ("/a", "/"), ("a", "."), ("/a/b/c", "/a/b")])
  func directories(path: String, directory: String) {
    #expect(FileSystem.directory(of: path) == directory)
    #expect(FileSystem.path("x", from: directory) == (directory == "." ? "x" : "\(directory)/x"))
    #expect(FileSystem.path("/x", from: directory) == "/x")
  }
}
