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
    /// The longest time that a mailbox keeps a push.
    public var retention = Duration.seconds(72 * 3600)
    /// How many pushes a mailbox keeps: more than anybody reads of what he missed, and little on the disk.
    public var mailboxMax = 1000

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
      after: page.matches.last?.registration ?? cursor, expires: min(notification.expires ?? retained, retained),
      mailboxMax: limits.mailboxMax)
    step.entries.reserveCapacity(page.matches.count)
    var shared: [TemplateID: Treatment] = [:]
    for match in page.matches {
      let treatment: Treatment
      if let known = shared[match.template] {
        treatment = known
      } else {
        let template = page.templates[match.template]
        treatment = self.treatment(of: match, template, pushVariables: page.pushVariables[match.registration], &step)
        if template?.isPersonal != true { shared[match.template] = treatment }
      }
      switch treatment {
      case .mailbox(let text):
        step.entries.append(.init(registration: match.registration, device: match.device, text: text))
      case .none(let outcome, let platform): step.tally.add(outcome, on: platform)
      }
    }
    return step
  }

  /// What is done for a match.
  private enum Treatment {
    /// A row in the device's mailbox, with the text at this place of the step.
    case mailbox(text: Int)
    /// Nothing, for this reason.
    case none(Outcome, Platform)
  }

  private mutating func treatment(
    of match: Match, _ template: RegisteredTemplate?, pushVariables: Properties?, _ step: inout FanOutStep
  ) -> Treatment {
    guard let template else { return .none(.invalidNotificationFormat, .sse) }
    switch template.platform {
    case .sse:
      switch text(of: match.template, template, pushVariables) {
      case .failure(let error): return .none(error.outcome, .sse)
      case .success(let text):
        step.texts.append(text)
        return .mailbox(text: step.texts.count - 1)
      }
    case .apns, .wns, .mpns, .gcm, .fcmV1, .adm, .baidu, .browser, .xiaomi:
      // Their push services want credentials, and this hub has none.
      return .none(.invalidCredentials, template.platform)
    }
  }

  private mutating func text(
    of id: TemplateID, _ source: RegisteredTemplate, _ pushVariables: Properties?
  ) -> Result<RenderedText, RenderingError> {
    if source.isPersonal { return render(id, source, pushVariables ?? [:]) }
    if let text = texts[id] { return text }
    let text = render(id, source, [:])
    // A hub in which no template is shared must not fill the memory with what nobody will ask for again.
    if texts.count < Self.textsMax { texts[id] = text }
    return text
  }

  /// At most 8 MiB of texts.
  private static let textsMax = 2048

  private func render(
    _ id: TemplateID, _ source: RegisteredTemplate, _ pushVariables: Properties
  ) -> Result<RenderedText, RenderingError> {
    guard let template = templates.template(id, source) else { return .failure(.unreadable) }
    let body = template.render(
      notification.properties, pushVariables: pushVariables, bytesMax: limits.textBytesMax)
    guard let body else { return .failure(.tooLong) }
    return .success(RenderedText(templateName: source.name, body: body))
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
