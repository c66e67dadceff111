import JSON

extension TemplateCompiler {
  /// Finds the expressions among the string values of a JSON object.
  mutating func compileJSON() throws(TemplateError) {
    var scanner = JSONScanner(source)
    var path = JSONPath()
    guard try next(&scanner) == .beginObject else {
      throw .invalidPayloadFormat("expected an object in braces, or an XML document")
    }
    path.pass(.beginObject)
    while let token = try next(&scanner) {
      path.pass(token)
      guard case .string(let text) = token else { continue }
      do throws(TemplateError) {
        let expression = try TemplateExpression(parsing: text)
        if expression.kind != .literal { replace(scanner.range, by: expression, escaping: .json) }
      } catch {
        throw error.at(.init(byte: scanner.range.lowerBound, of: source, pointer: path.pointer))
      }
    }
  }

  private func next(_ scanner: inout JSONScanner) throws(TemplateError) -> JSONScanner.Token? {
    do throws(JSONError) {
      return try scanner.next()
    } catch {
      throw .bodyNotDeserialized(error.message, at: .init(line: error.line, column: error.column))
    }
  }
}

/// The way from a document's root to the token that was passed last.
private struct JSONPath {
  private enum Step {
    case member(String)
    case element(Int)
  }

  private var steps: [Step] = []

  mutating func pass(_ token: JSONScanner.Token) {
    switch token {
    case .endObject, .endArray: steps.removeLast()
    case .key(let key): steps[steps.count - 1] = .member(key)
    default:
      if case .element(let index)? = steps.last { steps[steps.count - 1] = .element(index + 1) }
      // The first key, or the first element, makes the new step a real one.
      if token == .beginObject { steps.append(.member("")) }
      if token == .beginArray { steps.append(.element(-1)) }
    }
  }

  /// The way as a JSON Pointer (RFC 6901).
  var pointer: String {
    steps.reduce(into: "") { pointer, step in
      switch step {
      case .member(let key):
        pointer += "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
      case .element(let index): pointer += "/\(index)"
      }
    }
  }
}
