public import Push
import Synchronization
public import Time

/// A notification on its way through the templates: turns pages of matches into steps of its fan-out, and renders once
/// for every template, whoever has it.
public struct Rendition {
  private let notification: Notification
  private let templates: TemplateCache
  private let limits: Limits
  private var texts: [TemplateID: Result<RenderedText, RenderingError>] = [:]

  /// The bounds of what is rendered and kept.
  public struct Limits: Sendable {
    /// What a listening device takes at most, in bytes: as much as Apple and Google take.
    public var textBytesMax = 4096
    /// How long a mailbox keeps a push that does not say when it expires.
    public var retention = Duration.seconds(72 * 3600)

    /// The usual bounds.
    public init() {}
  }

  /// A rendition of `notification`.
  public init(of notification: Notification, templates: TemplateCache, limits: Limits = Limits()) {
    self.notification = notification
    self.templates = templates
    self.limits = limits
  }

  /// What to do for the matches of `page`, which came after `cursor`.
  public mutating func step(for page: MatchPage, after cursor: RegistrationID?, at now: Timestamp) -> FanOutStep {
    let retained = now + limits.retention
    var step = FanOutStep(
      after: page.matches.last?.registration ?? cursor, expires: min(notification.expires ?? retained, retained))
    step.entries.reserveCapacity(page.matches.count)
    var places: [TemplateID: Int] = [:]
    for match in page.matches {
      guard let template = page.templates[match.template] else { continue }
      switch template.platform {
      case .sse:
        let place: Int
        if !match.hasPushVariables, let known = places[match.template] {
          place = known
        } else {
          switch text(for: match, template, pushVariables: page.pushVariables[match.registration]) {
          case .failure(let error):
            step.tally.add(error.outcome, on: template.platform)
            continue
          case .success(let text):
            place = step.texts.count
            step.texts.append(text)
          }
          if !match.hasPushVariables { places[match.template] = place }
        }
        step.entries.append(
          .init(
            registration: match.registration, device: match.device, templateName: template.name,
            ordinal: match.ordinal, text: place))
      case .apns, .wns, .mpns, .gcm, .fcmV1, .adm, .baidu, .browser, .xiaomi:
        // Their push services want credentials, and this hub has none.
        step.tally.add(.invalidCredentials, on: template.platform)
      }
    }
    return step
  }

  private mutating func text(
    for match: Match, _ source: RegisteredTemplate, pushVariables: Properties?
  ) -> Result<RenderedText, RenderingError> {
    if match.hasPushVariables { return render(match.template, source, pushVariables ?? [:]) }
    if let text = texts[match.template] { return text }
    let text = render(match.template, source, [:])
    // A hub in which no template is shared must not fill the memory with what nobody will ask for again.
    if texts.count < Self.textsMax { texts[match.template] = text }
    return text
  }

  /// At most 8 MiB of texts.
  private static let textsMax = 2048

  private func render(
    _ id: TemplateID, _ source: RegisteredTemplate, _ pushVariables: Properties
  ) -> Result<RenderedText, RenderingError> {
    guard let template = templates.template(id, source) else { return .failure(.unreadable) }
    guard
      let body = template.render(
        notification.properties, pushVariables: pushVariables, bytesMax: limits.textBytesMax)
    else { return .failure(.tooLong) }
    return .success(RenderedText(body: body))
  }
}

/// Why a template gives no text.
private enum RenderingError: Error {
  case unreadable
  case tooLong

  var outcome: Outcome {
    switch self {
    case .unreadable: .invalidNotificationFormat
    case .tooLong: .invalidNotificationSize
    }
  }
}

/// Compiled templates, from notification to notification. A template's id never means another one, so nothing here
/// ever becomes wrong.
public final class TemplateCache: Sendable {
  private let templates = Mutex<[TemplateID: Template]>([:])
  private let countMax: Int

  /// Keeps at most `countMax` templates.
  public init(countMax: Int = 1024) {
    self.countMax = countMax
  }

  /// The compiled template. Nil when it does not compile: it was accepted once, by a version that read templates
  /// otherwise.
  func template(_ id: TemplateID, _ source: RegisteredTemplate) -> Template? {
    if let template = templates.withLock({ $0[id] }) { return template }
    guard let template = try? Template(body: source.body, format: source.format) else { return nil }
    templates.withLock { templates in
      // All at once: a hub whose devices share their templates never gets here, and one whose devices do not gains
      // nothing from keeping any.
      if templates.count >= countMax { templates.removeAll(keepingCapacity: true) }
      templates[id] = template
    }
    return template
  }
}
