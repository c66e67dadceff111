internal import JSON
public import Push
internal import Synchronization
public import Telemetry
public import Time

/// A hub of Azure Notification Hubs as one outlet sees it: by templates, once for all platforms and languages; or for
/// one platform in one language, where devices have registered without templates.
public final class AzureHub: Hub {
  /// What is sent.
  public enum Form: Sendable {
    /// The properties: each device's template picks from them.
    case template
    /// One platform's own payload, made of them by a house template in that language.
    case native(HouseTemplate, Locale)
  }

  private let connection: AzureConnection
  private let form: Form
  private let clock: any WallClock
  private let logger: Logger
  /// Until when the hub is not asked for a platform again that it has no credentials for.
  private let unservedUntil = Mutex<Timestamp?>(nil)

  /// A platform that was not configured is asked for again after so long.
  public static let unservedInterval = Duration.seconds(10 * 60)

  /// The hub at the end of a connection.
  public init(_ connection: AzureConnection, form: Form = .template, clock: any WallClock, logger: Logger) {
    self.connection = connection
    self.form = form
    self.clock = clock
    self.logger = logger.with(["hub": LogValue(connection.hub), "format": LogValue(form.name)])
  }

  /// The service knows no key by which it would recognise a notification that it has had.
  public var repeatsSafely: Bool { false }

  /// Hands over `notification`.
  public func send(_ notification: Notification) async throws(HubError) -> Receipt {
    if let until = unservedUntil.withLock({ $0 }), clock.now < until { throw .unserved(why: unservedReason) }
    let message = try message(for: notification)
    let answer = try await connection.post(message, to: notification.audience)
    if answer.isUnauthorised { connection.forgetToken() }
    if answer.hasNoTarget { throw unserved() }
    let receipt = try answer.receipt(from: connection, sent: message.body.count)
    return receipt.notificationID.isEmpty ? Receipt(notificationID: notification.id.description) : receipt
  }

  private func message(for notification: Notification) throws(HubError) -> AzureConnection.Message {
    switch form {
    case .template:
      return AzureConnection.Message(
        format: "template", contentType: "application/json;charset=utf-8",
        body: notification.properties.json.serialized())
    case .native(let template, let locale):
      do throws(HouseTemplateError) {
        let payload = try template.payload(of: notification, in: locale, at: clock.now)
        return AzureConnection.Message(
          format: template.format.rawValue, contentType: template.format.contentType, headers: payload.headers,
          body: Array(payload.body.utf8))
      } catch {
        throw .refused(why: "\(error)")
      }
    }
  }

  private func unserved() -> HubError {
    // By templates a hub reaches all platforms at once: without any there is nothing to go on with.
    if case .template = form { return .closed(HubClosure(.access, why: unservedReason)) }
    let until = clock.now + Self.unservedInterval
    unservedUntil.withLock { $0 = until }
    logger.warning("hub.unserved", ["reason": LogValue(unservedReason), "until": LogValue(until)])
    return .unserved(why: unservedReason)
  }

  private var unservedReason: String {
    switch form {
    case .template: "\(connection.place) has credentials for no platform: add them there"
    case .native(let template, _):
      "\(connection.place) has no credentials for \(template.format.rawValue): add them there, or take it out of "
        + "hub.formats"
    }
  }
}

extension AzureHub.Form {
  fileprivate var name: String {
    switch self {
    case .template: "template"
    case .native(let template, _): template.format.rawValue
    }
  }
}
