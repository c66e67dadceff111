// Puts the parts together and gives them a command line. Does no work of its own.

internal import Files
internal import Runtime
internal import Time

/// The program as the shell sees it: arguments in, an exit status out.
public enum Program {
  /// Runs the command that the arguments name, and ends the process with its exit status.
  ///
  /// - Parameter arguments: The arguments without the program's own name.
  public static func main(_ arguments: [String]) async -> Never {
    ProcessSignal.endTheFirstProcessToo()
    let console = Console(
      output: StandardStream.output, errors: StandardStream.error,
      readInput: { (bytesMax) throws(FileError) in try StandardInput.read(bytesMax: bytesMax) },
      environment: ProcessEnvironment.variables, executablePath: ProcessEnvironment.executablePath,
      clock: SystemClock())
    let status = await CommandTable.standard.run(arguments, console)
    ProcessEnvironment.exit(status.rawValue)
  }

  /// The version that `--version` prints and that feeds and hubs are told.
  public static let version = "0.1.0"
}
