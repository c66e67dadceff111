/// One expression of Azure's template language, parsed once: `$(News_French)`, `.(title, 40)`, `#(badge)`,
/// `{'Hi ' + $(name:{reader})}`; or any other text, which means itself.
///
/// A value is put in as it is and never read as an expression again.
public struct TemplateExpression: Hashable, Sendable {
  /// What an expression is by its first character.
  public enum Kind: String, Hashable, Sendable {
    /// No expression: the text means itself.
    case literal = "Literal"
    /// `$`, `.` or `%`.
    case string = "String"
    /// `#`: a number where the property's text is one.
    case numeric = "Numeric"
    /// `{…}`.
    case composite = "Composite"

    init(of text: String) {
      switch text.unicodeScalars.first {
      case "$", ".", "%": self = .string
      case "#": self = .numeric
      case "{": self = .composite
      default: self = .literal
      }
    }
  }

  /// What an expression gives.
  public enum Value: Hashable, Sendable {
    case text(String)
    /// A number, as the property spelled it: legal JSON.
    case number(String)

    /// The text, whichever it is.
    public var text: String {
      switch self {
      case .text(let text), .number(let text): text
      }
    }
  }

  enum Term: Hashable, Sendable {
    case literal(String)
    case property(Reference)
  }

  /// A property, and what to do with its text.
  struct Reference: Hashable, Sendable {
    enum Treatment: Hashable, Sendable {
      /// `$(name)`, `$(name, n)`: the first `n` characters.
      case plain(lengthMax: Int?)
      /// `.(name, n)`: no more than `n` characters, the last three of them dots where something was cut off.
      case clipped(lengthMax: Int)
      /// `%(name)`: as it may stand in a URL.
      case encoded
      /// `#(name)`.
      case number
    }

    /// The folded name.
    let name: String
    /// What stands for a property that was not sent.
    let `default`: String
    let treatment: Treatment
  }

  /// The text that was parsed.
  public let text: String
  /// What kind of expression it is.
  public let kind: Kind
  let terms: [Term]

  /// The expression that `text` spells. Fails when it begins like one and is none.
  public init(parsing text: some StringProtocol) throws(TemplateError) {
    self.text = String(text)
    kind = Kind(of: self.text)
    terms = try TemplateExpressionParser.terms(of: self.text, kind: kind)
  }

  /// The names of the properties it uses, in lower case.
  public var propertyNames: Set<String> { Set(names) }

  /// The folded names of the properties it uses.
  var names: some Sequence<String> {
    terms.lazy.compactMap { term -> String? in
      if case .property(let reference) = term { reference.name } else { nil }
    }
  }

  /// What the expression gives. A device's own variables hide properties of the same name.
  public func value(_ properties: Properties, pushVariables: Properties = [:]) -> Value {
    value(properties, pushVariables: pushVariables, bytesMax: .max)
  }

  /// What the expression gives; a composite is broken off once it is longer than `bytesMax` bytes.
  func value(_ properties: Properties, pushVariables: Properties, bytesMax: Int) -> Value {
    if terms.count == 1, case .property(let reference) = terms[0] {
      let value = reference.value(properties, pushVariables)
      // In braces a number is a piece of text like any other.
      return kind == .numeric && Self.isNumber(value) ? .number(value) : .text(value)
    }
    var text = ""
    for term in terms where text.utf8.count <= bytesMax {
      switch term {
      case .literal(let literal): text += literal
      case .property(let reference): text += reference.value(properties, pushVariables)
      }
    }
    return .text(text)
  }

  /// Whether `text` is `(0|([1-9][0-9]*))(\.[0-9]+)?((e|E)(+|-)?[0-9]+)?`: no sign, no leading zero.
  private static func isNumber(_ text: String) -> Bool {
    var rest = Substring(text).utf8
    func digits() -> Int {
      let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    let leadingZero = rest.first == UInt8(ascii: "0")
    let whole = digits()
    guard whole == 1 || whole > 1 && !leadingZero else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard digits() > 0 else { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
      guard digits() > 0 else { return false }
    }
    return rest.isEmpty
  }
}

extension TemplateExpression.Reference {
  fileprivate func value(_ properties: Properties, _ pushVariables: Properties) -> String {
    let value = pushVariables[folded: name] ?? properties[folded: name] ?? `default`
    switch treatment {
    case .plain(nil), .number: return value
    case .plain(let lengthMax?): return String(value.prefix(lengthMax))
    case .clipped(let lengthMax):
      // Counting characters is dear; there are never more of them than bytes.
      guard value.utf8.count > lengthMax, value.count > lengthMax else { return value }
      let dots = "...".prefix(lengthMax)
      return String(value.prefix(lengthMax - dots.count) + dots)
    case .encoded: return percentEncoded(value)
    }
  }
}
