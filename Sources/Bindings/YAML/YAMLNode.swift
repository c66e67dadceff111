// Holds libyaml: YAML text in, nodes with their places out. Never knows a key.

/// One node of a YAML document, with the place where it stands.
///
/// The language is the part of YAML 1.1 that people write by hand: scalars, sequences and mappings with scalar keys.
/// Anchors, aliases, tags and several documents in one text are refused, so a small text never becomes a large value
/// and no scalar changes its type behind the reader's back: what a plain scalar means is the caller's decision.
public struct YAMLNode: Sendable, Hashable {
  /// A place in the text; lines and columns count from 1, columns in Unicode scalars.
  public struct Mark: Sendable, Hashable {
    /// The line, from 1.
    public var line: Int
    /// The column, from 1.
    public var column: Int

    /// A place in a text.
    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }

    /// The place of nodes that were built by a program.
    public static let start = Mark(line: 1, column: 1)
  }

  /// How a scalar was written; only a plain one can stand for null, a number or a flag.
  public enum Style: Sendable, Hashable {
    /// Written bare.
    case plain
    /// Written in quotes, or as a block (`|`, `>`).
    case quoted
  }

  /// A key with its value.
  public struct Entry: Sendable, Hashable {
    /// The key's text.
    public var key: String
    /// Where the key stands.
    public var mark: Mark
    /// What stands under the key.
    public var value: YAMLNode

    /// A key with its value.
    public init(key: String, mark: Mark = .start, value: YAMLNode) {
      self.key = key
      self.mark = mark
      self.value = value
    }
  }

  /// What a node holds.
  public enum Content: Sendable, Hashable {
    /// Text, and how it was written.
    case scalar(String, Style)
    /// Nodes in order.
    case sequence([YAMLNode])
    /// Entries in the order of the text; no key occurs twice.
    case mapping([Entry])
  }

  /// What the node holds.
  public var content: Content
  /// Where the node begins.
  public var mark: Mark

  /// A node of a program's making, or of a text's.
  public init(_ content: Content, at mark: Mark = .start) {
    self.content = content
    self.mark = mark
  }

  /// Whether this is an absent value: nothing, `~`, or a plain `null`.
  public var isNull: Bool {
    guard case .scalar(let text, .plain) = content else { return false }
    return Self.nullSpellings.contains(text)
  }

  /// The value under a key of a mapping; nil when there is none, or this is no mapping.
  public subscript(key: String) -> YAMLNode? {
    guard case .mapping(let entries) = content else { return nil }
    return entries.first { $0.key == key }?.value
  }

  static let nullSpellings: Set<String> = ["", "~", "null", "Null", "NULL"]
}

extension YAMLNode {
  /// A plain `null`.
  public static let null = YAMLNode(.scalar("null", .plain))

  /// A flag, a number or another value whose written form is a plain word.
  public static func plain(_ text: String) -> YAMLNode { YAMLNode(.scalar(text, .plain)) }

  /// Text, quoted where a plain scalar would be read as null, a flag or a number.
  public static func text(_ text: String) -> YAMLNode {
    YAMLNode(.scalar(text, readsAsOtherType(text) ? .quoted : .plain))
  }

  /// Nodes in order.
  public static func sequence(_ nodes: [YAMLNode]) -> YAMLNode { YAMLNode(.sequence(nodes)) }

  /// Keys and values in order.
  public static func mapping(_ entries: [(String, YAMLNode)]) -> YAMLNode {
    YAMLNode(.mapping(entries.map { Entry(key: $0.0, value: $0.1) }))
  }

  /// Whether a YAML 1.1 reader takes the text for null, a flag, a number or a date when it stands bare.
  private static func readsAsOtherType(_ text: String) -> Bool {
    if nullSpellings.contains(text) { return true }
    let folded = text.lowercased()
    if ["true", "false", "yes", "no", "on", "off", "y", "n", ".inf", "+.inf", "-.inf", ".nan"].contains(folded) {
      return true
    }
    guard let first = text.utf8.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= first || "+-.".utf8.contains(first)
    else { return false }
    // What remains of a number in any base, of a sexagesimal one, or of a date: exponent, T and Z.
    if folded.hasPrefix("0x") || folded.hasPrefix("0b") || folded.hasPrefix("0o") { return true }
    return folded.allSatisfy { "0123456789+-._:, etz".contains($0) }
  }
}

/// What is wrong with a YAML text, and where; the text's file is the caller's to name.
public struct YAMLError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where the error was found.
  public var mark: YAMLNode.Mark
  /// What is wrong, as a clause without its place.
  public var message: String

  /// An error at a place.
  public init(at mark: YAMLNode.Mark, _ message: String) {
    self.mark = mark
    self.message = message
  }

  /// `line:column: message`.
  public var description: String { "\(mark.line):\(mark.column): \(message)" }
}
