internal import JSON
public import Push
public import Time

/// A hub of Azure Notification Hubs as one outlet sees it: by templates, once for all platforms and languages; or for
/// one platform in one language, where devices have registered without templates.
public struct AzureHub: Hub {
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

  /// The hub at the end of a connection.
  public init(_ connection: AzureConnection, form: Form = .template, clock: any WallClock) {
    self.connection = connection
    self.form = form
    self.clock = clock
  }

  /// The service knows no key by which it would recognise a notification that it has had.
  public var repeatsSafely: Bool { false }

  /// Hands over `notification`.
  public func send(_ notification: Notification) async throws(HubError) -> Receipt {
    if case .native(let template, _) = form, connection.isUnserved(template.format) {
      throw .unserved(why: unservedReason)
    }
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
    switch form {
    // By templates a hub reaches all platforms at once: without any there is nothing to go on with.
    case .template: return .closed(HubClosure(.access, why: unservedReason))
    case .native(let template, _):
      connection.noteUnserved(template.format, why: unservedReason)
      return .unserved(why: unservedReason)
    }
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
