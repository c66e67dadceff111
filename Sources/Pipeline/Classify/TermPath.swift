internal import ICU

/// A term as it is compared: folded, and taken apart where it names a way through a publisher's sections.
struct TermPath: Hashable {
  /// Longer terms are sentences; the rest of one is not looked at.
  static let lengthMax = 200
  /// A path with more steps is no section, but an address.
  private static let stepsMax = 12

  private let steps: [String]

  /// The path that a text names: `World > Asia`, `news/world-news`, or a single step.
  init(_ text: some StringProtocol) {
    let separators: Set<Character> = ["/", "\\", ">", "›", "»", "→", ":"]
    steps = text.split(maxSplits: Self.stepsMax, whereSeparator: separators.contains)
      .map { Self.folded($0) }.filter { !$0.isEmpty }
  }

  private init(steps: some Sequence<String>) { self.steps = Array(steps) }

  var isEmpty: Bool { steps.isEmpty }

  /// The path itself and every part of it, the longest first, then the first.
  var parts: some Sequence<TermPath> {
    (0..<steps.count).lazy.flatMap { missing in
      (0...missing).lazy.map { start in TermPath(steps: steps[start..<(start + steps.count - missing)]) }
    }
  }

  /// The things that a text names side by side, as `World | Asia`, `Business & Tech` or `Sport, Politik` do.
  static func alternatives(in text: some StringProtocol) -> [TermPath] {
    let separators: Set<Character> = ["|", ",", ";", "&", "+", "·", "•", "、", "，", "；", "和", "与", "與", "及"]
    let conjunctions: Set<String> = ["and", "et", "und"]
    var names: [String] = []
    for part in text.split(whereSeparator: separators.contains) {
      let words = part.split(separator: " ")
      names += words.split { conjunctions.contains($0.lowercased()) }.map { $0.joined(separator: " ") }
    }
    return names.count > 1 ? names.map { TermPath($0) } : []
  }

  /// Folded, hyphens and underscores blanks, a hash mark gone, blanks single.
  private static func folded(_ text: some StringProtocol) -> String {
    let blanks: Set<Character> = ["-", "_", "‐", "–", "—", "#"]
    return String(text).foldedForSearch.split { $0.isWhitespace || blanks.contains($0) }.joined(separator: " ")
  }
}
