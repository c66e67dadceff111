/// What was mended in a document: how often, and where first.
struct RepairNotes {
  /// The kinds of damage.
  enum Kind: CaseIterable {
    case ampersand, bracket, controlCharacter, unclosed, stray, attribute, declaration, beforeRoot, afterRoot
    case truncated, brokenItem

    fileprivate var sentence: String {
      switch self {
      case .ampersand: "ampersands without a name are read as text"
      case .bracket: "angle brackets that begin no tag are read as text"
      case .controlCharacter: "control characters, which XML forbids, are left out"
      case .unclosed: "elements that are never closed end with what they are in"
      case .stray: "end tags of nothing are left out"
      case .attribute: "attributes without quotes are quoted, repeated ones left out"
      case .declaration: "declarations in the wrong place are left out"
      case .beforeRoot: "what stands before the document is left out"
      case .afterRoot: "what follows the end of the document is left out"
      case .truncated: "the document ends in the middle"
      case .brokenItem: "the document ends inside an item, which is left out"
      }
    }
  }

  private var found: [Kind: (count: Int, line: Int)] = [:]

  mutating func add(_ kind: Kind, at index: Int, in source: [UInt8]) {
    if let earlier = found[kind] {
      found[kind] = (earlier.count + 1, earlier.line)
    } else {
      found[kind] = (1, source[..<min(index, source.count)].count { $0 == UInt8(ascii: "\n") } + 1)
    }
  }

  /// A sentence for each kind found.
  var sentences: [String] {
    Kind.allCases.compactMap { kind in
      found[kind].map { "line \($0.line)\($0.count > 1 ? " and \($0.count - 1) more" : ""): \(kind.sentence)" }
    }
  }
}
