internal import JSON
internal import Push

/// `render`: tries a template on a notification's properties.
struct RenderCommand: Command {
  private static let template = CommandOption(
    name: "template", value: "BODY", help: "the template's body, JSON or XML", isRequired: true)
  private static let properties = CommandOption(
    name: "properties", value: "JSON", help: "the notification's properties, an object of strings", isRequired: true)
  private static let format = CommandOption(
    name: "format", value: "json|xml|text", help: "what the body is; without it XML if it begins with <, else JSON")

  let usage = CommandUsage(
    name: "render", summary: "tries a template on a notification's properties",
    options: [template, properties, format],
    explanation: """
      Prints the rendered body. A template or properties that are not legal are told with their place, and the exit
      status is 1.
      """,
    examples: [
      #"tidings render --template '{"aps": {"alert": "$(News_French)"}}' --properties '{"News_French": "Séisme"}'"#
    ])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let format = try arguments.value(Self.format).map(Self.format(named:))
    let template: Template
    do throws(TemplateError) {
      template = try Template(body: arguments.required(Self.template), format: format)
    } catch {
      throw CommandFailure.failed("the template is not legal: \(error)")
    }
    let properties = try Self.properties(in: arguments.required(Self.properties))
    try console.writeLine(template.render(properties))
  }

  private static func format(named name: String) throws(CommandFailure) -> Template.Format {
    switch name {
    case "json": return .json
    case "xml": return .xml
    case "text": return .text
    default: throw .usage("there is no format \"\(name)\"; \(["json", "xml", "text"].suggestion(for: name))")
    }
  }

  private static func properties(in text: String) throws(CommandFailure) -> Properties {
    do {
      return try Properties(json: JSONValue(parsing: text))
    } catch {
      throw .failed("the properties are not legal: \(error)")
    }
  }
}
