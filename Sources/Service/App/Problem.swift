internal import YAML

/// Something that a person should put right: where it is, what it is, and what would be right.
struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file as the person named it; nil if the problem is in no file.
  var file: String?
  /// The line and column, if they are known.
  var mark: YAMLNode.Mark?
  /// What is wrong.
  var what: String
  /// What would be right, as a clause of its own.
  var remedy: String?

  init(file: String? = nil, at mark: YAMLNode.Mark? = nil, _ what: String, remedy: String? = nil) {
    self.file = file
    self.mark = mark
    self.what = what
    self.remedy = remedy
  }

  /// `file:line:column: what; what would be right`, the form that editors and terminals turn into a link.
  var description: String {
    let place = [file, mark.map { "\($0.line):\($0.column)" }].compactMap(\.self).joined(separator: ":")
    return [place.isEmpty ? nil : place, [what, remedy].compactMap(\.self).joined(separator: "; ")]
      .compactMap(\.self).joined(separator: ": ")
  }
}

/// Everything that is wrong with a configuration and the files it names, in the order of the files.
struct Problems: Error, Sendable, Hashable {
  var all: [Problem]

  init(_ all: [Problem]) { self.all = all }
}
