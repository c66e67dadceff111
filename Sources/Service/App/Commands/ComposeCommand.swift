internal import Classify
internal import Files
internal import JSON
internal import News
internal import Publish
internal import Push
internal import Time

/// `compose`: shows what an article would become, without sending it.
struct ComposeCommand: Command {
  private static let config = CommandOption(
    name: "config", value: "FILE",
    help: "the configuration with locales, routing and categories; without it the defaults")

  let usage = CommandUsage(
    name: "compose", summary: "shows what would be sent for an article", operands: .one("ARTICLE.json"),
    options: [config],
    explanation: """
      Reads an article in the editors' format (`-` for standard input) and prints, as one JSON object, what it is about
      and why, what would be decided now, the tags and properties of its notification, and what the usual template of
      each platform and locale makes of it, with its size in bytes against the platform's limit. Sends nothing.
      """,
    examples: ["tidings compose article.json --config tidings.yaml"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let share = try console.share()
    let loaded = try arguments.value(Self.config).map { file throws(Problems) in
      try LoadedConfiguration(file: file, environment: console.environment, share: share)
    }
    let configuration = try loaded ?? LoadedConfiguration(share: share)
    let article = try ArticleFile(arguments.operands[0], console).article
    let preview = try Self.preview(of: article, by: configuration, at: console.clock.now)
    try console.writeLine(preview.text(pretty: console.output.isTerminal))
  }

  private static func preview(
    of article: Article, by configuration: LoadedConfiguration, at now: Timestamp
  ) throws -> JSONValue {
    let classification = HintClassifier(table: configuration.categoryTable).classify(article, subscribed: nil)
    let policy = configuration.options.publisher.policy
    let verdict = policy.judge(article, classification: classification, firstSeen: now, now: now)
    var object: JSONObject = [
      "articleId": .string(article.id),
      "categories": .array(classification.categories.map { .string($0.rawValue) }),
      "evidence": .array(classification.evidence.map { .string("\($0.origin): \($0.detail)") }),
      "decision": verdict.json,
    ]
    // What is about nothing has no audience, and so no notification.
    guard !classification.abstained else { return .object(object) }
    let publication = Publication(
      storyID: article.id, kind: .alert, articleID: article.id, categories: classification.categories,
      notificationID: NotificationID(at: now), time: now)
    guard
      let notification = try configuration.composer.compose(
        article, categories: classification.categories, as: publication)
    else { return .object(object) }
    if case .matching(let expression) = notification.audience { object["tags"] = .string("\(expression)") }
    object["properties"] = notification.properties.json
    object["payloads"] = .array(
      configuration.locales.flatMap { locale in
        PlatformTemplate.usual(for: locale).map { $0.rendered(notification.properties, locale) }
      })
    return .object(object)
  }
}

/// A template as apps of a platform usually register it.
private struct PlatformTemplate {
  let platform: Platform
  /// The longest payload that the platform's service takes, in bytes.
  let bytesMax: Int
  let template: Template

  private init(_ platform: Platform, bytesMax: Int, _ body: String) {
    self.platform = platform
    self.bytesMax = bytesMax
    do { template = try Template(body: body) } catch { preconditionFailure("\(body): \(error)") }
  }

  /// The platforms that are in use, with their services' limits. Web Push limits what is encrypted to 4096 bytes
  /// (RFC 8291), of which 103 are header, padding and tag; devices that listen here take what the hub renders at most.
  static func usual(for locale: Locale) -> [PlatformTemplate] {
    let text = "$(\(locale.property))"
    let plain = #"{"message": "\#(text)", "title": "$(title)", "category": "$(category)", "url": "$(url)"}"#
    return [
      .init(.apns, bytesMax: 4096, #"{"aps": {"alert": "\#(text)", "sound": "default"}, "url": "$(url)"}"#),
      .init(
        .fcmV1, bytesMax: 4096,
        #"{"message": {"notification": {"body": "\#(text)"}, "data": {"url": "$(url)", "title": "$(title)"}}}"#),
      .init(
        .wns, bytesMax: 5000,
        #"<toast launch="$(url)"><visual><binding template="ToastGeneric"><text>\#(text)</text></binding></visual></toast>"#
      ),
      .init(.browser, bytesMax: 3993, plain),
      .init(.sse, bytesMax: 4096, plain),
    ]
  }

  func rendered(_ properties: Properties, _ locale: Locale) -> JSONValue {
    let body = template.render(properties)
    let size = body.utf8.count
    return [
      "platform": .string(platform.rawValue), "locale": .string(locale.name), "bytes": .number(JSONNumber(size)),
      "bytesMax": .number(JSONNumber(bytesMax)), "fits": .bool(size <= bytesMax), "body": .string(body),
    ]
  }
}

extension PushPolicy.Verdict {
  fileprivate var json: JSONValue {
    switch self {
    case .push: ["action": "push"]
    case .hold(let until?, let reason):
      ["action": "hold", "reason": .string(reason), "until": .string(until.rfc3339)]
    case .hold(nil, let reason): ["action": "hold", "reason": .string(reason)]
    case .drop(let reason): ["action": "drop", "reason": .string(reason)]
    case .withdraw(let reason): ["action": "withdraw", "reason": .string(reason)]
    }
  }
}
