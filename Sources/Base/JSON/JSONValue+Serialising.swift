extension JSONValue {
  /// The value as UTF-8 JSON text: compact, or, when `pretty`, one member a line, indented by two spaces.
  public func serialized(pretty: Bool = false) -> [UInt8] {
    var output: [UInt8] = []
    append(to: &output, indentation: pretty ? 0 : nil)
    return output
  }

  /// The value as JSON text: compact, or, when `pretty`, one member a line, indented by two spaces.
  public func text(pretty: Bool = false) -> String { String(decoding: serialized(pretty: pretty), as: UTF8.self) }

  /// Appends `text` to `output`, escaped as the inside of a JSON string; the quotes are the caller's.
  public static func appendEscaped(_ text: String, to output: inout [UInt8]) {
    guard holdsEscapable(text) else {
      output.append(contentsOf: text.utf8)
      return
    }
    for byte in text.utf8 {
      guard needsEscape(byte) else {
        output.append(byte)
        continue
      }
      output.append(UInt8(ascii: "\\"))
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
      case 0x08: output.append(UInt8(ascii: "b"))
      case 0x09: output.append(UInt8(ascii: "t"))
      case 0x0A: output.append(UInt8(ascii: "n"))
      case 0x0C: output.append(UInt8(ascii: "f"))
      case 0x0D: output.append(UInt8(ascii: "r"))
      default: output.append(contentsOf: "u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8)
      }
    }
  }

  private static func holdsEscapable(_ text: String) -> Bool {
    let bytes = text.utf8.span
    for index in bytes.indices where needsEscape(bytes[index]) { return true }
    return false
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private func append(to output: inout [UInt8], indentation: Int?) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let flag): output.append(contentsOf: (flag ? "true" : "false").utf8)
    case .number(let number): output.append(contentsOf: number.spelling.utf8)
    case .string(let text): Self.appendQuoted(text, to: &output)
    case .array(let elements):
      Self.appendList("[", elements, "]", to: &output, indentation: indentation) { element, output, indentation in
        element.append(to: &output, indentation: indentation)
      }
    case .object(let object):
      Self.appendList("{", object, "}", to: &output, indentation: indentation) { member, output, indentation in
        Self.appendQuoted(member.key, to: &output)
        output.append(UInt8(ascii: ":"))
        if indentation != nil { output.append(UInt8(ascii: " ")) }
        member.value.append(to: &output, indentation: indentation)
      }
    }
  }

  private static func appendQuoted(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    appendEscaped(text, to: &output)
    output.append(UInt8(ascii: "\""))
  }

  private static func appendList<Elements: Collection>(
    _ opening: Unicode.Scalar, _ elements: Elements, _ closing: Unicode.Scalar, to output: inout [UInt8],
    indentation: Int?, each: (Elements.Element, inout [UInt8], Int?) -> Void
  ) {
    output.append(UInt8(ascii: opening))
    let inner = indentation.map { $0 + 2 }
    var isFirst = true
    for element in elements {
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      appendLineBreak(inner, to: &output)
      each(element, &output, inner)
    }
    if !isFirst { appendLineBreak(indentation, to: &output) }
    output.append(UInt8(ascii: closing))
  }

  private static func appendLineBreak(_ indentation: Int?, to output: inout [UInt8]) {
    guard let indentation else { return }
    output.append(UInt8(ascii: "\n"))
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indentation))
  }
}

extension JSONValue: CustomStringConvertible {
  /// The compact JSON text.
  public var description: String { text() }
}
