extension TagExpression {
  /// Azure allows 20 tags of 120 characters; this leaves room for as many again in operators and repetitions.
  public static let textLengthMax = 8192
  /// How deep parentheses and `!` may stand in each other: two for each of the six tags are more than anyone needs.
  public static let depthMax = 32

  /// The expression that `text` spells. An empty one is an error, never everyone.
  ///
  /// `placeholders` are names that may stand in braces where a tag may stand, and what each of them means: with
  /// `category` given as `World || Politics`, `{category} && fr` reads `(World || Politics) && fr`. What is filled in is
  /// an expression already, never text that could change the meaning of its surroundings.
  public init(
    parsing text: some StringProtocol, placeholders: [String: TagExpression] = [:]
  ) throws(TagExpressionError) {
    guard text.utf8.count <= Self.textLengthMax else {
      throw TagExpressionError(column: 1, message: "an expression may have at most \(Self.textLengthMax) bytes")
    }
    var parser = TagExpressionParser(Array(text.unicodeScalars), placeholders: placeholders)
    try self.init(parser.expression(), column: 1)
  }
}

/// By recursive descent: `expression = all ("||" all)*`, `all = one ("&&" one)*`,
/// `one = "!" one | "(" expression ")" | "{" name "}" | tag`.
private struct TagExpressionParser {
  private let text: [Unicode.Scalar]
  private let placeholders: [String: TagExpression]
  private var position = 0
  private var depth = 0

  init(_ text: [Unicode.Scalar], placeholders: [String: TagExpression]) {
    self.text = text
    self.placeholders = placeholders
  }

  mutating func expression() throws(TagExpressionError) -> TagExpression.Term {
    let term = try any()
    guard next == nil else { throw unexpected("&&, || or the end") }
    return term
  }

  private mutating func any() throws(TagExpressionError) -> TagExpression.Term {
    var terms = [try all()]
    while try skip(twice: "|") { terms.append(try all()) }
    return terms.count == 1 ? terms[0] : .any(terms)
  }

  private mutating func all() throws(TagExpressionError) -> TagExpression.Term {
    var terms = [try one()]
    while try skip(twice: "&") { terms.append(try one()) }
    return terms.count == 1 ? terms[0] : .all(terms)
  }

  private mutating func one() throws(TagExpressionError) -> TagExpression.Term {
    depth += 1
    defer { depth -= 1 }
    guard depth <= TagExpression.depthMax else {
      throw error("parentheses and ! may stand in each other at most \(TagExpression.depthMax) deep")
    }
    switch next {
    case "!":
      position += 1
      return .not(try one())
    case "(":
      let opening = position
      position += 1
      let term = try any()
      guard next == ")" else {
        throw next == nil
          ? TagExpressionError(column: opening + 1, message: "the parenthesis that opens here is not closed")
          : unexpected("&&, || or )")
      }
      position += 1
      return term
    case "{": return try placeholder()
    default: return .tag(try tag())
    }
  }

  private mutating func placeholder() throws(TagExpressionError) -> TagExpression.Term {
    guard !placeholders.isEmpty else { throw unexpected("a tag, ! or (") }
    let end = text[position...].firstIndex(of: "}") ?? text.endIndex
    let name = String(String.UnicodeScalarView(text[(position + 1)..<end]))
    guard end < text.endIndex, let expression = placeholders[name] else {
      let known = placeholders.keys.sorted().map { "{\($0)}" }.joined(separator: ", ")
      throw error("expected a known placeholder (\(known)), found '{\(name)\(end < text.endIndex ? "}" : "")'")
    }
    position = end + 1
    return expression.root
  }

  private mutating func tag() throws(TagExpressionError) -> Tag {
    guard let first = next, first == "$" || isTagCharacter(first) else { throw unexpected("a tag, ! or (") }
    let start = position
    position += 1
    while position < text.count, isTagCharacter(text[position]) { position += 1 }
    // `$UserId:{a=b}`: the braces belong to the tag.
    if first == "$", position < text.count, text[position] == "{" {
      position = text[position...].firstIndex(of: "}").map { $0 + 1 } ?? text.count
    }
    do throws(TagError) {
      return try Tag(String(String.UnicodeScalarView(text[start..<position])))
    } catch {
      throw TagExpressionError(column: start + 1, message: error.description)
    }
  }

  /// The next scalar that is no blank.
  private var next: Unicode.Scalar? {
    mutating get {
      while position < text.count, text[position].properties.isWhitespace { position += 1 }
      return position < text.count ? text[position] : nil
    }
  }

  /// Whether `operator`, which is a scalar written twice, comes next; if so it is passed.
  private mutating func skip(twice scalar: Unicode.Scalar) throws(TagExpressionError) -> Bool {
    guard next == scalar else { return false }
    guard position + 1 < text.count, text[position + 1] == scalar else {
      throw error("expected \(scalar)\(scalar), found a single \(scalar)")
    }
    position += 2
    return true
  }

  private func error(_ message: String) -> TagExpressionError {
    TagExpressionError(column: position + 1, message: message)
  }

  private mutating func unexpected(_ wanted: String) -> TagExpressionError {
    let found = next.map { "'\($0)'" } ?? "the end"
    return error("expected \(wanted), found \(found)")
  }
}
