import JSON

/// How a value is written so that it stays a value where it stands.
enum Escaping: Hashable, Sendable {
  /// As it is.
  case none
  /// A JSON value: a string in quotes, or a number.
  case json
  /// Text of an XML element.
  case xmlText
  /// The value of an XML attribute, without its quotes.
  case xmlAttribute
  /// The inside of a CDATA section.
  case xmlCharacterData

  func append(_ value: TemplateExpression.Value, to output: inout [UInt8]) {
    switch (self, value) {
    case (.none, _), (.json, .number): output.append(contentsOf: value.text.utf8)
    case (.json, .text(let text)):
      output.append(UInt8(ascii: "\""))
      JSONValue.appendEscaped(text, to: &output)
      output.append(UInt8(ascii: "\""))
    case (.xmlText, _), (.xmlAttribute, _), (.xmlCharacterData, _):
      for scalar in value.text.unicodeScalars where scalar.isXMLCharacter { append(scalar, to: &output) }
    }
  }

  /// Appends one character that XML allows.
  private func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
    switch (scalar, self) {
    case (">", .xmlCharacterData) where output.suffix(2).elementsEqual("]]".utf8):
      // "]]>" would end the section: this ends it between the two and begins another.
      output.append(contentsOf: "]]><![CDATA[>".utf8)
    case (_, .xmlCharacterData): output.append(contentsOf: UTF8.encode(scalar)!)
    case ("&", _): output.append(contentsOf: "&amp;".utf8)
    case ("<", _): output.append(contentsOf: "&lt;".utf8)
    case (">", _): output.append(contentsOf: "&gt;".utf8)
    case ("\"", .xmlAttribute): output.append(contentsOf: "&quot;".utf8)
    case ("'", .xmlAttribute): output.append(contentsOf: "&apos;".utf8)
    // A parser turns a bare carriage return into a line feed, and in attributes either and a tab into a blank.
    case ("\r", _), ("\n", .xmlAttribute), ("\t", .xmlAttribute): output.append(contentsOf: "&#\(scalar.value);".utf8)
    default: output.append(contentsOf: UTF8.encode(scalar)!)
    }
  }
}

extension Unicode.Scalar {
  /// Whether an XML document may hold it at all, escaped or not (XML 1.0, production 2). What it may not is left out.
  var isXMLCharacter: Bool {
    switch value {
    case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x1_0000...0x10_FFFF: true
    default: false
    }
  }
}
