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
      and why, what would be decided now, the tags and properties of its notification, each send to each hub, and the
      payload of each platform and locale with its size in bytes against the platform's limit: by the house templates
      for those that have one, by the usual templates of apps for the others. Sends nothing.
      """,
    examples: ["tidings compose article.json --config tidings.yaml"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let share = try console.share()
    let loaded = try arguments.value(Self.config).map { file throws(Problems) in
      try LoadedConfiguration(file: file, environment: console.environment, share: share)
    }
    let configuration = try loaded ?? LoadedConfiguration(share: share)
    let article = try ArticleFile(arguments.operands[0], console).article
    let preview = try Self.preview(of: article, by: configuration, share, at: console.clock.now)
    try console.writeLine(preview.text(pretty: console.output.isTerminal))
  }

  private static func preview(
    of article: Article, by configuration: LoadedConfiguration, _ share: Share, at now: Timestamp
  ) throws -> JSONValue {
    let classification = configuration.classifier().classify(article, subscribed: nil)
    let policy = configuration.options.publisher.policy
    let verdict = policy.judge(article, classification: classification, firstSeen: now, now: now)
    var object: JSONObject = [
      "articleId": .string(article.id),
      "categories": .array(classification.categories.map { .string($0.rawValue) }),
      "scores": classification.scoresJSON,
      "evidence": .array(classification.evidence.map { .string("\($0.origin): \($0.detail)") }),
      "decision": verdict.json,
    ]
    // What is about nothing has no audience, and so no notification.
    guard !classification.abstained else { return .object(object) }
    let publication = Publication(
      storyID: article.id, kind: .alert, articleID: article.id, categories: classification.categories,
      notificationID: NotificationID(at: now), time: now)
    let told = Telling(article: article, categories: classification.categories, publication: publication, time: now)
    guard let notification = try told.notification(by: configuration.composer) else {
      object["decision"] = ["action": "drop", "reason": "it has no text in any reader's language"]
      return .object(object)
    }
    if case .matching(let expression) = notification.audience { object["tags"] = .string("\(expression)") }
    object["properties"] = notification.properties.json
    object["sends"] = .array(try configuration.outletPlans.map(told.send))
    let templates = try configuration.templates(share)
    object["payloads"] = .array(
      try configuration.locales.flatMap { locale in
        try told.payloads(by: templates, in: locale, configuration.options.publisher)
          + UsualTemplate.all(for: locale).map { $0.rendered(notification.properties, locale) }
      })
    return .object(object)
  }
}

/// An article that is about to be told, and how it would be written.
private struct Telling {
  let article: Article
  let categories: [News.Category]
  let publication: Publication
  let time: Timestamp

  func notification(by composer: Composer) throws -> Push.Notification? {
    try composer.compose(article, categories: categories, as: publication)
  }

  /// What goes to one outlet.
  func send(to plan: OutletPlan) throws -> JSONValue {
    var object: JSONObject = ["outlet": .string(plan.name)]
    guard let notification = try notification(by: plan.composer) else {
      object["skipped"] = "it has no text for these readers"
      return .object(object)
    }
    if case .matching(let expression) = notification.audience { object["tags"] = .string("\(expression)") }
    switch plan.form {
    case .template:
      object["format"] = "template"
      object["bytes"] = .number(JSONNumber(notification.properties.json.serialized().count))
    case .native(let template, let locale):
      object["format"] = .string(template.format.rawValue)
      object["bytes"] = .number(
        JSONNumber(try template.payload(of: notification, in: locale, at: time).body.utf8.count))
    }
    return .object(object)
  }

  /// What house templates make of it; nothing where the locale's readers are left out.
  func payloads(by templates: [HouseTemplate], in locale: Locale, _ publisher: Configuration.Publisher) throws
    -> [JSONValue]
  {
    let composer = Composer(locales: [locale], routing: publisher.routing.value, lifetime: publisher.lifetime)
    guard let notification = try notification(by: composer) else { return [] }
    return try templates.map { template in
      let payload = try template.payload(of: notification, in: locale, at: time)
      return [
        "platform": .string(template.format.platform.rawValue), "locale": .string(locale.name),
        "bytes": .number(JSONNumber(payload.body.utf8.count)),
        "bytesMax": .number(JSONNumber(template.format.payloadBytesMax)), "fits": true,
        "headers": .object(JSONObject(payload.headers.map { ($0.name, .string($0.value)) })),
        "body": .string(payload.body),
      ]
    }
  }
}

extension LoadedConfiguration {
  /// The house template of each platform: the configuration's own where a hub is written to by it, else the one that
  /// ships.
  fileprivate func templates(_ share: Share) throws(Problems) -> [HouseTemplate] {
    var templates: [HouseTemplate] = []
    for format in AzureFormat.allCases {
      if let own = houseTemplates.lazy.compactMap({ $0?[format] }).first {
        templates.append(own)
      } else {
        templates.append(try HouseTemplate(format, in: share.path("templates")))
      }
    }
    return templates
  }
}

/// A template as apps usually register it on platforms that have no house template.
private struct UsualTemplate {
  let platform: Platform
  /// The longest payload that the platform's service takes, in bytes.
  let bytesMax: Int
  let template: Template

  private init(_ platform: Platform, bytesMax: Int, _ body: String) {
    self.platform = platform
    self.bytesMax = bytesMax
    do { template = try Template(body: body) } catch { preconditionFailure("\(body): \(error)") }
  }

  /// Web Push limits what is encrypted to 4096 bytes (RFC 8291), of which 103 are header, padding and tag; devices that
  /// listen here take what the hub renders at most.
  static func all(for locale: Locale) -> [UsualTemplate] {
    let body =
      #"{"message": "$(\#(locale.property))", "title": "$(title)", "category": "$(category)", "url": "$(url)"}"#
    return [.init(.browser, bytesMax: 3993, body), .init(.sse, bytesMax: 4096, body)]
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
