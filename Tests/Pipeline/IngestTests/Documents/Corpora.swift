import Glibc
import JSON
import Testing

/// The feed documents of other projects' test suites, outside the package: `TIDINGS_CORPORA`, else `../shared` beside
/// the package. Their tests skip, saying so, where the folder is missing.
enum Corpora {
  static let feeds: String? = {
    let package = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
    let root = getenv("TIDINGS_CORPORA").map { String(cString: $0) } ?? "/\(package)/../shared"
    return access(root + "/feeds/reference.jsonl", R_OK) == 0 ? root + "/feeds" : nil
  }()

  static let missing: Comment = "no feed documents: set TIDINGS_CORPORA to the folder that holds feeds/"

  /// The bytes of a file below the folder of feeds.
  static func bytes(_ path: String) throws -> [UInt8] { try bytes(at: (feeds ?? "") + "/" + path) }

  /// The lines of a table beside this file, its heading and comments left out: what a difference is about, and why it is.
  static func reasons(_ name: String) throws -> [String: String] {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    let lines = try String(decoding: bytes(at: "/\(folder)/\(name)"), as: UTF8.self).split(separator: "\n")
    var reasons: [String: String] = [:]
    for line in lines where !line.hasPrefix("#") {
      let columns = line.split(separator: "\t")
      try #require(columns.count > 1, "\(line)")
      reasons[columns.dropLast().joined(separator: "\t")] = String(columns[columns.count - 1])
    }
    return reasons
  }

  private static func bytes(at path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "rb"), "cannot open \(path)")
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&block, 1, block.count, file)
      guard count > 0 else { return bytes }
      bytes += block[..<count]
    }
  }

  /// A file of JSON Lines below the folder of feeds.
  static func rows(_ path: String) throws -> [JSONValue] {
    try bytes(path).split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: Array($0)) }
  }
}
