internal import Files
internal import Time

/// The shell around a command: where results and messages go, where input comes from. Tests make one in memory.
struct Console: Sendable {
  /// Results.
  let output: any ByteSink
  /// Messages and logs.
  let errors: any ByteSink
  /// Reads standard input to its end, at most that many bytes.
  let readInput: @Sendable (_ bytesMax: Int) throws(FileError) -> [UInt8]
  /// The environment's variables.
  let environment: [String: String]
  /// Where the program itself stands.
  let executablePath: String?
  /// Tells the time.
  let clock: any WallClock

  /// What ships with the program.
  func share() throws(Problem) -> Share {
    try Share(environment: environment, executablePath: executablePath)
  }

  /// A whole file, or standard input for `-`.
  func read(_ operand: String, bytesMax: Int) throws(FileError) -> [UInt8] {
    operand == "-" ? try readInput(bytesMax) : try FileSystem.read(operand, bytesMax: bytesMax)
  }

  /// Writes a result.
  func write(_ text: String) throws(StreamError) { try output.write(text) }

  /// Writes a result and a line break.
  func writeLine(_ text: String) throws(StreamError) { try output.writeLine(text) }

  /// Tells the person something; that nobody may be listening is no reason to fail.
  func say(_ message: String) {
    try? errors.writeLine(message)
  }
}
