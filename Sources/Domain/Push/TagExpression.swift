/// Says which devices by their tags: `(World || Politics) && !muted`. `!` binds closer than `&&`, and `&&` closer than
/// `||`. Parsed once, within Azure's limits ever after.
public struct TagExpression: Hashable, Sendable {
  /// What an expression is made of, for whoever plans a query.
  public indirect enum Term: Hashable, Sendable {
    case tag(Tag)
    case not(Term)
    /// All of two or more.
    case all([Term])
    /// Any of two or more.
    case any([Term])
  }

  /// Azure's limit on different tags where `||` is the only operator.
  public static let alternativesMax = 20
  /// Azure's limit on different tags where `&&` or `!` occurs.
  public static let tagsMax = 6

  /// The whole expression.
  public let root: Term
  /// The different tags, in the order of their first occurrence.
  public let tags: [Tag]

  /// The expression that `root` is; fails beyond Azure's limits on different tags.
  public init(_ root: Term) throws(TagExpressionError) {
    try self.init(root, column: 1)
  }

  /// The devices with this tag.
  public init(_ tag: Tag) {
    root = .tag(tag)
    tags = [tag]
  }

  init(_ root: Term, column: Int) throws(TagExpressionError) {
    var seen: Set<Tag> = []
    var tags: [Tag] = []
    root.forEachTag { if seen.insert($0).inserted { tags.append($0) } }
    let tagsMax = root.isAlternative ? Self.alternativesMax : Self.tagsMax
    guard tags.count <= tagsMax else {
      throw TagExpressionError(
        column: column,
        message:
          "\(tags.count) different tags are too many: at most \(Self.alternativesMax) are allowed with || alone, "
          + "\(Self.tagsMax) with && or !")
    }
    self.root = root
    self.tags = tags
  }

  /// Whether a device with `tags` is meant.
  public func matches(_ tags: Set<Tag>) -> Bool { root.holds { tags.contains($0) } }

  /// Whether a device is meant that has the tags of which `has` says so.
  public func matches(where has: (Tag) -> Bool) -> Bool { root.holds(has) }
}

extension TagExpression.Term {
  fileprivate func holds(_ has: (Tag) -> Bool) -> Bool {
    switch self {
    case .tag(let tag): has(tag)
    case .not(let term): !term.holds(has)
    case .all(let terms): terms.allSatisfy { $0.holds(has) }
    case .any(let terms): terms.contains { $0.holds(has) }
    }
  }

  fileprivate func forEachTag(_ body: (Tag) -> Void) {
    switch self {
    case .tag(let tag): body(tag)
    case .not(let term): term.forEachTag(body)
    case .all(let terms), .any(let terms): for term in terms { term.forEachTag(body) }
    }
  }

  /// Whether nothing but `||` joins its tags.
  fileprivate var isAlternative: Bool {
    switch self {
    case .tag: true
    case .not, .all: false
    case .any(let terms): terms.allSatisfy(\.isAlternative)
    }
  }

  /// How closely it binds: `||` 0, `&&` 1, the rest 2.
  private var binding: Int {
    switch self {
    case .any: 0
    case .all: 1
    case .not, .tag: 2
    }
  }

  /// The text, in parentheses where it binds less closely than its place asks.
  fileprivate func text(binding needed: Int) -> String {
    let text =
      switch self {
      case .tag(let tag): tag.name
      case .not(let term): "!" + term.text(binding: 2)
      case .all(let terms): terms.map { $0.text(binding: 2) }.joined(separator: " && ")
      case .any(let terms): terms.map { $0.text(binding: 1) }.joined(separator: " || ")
      }
    return binding < needed ? "(\(text))" : text
  }
}

extension TagExpression: CustomStringConvertible {
  /// The expression as text, with no more parentheses than it needs; parsing it gives an equal expression.
  public var description: String { root.text(binding: 0) }
}

/// Why a text is no tag expression: where, and what would be right.
public struct TagExpressionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The character of the fault, from 1.
  public let column: Int
  /// What is wrong, and what would be right.
  public let message: String

  /// `column: message`.
  public var description: String { "\(column): \(message)" }
}
