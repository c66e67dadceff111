import Files
import Testing

@testable import App

@Suite struct ShareTests {
  @Test("The variable wins, then what is installed beside the executable, then the source tree")
  func order() throws {
    let scratch = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(scratch) }
    let executable = "\(scratch)/tree/.build/debug/tidings"
    try FileSystem.makeDirectory("\(scratch)/tree/.build/debug")
    #expect(throws: Problem.self) { try Share(environment: [:], executablePath: executable) }

    try FileSystem.write([], to: "\(scratch)/tree/Package.swift")
    #expect(try Share(environment: [:], executablePath: executable).path("x") == "\(scratch)/tree/config/x")

    try FileSystem.makeDirectory("\(scratch)/tree/.build/share/tidings")
    #expect(
      try Share(environment: ["TIDINGS_SHARE": ""], executablePath: executable).directory
        == "\(scratch)/tree/.build/share/tidings")
    #expect(try Share(environment: ["TIDINGS_SHARE": scratch], executablePath: executable).directory == scratch)
    #expect(throws: Problem.self) {
      try Share(environment: ["TIDINGS_SHARE": "\(scratch)/absent"], executablePath: executable)
    }
  }
}
