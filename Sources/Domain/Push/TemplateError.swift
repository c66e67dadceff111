/// Why a template or an expression is refused: in Azure's words, with the place.
public struct TemplateError: Error, Hashable, Sendable {
  /// What is wrong; the raw value is the resource name of Azure's message.
  public enum Kind: String, Hashable, Sendable {
    case missingOpenParentheses = "ExpressionMissingOpenParentheses"
    case missingClosingParentheses = "ExpressionMissingClosingParentheses"
    case missingClosingBrace = "ExpressionMissingClosingParenthesesNoToken"
    case invalidTokenType = "ExpressionInvalidTokenType"
    case invalidToken = "ExpressionInvalidToken"
    case dotFormat = "ExpressionErrorParseDotFormat"
    case percentFormat = "ExpressionErrorParsePercentFormat"
    case notPositiveInteger = "ExpressionIsNotPositiveInteger"
    case literalNotClosed = "ExpressionLiteralMissingClosingNotation"
    case invalidCompositionOperator = "ExpressionInvalidCompositionOperator"
    case missingDefaultEnd = "ExpressionMissingDefaultEnd"
    case missingProperty = "ExpressionMissingProperty"
    case hashInComposite = "ExpressionHashInComposite"
    case propertyNameIsBad = "PropertyNameIsBad"
    case propertyTooLong = "PropertyTooLong"
    case bodyIsNotSupported = "BodyIsNotSupportedExpression"
    case bodyNotDeserialized = "FailedToDeserializeBodyTemplate"
    case invalidPayloadFormat = "InvalidPayLoadFormat"
  }

  /// Where in a template's body, both from 1.
  public struct Place: Hashable, Sendable {
    /// The line.
    public let line: Int
    /// The character in its line, counted in Unicode scalars.
    public let column: Int
    /// The way to the value in a JSON body, as a JSON Pointer (RFC 6901): `/aps/alert`; nil in other bodies.
    public let pointer: String?

    init(byte offset: Int, of source: [UInt8], pointer: String? = nil) {
      let before = source[..<min(offset, source.count)]
      let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      self.init(
        line: before.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 },
        // Continuation bytes (10xxxxxx) belong to the scalar before them.
        column: before[lineStart...].reduce(1) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }, pointer: pointer)
    }

    init(line: Int, column: Int, pointer: String? = nil) {
      self.line = line
      self.column = column
      self.pointer = pointer
    }
  }

  /// What is wrong.
  public let kind: Kind
  /// Azure's message for it.
  public let message: String
  /// What Azure's message leaves out: what was found, and what would be right; may be empty.
  public let advice: String
  /// Where in the body; nil when an expression was read by itself.
  public let place: Place?

  init(_ kind: Kind, _ message: String, advice: String = "", at place: Place? = nil) {
    self.kind = kind
    self.message = message
    self.advice = advice
    self.place = place
  }

  /// The same fault, found in a body at `place`.
  func at(_ place: Place) -> TemplateError { TemplateError(kind, message, advice: advice, at: place) }
}

extension TemplateError: CustomStringConvertible {
  /// `message (line:column /pointer: advice)`.
  public var description: String {
    let details = [place?.description, advice.isEmpty ? nil : advice].compactMap(\.self)
    return message + (details.isEmpty ? "" : " (\(details.joined(separator: ": ")))")
  }
}

extension TemplateError.Place: CustomStringConvertible {
  /// `line:column`, and the pointer if there is one.
  public var description: String { "\(line):\(column)" + (pointer.map { " \($0)" } ?? "") }
}

// The words are those of Azure's SDK, so that who searches for them finds what was written about them.
extension TemplateError {
  static func missingOpenParentheses(_ text: String, rest: String) -> Self {
    Self(
      .missingOpenParentheses,
      "Expression is \(text). The character following $ or . or % should be a ( The current invalid token is \(rest)")
  }

  static func missingClosingParentheses(_ text: String, rest: String) -> Self {
    Self(
      .missingClosingParentheses,
      "Expression is \(text). Missing closing parentheses. Current invalid token is \(rest)")
  }

  static func missingClosingBrace(_ text: String) -> Self {
    Self(.missingClosingBrace, "Expression is \(text). Error is closing parenthesis is missing")
  }

  static func invalidTokenType(_ text: String, rest: String) -> Self {
    Self(
      .invalidTokenType,
      "Expression is \(text). Token has to begin with one of these characters . % ' \"\" $. "
        + "Current invalid token is \(rest)")
  }

  static func invalidToken(_ text: String, rest: String) -> Self {
    Self(.invalidToken, "Expression is \(text). Error is it contains an invalid token : \(rest)")
  }

  static func dotFormat(_ text: String, rest: String) -> Self {
    Self(
      .dotFormat,
      "Expression is \(text). Error trying to parse for .(prop , n) format. The current invalid token is \(rest)")
  }

  static func percentFormat(_ text: String, rest: String) -> Self {
    Self(
      .percentFormat,
      "Expression is \(text). The expression %(prop , n) is not a valid. The current invalid token is \(rest)")
  }

  static func notPositiveInteger(_ text: String, rest: String, number: String) -> Self {
    Self(
      .notPositiveInteger,
      "Expression is \(text). \(number) is not a positive integer. The current invalid token is \(rest)")
  }

  static func literalNotClosed(_ text: String, rest: String) -> Self {
    Self(
      .literalNotClosed,
      "Expression is \(text). Literal is missing closing notation. Current invalid token is \(rest)")
  }

  static func invalidCompositionOperator(_ text: String, rest: String) -> Self {
    Self(
      .invalidCompositionOperator,
      "Expression is \(text). Only valid composition operator is +. Current invalid token is : \(rest)")
  }

  static func missingDefaultEnd(_ text: String, rest: String) -> Self {
    Self(.missingDefaultEnd, "Expression is \(text). Missing default's end. Current invalid token is \(rest)")
  }

  static func missingProperty(_ text: String, rest: String) -> Self {
    Self(.missingProperty, "Expression is \(text). Missing property. Current invalid token is \(rest)")
  }

  static var hashInComposite: Self {
    Self(.hashInComposite, "Token type '#(prop)' is not allowed in composite expression.")
  }

  static func propertyNameIsBad(_ name: String) -> Self {
    Self(
      .propertyNameIsBad,
      "Property name is \(name). Only ASCII-7 alphanumeric characters and '_' are permitted in the property name")
  }

  static func propertyTooLong(_ length: Int) -> Self {
    Self(
      .propertyTooLong,
      "Property name is of length. \(length). Maximum allowed length is \(Properties.nameLengthMax)")
  }

  static var bodyIsNotSupported: Self {
    Self(.bodyIsNotSupported, "Expression type '$body' is not supported.")
  }

  static func bodyNotDeserialized(_ advice: String, at place: Place?) -> Self {
    Self(.bodyNotDeserialized, "Failed to deserialize the body template.", advice: advice, at: place)
  }

  static func invalidPayloadFormat(_ advice: String) -> Self {
    Self(
      .invalidPayloadFormat, "Invalid payload format. Either Json object or valid Xml are allowed.", advice: advice)
  }
}
