/// Reads one expression as Azure's own validator reads it, so that both accept and refuse alike.
struct TemplateExpressionParser {
  private typealias Text = Substring.UnicodeScalarView

  private let text: String
  private var rest: Text
  /// `$body` is refused only when nothing else is wrong.
  private var usesBody = false

  /// The terms of the expression `text`; a literal's only term is itself.
  static func terms(
    of text: String, kind: TemplateExpression.Kind
  ) throws(TemplateError) -> [TemplateExpression.Term] {
    guard kind != .literal else { return [.literal(text)] }
    var parser = Self(text: text, rest: Substring(text).unicodeScalars)
    if kind == .composite {
      guard text.unicodeScalars.last == "}" else { throw .missingClosingBrace(text) }
      parser.rest = parser.rest.dropFirst().dropLast()
    }
    return try parser.terms()
  }

  /// `term ("+" term)*`.
  private mutating func terms() throws(TemplateError) -> [TemplateExpression.Term] {
    rest = rest.trimmedAtEnd
    var terms: [TemplateExpression.Term] = []
    while true {
      rest = rest.trimmedAtStart
      // No term is shorter, not even an empty literal: '' alone is none, by Azure's count.
      guard rest.holdsThreeUnits else { throw .invalidToken(text, rest: String(rest)) }
      if let term = try term() { terms.append(term) }
      rest = rest.trimmedAtStart
      guard let separator = rest.first else { break }
      guard separator == "+" else { throw .invalidCompositionOperator(text, rest: String(rest)) }
      rest.removeFirst()
    }
    if terms.count > 1, terms.contains(where: \.isNumber) { throw .hashInComposite }
    if usesBody { throw .bodyIsNotSupported }
    return terms
  }

  private mutating func term() throws(TemplateError) -> TemplateExpression.Term? {
    switch rest.first {
    case "'", "\"": return .literal(try literal())
    case "$" where String(rest.prefix(5)).lowercased() == "$body":
      usesBody = true
      rest = rest.dropFirst(5)
      return nil
    case "$", ".", "%", "#": return .property(try reference())
    default: throw .invalidTokenType(text, rest: String(rest))
    }
  }

  /// A text between two quotes of a kind; a quote in it is written twice.
  private mutating func literal() throws(TemplateError) -> String {
    let quote = rest[rest.startIndex]
    var literal = String.UnicodeScalarView()
    var position = rest.index(after: rest.startIndex)
    while position < rest.endIndex {
      let scalar = rest[position]
      position = rest.index(after: position)
      if scalar == quote {
        guard position < rest.endIndex, rest[position] == quote else {
          rest = rest[position...]
          return String(literal)
        }
        position = rest.index(after: position)
      }
      literal.append(scalar)
    }
    throw .literalNotClosed(text, rest: String(rest))
  }

  /// `$(name:{default}, n)` and its kin.
  private mutating func reference() throws(TemplateError) -> TemplateExpression.Reference {
    let token = rest
    let kind = token[token.startIndex]
    let opening = token.index(after: token.startIndex)
    guard token[opening] == "(" else { throw .missingOpenParentheses(text, rest: String(token)) }
    let inside = token[token.index(after: opening)...]
    guard var closing = inside.firstIndex(of: ")") else {
      throw .missingClosingParentheses(text, rest: String(token))
    }

    var name = inside[..<closing]
    var `default` = ""
    var afterDefault = inside.startIndex
    if let beginning = name.firstIndex(ofColonAndBrace: ()) {
      guard beginning > inside.startIndex else { throw .missingProperty(text, rest: String(token)) }
      name = inside[..<beginning]
      (`default`, afterDefault) = try defaultValue(inside[inside.index(beginning, offsetBy: 2)...], of: token)
      // The default may hold any character, parentheses and commas included.
      guard let next = inside[afterDefault...].firstIndex(of: ")") else {
        throw .missingClosingParentheses(text, rest: String(token))
      }
      closing = next
    }

    var length: Int?
    let comma = inside[afterDefault..<closing].firstIndex(of: ",")
    if let comma {
      guard kind == "$" || kind == "." else { throw .percentFormat(text, rest: String(token)) }
      let number = inside[inside.index(after: comma)..<closing]
      length = number.positiveInteger
      guard length != nil else {
        throw .notPositiveInteger(text, rest: String(token), number: String(number))
      }
      if afterDefault == inside.startIndex { name = inside[..<comma] }
    }
    if afterDefault > inside.startIndex, afterDefault != comma ?? closing {
      throw .propertyNameIsBad(String(inside[..<closing]))
    }
    rest = inside[inside.index(after: closing)...]

    let treatment: TemplateExpression.Reference.Treatment
    switch (kind, length) {
    case (".", let length?): treatment = .clipped(lengthMax: length)
    case (".", nil): throw .dotFormat(text, rest: String(token))
    case ("%", _): treatment = .encoded
    case ("#", _): treatment = .number
    default: treatment = .plain(lengthMax: length)
    }
    return .init(name: try propertyName(name), default: `default`, treatment: treatment)
  }

  /// What stands before the first `}` without a backslash before it, and where the text after that begins.
  private func defaultValue(_ inside: Text, of token: Text) throws(TemplateError) -> (String, Text.Index) {
    var value = String.UnicodeScalarView()
    var isEscaped = false
    for position in inside.indices {
      switch inside[position] {
      case "}" where !isEscaped: return (String(value), inside.index(after: position))
      case "\\" where !isEscaped: isEscaped = true
      case let scalar:
        value.append(scalar)
        isEscaped = false
      }
    }
    throw .missingDefaultEnd(text, rest: String(token))
  }

  /// The folded name.
  private func propertyName(_ untrimmed: Text) throws(TemplateError) -> String {
    let name = untrimmed.trimmedAtStart.trimmedAtEnd
    guard !name.isEmpty, name.allSatisfy(\.isPropertyCharacter) else { throw .propertyNameIsBad(String(name)) }
    guard name.count <= Properties.nameLengthMax else { throw .propertyTooLong(name.count) }
    return Properties.fold(String(name))
  }
}

extension TemplateExpression.Term {
  fileprivate var isNumber: Bool {
    if case .property(let reference) = self { reference.treatment == .number } else { false }
  }
}

extension Unicode.Scalar {
  fileprivate var isPropertyCharacter: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "_": true
    default: false
    }
  }
}

extension Substring.UnicodeScalarView {
  fileprivate var trimmedAtStart: Self { drop(while: \.properties.isWhitespace) }

  fileprivate var trimmedAtEnd: Self {
    self[..<(lastIndex { !$0.properties.isWhitespace }.map(index(after:)) ?? startIndex)]
  }

  /// Whether it is at least three UTF-16 units long, in which Azure counts.
  fileprivate var holdsThreeUnits: Bool { prefix(3).reduce(0) { $0 + UTF16.width($1) } >= 3 }

  /// Where `:{` begins.
  fileprivate func firstIndex(ofColonAndBrace: ()) -> Index? {
    indices.first { position in
      let next = index(after: position)
      return self[position] == ":" && next < endIndex && self[next] == "{"
    }
  }

  /// The number, 0 to 2³¹−1, as .NET reads one: blanks around it and a sign before it are allowed.
  fileprivate var positiveInteger: Int? {
    Int32(String(trimmedAtStart.trimmedAtEnd)).flatMap { $0 >= 0 ? Int($0) : nil }
  }
}
