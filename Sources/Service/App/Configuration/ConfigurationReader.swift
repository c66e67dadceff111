internal import Files
internal import YAML

/// What reading a configuration goes along with: the file's name, the environment, where each value stood, and every
/// problem found so far. Reading goes on after a problem, so that a person sees all of them at once.
struct ConfigurationReader {
  /// The file as the person named it.
  let file: String
  /// Where relative paths in the file start: its own directory.
  let directory: String
  private let environment: [String: String]
  /// The way to the value being read: `feeds`, `list`, `[0]`.
  private var path: [String] = []
  /// Where each value stood, by its path.
  private var marks: [String: YAMLNode.Mark] = [:]
  private(set) var problems: [Problem] = []
  /// How many problems were not kept.
  private(set) var omittedProblems = 0
  /// The paths of values with problems, so that nothing is said of what follows from them.
  private var faulty: Set<String> = []

  /// More problems than a person reads have one cause; they are counted only.
  static let problemsMax = 200
  /// A secret file holds a key or a token; a longer file is a mistake.
  static let secretBytesMax = 64 << 10

  init(file: String, environment: [String: String]) {
    self.file = file
    self.environment = environment
    directory = FileSystem.directory(of: file)
  }

  /// Notes a problem at a place of the file.
  mutating func report(_ what: String, remedy: String? = nil, at mark: YAMLNode.Mark?) {
    if problems.count < Self.problemsMax { faulty.insert(path.joined()) }
    report(Problem(file: file, at: mark, what, remedy: remedy))
  }

  /// Notes a problem at the place of a value that was read, or of the nearest one around it.
  mutating func report(_ what: String, remedy: String? = nil, at path: String) {
    report(what, remedy: remedy, at: mark(of: path))
  }

  /// Notes a problem of another file.
  mutating func report(_ problem: Problem) {
    if problems.count < Self.problemsMax { problems.append(problem) } else { omittedProblems += 1 }
  }

  /// Whether nothing was reported of the value at a path, or of anything in it; the path goes on from the value being
  /// read.
  func isSound(_ relative: String) -> Bool {
    let whole = whole(relative)
    return !faulty.contains { $0 == whole || $0.hasPrefix("\(whole).") || $0.hasPrefix("\(whole)[") }
  }

  /// Where the value at a path was written, which goes on from the value being read; nil if it was left out.
  func writtenMark(_ relative: String) -> YAMLNode.Mark? { marks[whole(relative)] }

  private func whole(_ relative: String) -> String { (path.isEmpty ? [relative] : path + [".", relative]).joined() }

  /// Where the value at a path stood, or the nearest one around it.
  func mark(of path: String) -> YAMLNode.Mark? {
    var path = path[...]
    while !path.isEmpty {
      if let mark = marks[String(path)] { return mark }
      guard let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
      path = path[..<end]
    }
    return nil
  }

  /// Reads a value that stands under a key or in a list, remembering its place.
  mutating func reading<Value>(
    _ step: String, at mark: YAMLNode.Mark, _ read: (inout ConfigurationReader) -> Value
  ) -> Value {
    path.append(step.hasPrefix("[") || path.isEmpty ? step : ".\(step)")
    defer { path.removeLast() }
    marks[path.joined()] = mark
    return read(&self)
  }

  /// A scalar's text, `${NAME}` replaced from the environment; nil, with a problem, if it is none or a variable is not
  /// set.
  mutating func text(_ node: YAMLNode, expecting expectation: String) -> String? {
    guard case .scalar(let written, _) = node.content else {
      report("a list or a mapping stands here", remedy: "write \(expectation)", at: node.mark)
      return nil
    }
    guard !node.isNull else {
      report("there is no value", remedy: "write \(expectation)", at: node.mark)
      return nil
    }
    return interpolated(written, at: node.mark)
  }

  /// `${NAME}` is the variable's value, `$${` stands for `${` itself; the value is text, whatever it looks like.
  private mutating func interpolated(_ written: String, at mark: YAMLNode.Mark) -> String? {
    var text = ""
    var rest = written[...]
    while let dollar = rest.firstIndex(of: "$") {
      text += rest[..<dollar]
      rest = rest[dollar...]
      if rest.hasPrefix("$${") {
        text += "${"
        rest = rest.dropFirst(3)
      } else if rest.hasPrefix("${") {
        guard let end = rest.firstIndex(of: "}") else {
          report("\"${\" has no \"}\"", remedy: "write ${NAME}, or $${ for the characters themselves", at: mark)
          return nil
        }
        let name = String(rest.dropFirst(2)[..<end])
        guard let value = value(ofVariable: name, at: mark) else { return nil }
        text += value
        rest = rest[end...].dropFirst()
      } else {
        text += "$"
        rest = rest.dropFirst()
      }
    }
    return text + rest
  }

  private mutating func value(ofVariable name: String, at mark: YAMLNode.Mark) -> String? {
    let isName = name.utf8.allSatisfy { byte in
      UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
    }
    guard isName, !name.isEmpty else {
      report(
        "\"${\(name)}\" names no environment variable",
        remedy: "a name has letters, digits and _; write $${ for the characters themselves", at: mark)
      return nil
    }
    guard let value = environment[name] else {
      report("the environment variable \(name) is not set", remedy: "set it, or write the value here", at: mark)
      return nil
    }
    return value
  }

  /// A path that the file names, as seen from the working directory.
  func resolved(_ path: String) -> String { FileSystem.path(path, from: directory) }

  /// The content of a file with a secret, without the line break that editors leave at its end.
  mutating func secret(inFile path: String, expecting expectation: String, at mark: YAMLNode.Mark) -> String? {
    do {
      let bytes = try FileSystem.read(resolved(path), bytesMax: Self.secretBytesMax)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        report("the file \(path) holds no text", remedy: "it should be UTF-8", at: mark)
        return nil
      }
      let secret = text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
      guard !secret.isEmpty else {
        report("the file \(path) is empty", remedy: "write \(expectation)", at: mark)
        return nil
      }
      return secret
    } catch {
      report("\(error)", remedy: "write \(expectation)", at: mark)
      return nil
    }
  }
}
