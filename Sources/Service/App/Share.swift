internal import Files

/// What ships with the program: the category table, the demo's samples, the reader's page.
struct Share: Sendable {
  /// The directory that holds it.
  let directory: String

  /// Finds the directory: `TIDINGS_SHARE` if it is set, else `../share/tidings` beside the executable, else `config` of
  /// the source tree that the executable was built in.
  init(environment: [String: String], executablePath: String?) throws(Problem) {
    if let named = environment["TIDINGS_SHARE"], !named.isEmpty {
      guard FileSystem.kind(of: named) == .directory else {
        throw Problem("TIDINGS_SHARE names no directory: \(named)", remedy: "unset it, or name the one that ships")
      }
      directory = named
      return
    }
    var looked: [String] = []
    if let executablePath {
      let bin = FileSystem.directory(of: executablePath)
      let installed = "\(FileSystem.directory(of: bin))/share/tidings"
      if FileSystem.kind(of: installed) == .directory {
        directory = installed
        return
      }
      looked.append(installed)
      var ancestor = bin
      while ancestor != "/" && ancestor != "." {
        if FileSystem.kind(of: "\(ancestor)/Package.swift") == .file {
          directory = "\(ancestor)/config"
          return
        }
        ancestor = FileSystem.directory(of: ancestor)
      }
      looked.append("config of a source tree above \(bin)")
    }
    throw Problem(
      "the files that ship with tidings are not found (looked for \(looked.joined(separator: ", ")))",
      remedy: "set TIDINGS_SHARE to their directory")
  }

  /// The path of one of the files.
  func path(_ name: String) -> String { "\(directory)/\(name)" }
}
