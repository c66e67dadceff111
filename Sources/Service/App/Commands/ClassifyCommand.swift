internal import Classify
internal import Files
internal import JSON
internal import News
internal import Topics

/// `classify`: articles as JSON Lines to what they are about.
struct ClassifyCommand: Command {
  private static let model = CommandOption(
    name: "model", value: "FILE", help: "another model than the one that ships")
  private static let homeCountry = CommandOption(
    name: "home-country", value: "CC", help: "where readers are at home, where a line does not say: two letters")
  private static let explain = CommandOption.flag("explain", "name the words and places that decided, too")
  private static let threshold = CommandOption(
    name: "threshold", value: "NUMBER", help: "the least confidence at which the model answers, 0 to 1")

  let usage = CommandUsage(
    name: "classify", summary: "says what articles are about",
    options: [model, homeCountry, threshold, explain],
    explanation: """
      Reads JSON Lines from standard input:
        {"id"?, "title", "summary"?, "language"?, "categories"?, "source"?, "homeCountry"?}
      and prints a line for each: its categories, the scores of all six, whether it is classified or abstained, and why.
      Categories of a line are its publisher's terms and go before the model, as in the worker. A line that cannot be read
      is told on standard error; the others are classified all the same, and the exit status is 1.
      """,
    examples: [#"echo '{"title": "Striker scores twice in cup final"}' | tidings classify --explain"#])

  /// All lines together.
  private static let inputBytesMax = 1 << 30

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let share = try console.share()
    let home = try Self.country(arguments.value(Self.homeCountry))
    let model = try TopicModel(path: arguments.value(Self.model) ?? share.path(LoadedConfiguration.modelFile))
    let judge = ModelClassifier(model: model, threshold: try Self.threshold(arguments.value(Self.threshold)))
    let hints = HintClassifier(table: try CategoryTable(file: share.path("categories.yaml")))
    var hasFailed = false
    let input = try console.readInput(Self.inputBytesMax)
    for (index, line) in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) else { continue }
      do {
        let item = try Item(JSONValue(parsing: Array(line)))
        let chain = ChainClassifier(hints: hints, model: judge, homes: .init(usual: item.home ?? home))
        let classification = chain.classify(item.article, subscribed: nil)
        try console.writeLine(
          Self.answer(item.id, classification, explained: arguments.isSet(Self.explain)).text())
      } catch let error as JSONError {
        console.say("standard input:\(index + 1): \(error.message)")
        hasFailed = true
      } catch let error as Item.Fault {
        console.say("standard input:\(index + 1): \(error.description)")
        hasFailed = true
      }
    }
    if hasFailed { throw CommandFailure.reported }
  }

  private static func answer(_ id: JSONValue?, _ classification: Classification, explained: Bool) -> JSONValue {
    var object = JSONObject()
    object["id"] = id
    object["categories"] = .array(classification.categories.map { .string($0.rawValue) })
    object["scores"] = classification.scoresJSON
    object["decision"] = classification.abstained ? "abstained" : "classified"
    // The first of each origin says what was decided, those after it why.
    var told: Set<String> = []
    let evidence = classification.evidence.filter { told.insert($0.origin).inserted || explained }
    object["evidence"] = .array(evidence.map { .string("\($0.origin): \($0.detail)") })
    return .object(object)
  }

  private static func country(_ text: String?) throws(CommandFailure) -> CountryCode? {
    guard let text else { return nil }
    guard let country = CountryCode(text) else {
      throw .usage("\"\(text)\" is no country; write two letters such as GB")
    }
    return country
  }

  private static func threshold(_ text: String?) throws(CommandFailure) -> Float? {
    guard let text else { return nil }
    guard let number = Float(text), (0...1).contains(number) else {
      throw .usage("\"\(text)\" is no threshold; write a number from 0 to 1")
    }
    return number
  }
}

/// A line of the input.
private struct Item {
  /// What is wrong with one.
  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  var id: JSONValue?
  var article: Article
  var home: CountryCode?

  init(_ json: JSONValue) throws(Fault) {
    guard json.object != nil else { throw Fault(description: "it is no JSON object") }
    func text(_ name: String) throws(Fault) -> String? {
      guard let value = json[name], value != .null else { return nil }
      guard let text = value.string else { throw Fault(description: "\"\(name)\" is no text") }
      return text
    }
    guard let title = try text("title") else { throw Fault(description: "\"title\" is missing") }
    id = json["id"]
    article = Article(
      id: id?.string ?? "", text: .init(headline: title, summary: try text("summary")),
      language: try text("language"))
    article.source = try text("source")
    article.terms = (json["categories"]?.array ?? []).compactMap { $0.string.map { CategoryTerm($0) } }
    guard let home = try text("homeCountry") else { return }
    guard let country = CountryCode(home) else { throw Fault(description: "\"\(home)\" is no country") }
    self.home = country
  }
}

extension Classification {
  /// The scores by category, the most probable first; empty where no model was asked.
  var scoresJSON: JSONValue {
    .object(
      JSONObject(
        scores.compactMap { score in
          JSONNumber(score.probability).map { (key: score.category.rawValue, value: .number($0)) }
        }))
  }
}
