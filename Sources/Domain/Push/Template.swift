/// What a device gets shown, with holes for a notification's properties: a JSON or XML document each of whose values may
/// be an expression. Compiled once, rendered for every notification.
///
///     let template = try Template(body: #"{"aps": {"alert": "$(News_French)"}}"#)
///     template.render(["News_French": "Séisme"])   // {"aps": {"alert": "Séisme"}}
///
/// The rest of the document stays as its author wrote it, to the blank.
public struct Template: Sendable {
  /// What the body is, which says where expressions may stand and how values are escaped.
  public enum Format: Hashable, Sendable {
    /// An object. Every string that is a value, and no key, is an expression.
    case json
    /// A document without a DOCTYPE. Every attribute's value and every run of text is an expression.
    case xml
    /// The whole body is one expression, and its value is sent as it is.
    case text
  }

  /// The body as its author wrote it.
  public let body: String
  /// What the body is.
  public let format: Format
  /// The name of the document's element, in an XML body.
  public let rootElement: String?
  /// The names of all properties that the body uses, in lower case.
  public let propertyNames: Set<String>
  private let segments: [Segment]

  /// The template with this body. Without a format it is XML where it begins with `<`, else JSON.
  public init(body: String, format: Format? = nil) throws(TemplateError) {
    self.body = body
    self.format = format ?? (body.first { !$0.isWhitespace } == "<" ? .xml : .json)
    var compiler = TemplateCompiler(body)
    switch self.format {
    case .json:
      rootElement = nil
      try compiler.compileJSON()
    case .xml: rootElement = try compiler.compileXML()
    case .text:
      rootElement = nil
      let expression = try TemplateExpression(parsing: body)
      compiler.replace(0..<body.utf8.count, by: expression, escaping: .none)
    }
    segments = compiler.finish()
    propertyNames = segments.reduce(into: []) { names, segment in
      if case .expression(let expression, _) = segment { names.formUnion(expression.names) }
    }
  }

  /// The body with its holes filled. A device's own variables hide properties of the same name.
  public func render(_ properties: Properties, pushVariables: Properties = [:]) -> String {
    String(decoding: rendered(properties, pushVariables, bytesMax: .max), as: UTF8.self)
  }

  /// The body with its holes filled, or nil when that is longer than `bytesMax` bytes. A body of many holes could
  /// otherwise make gigabytes of a long property.
  public func render(_ properties: Properties, pushVariables: Properties = [:], bytesMax: Int) -> String? {
    let output = rendered(properties, pushVariables, bytesMax: bytesMax)
    return output.count > bytesMax ? nil : String(decoding: output, as: UTF8.self)
  }

  /// The body with its holes filled; broken off, and longer than `bytesMax`, where the whole would be.
  private func rendered(_ properties: Properties, _ pushVariables: Properties, bytesMax: Int) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(min(body.utf8.count * 2, bytesMax))
    for segment in segments where output.count <= bytesMax {
      switch segment {
      case .verbatim(let bytes): output.append(contentsOf: bytes)
      case .expression(let expression, let escaping):
        let value = expression.value(properties, pushVariables: pushVariables, bytesMax: bytesMax)
        escaping.append(value, to: &output)
      }
    }
    return output
  }

  enum Segment: Sendable {
    case verbatim(ArraySlice<UInt8>)
    case expression(TemplateExpression, Escaping)
  }
}

extension Template: Hashable {
  /// Templates are equal when their bodies and formats are.
  public static func == (left: Template, right: Template) -> Bool {
    left.body == right.body && left.format == right.format
  }

  /// Feeds body and format into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(body)
    hasher.combine(format)
  }
}

/// Cuts a body into what stays and what is put in.
struct TemplateCompiler {
  let source: [UInt8]
  private var segments: [Template.Segment] = []
  /// Up to here the source is in `segments`.
  private var copied = 0

  init(_ body: String) { source = Array(body.utf8) }

  /// Puts `expression` in the place of the bytes `range`, which come after those of all earlier calls.
  mutating func replace(_ range: Range<Int>, by expression: TemplateExpression, escaping: Escaping) {
    if copied < range.lowerBound { segments.append(.verbatim(source[copied..<range.lowerBound])) }
    segments.append(.expression(expression, escaping))
    copied = range.upperBound
  }

  consuming func finish() -> [Template.Segment] {
    if copied < source.count { segments.append(.verbatim(source[copied...])) }
    return segments
  }
}
