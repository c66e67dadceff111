import BuiltInHub
import JSON
import MicroHTTP
import Push
import Time

extension AzureRoutes {
  /// The formats that Azure knows, folded. Each but `template` is one platform's own.
  private static let formats: Set = [
    "template", "apple", "gcm", "fcmv1", "windows", "windowsphone", "adm", "baidu", "browser", "xiaomi", "nokiax",
  ]

  private static let invalidPayload = "The supplied notification payload is invalid."

  /// `POST /{hub}/messages`: 201, an empty body, and where the notification can be asked about.
  func send(_ call: AzureCall) async -> Response {
    let audience: Audience
    let properties: Properties
    do throws(SendFault) {
      try checkFormat(call.request)
      audience = try Self.audience(call.request)
      properties = try Self.properties(call.request)
    } catch {
      return call.answer.error(400, error.detail)
    }
    let notification = Notification(id: NotificationID(at: clock.now), properties: properties, audience: audience)
    do throws(HubError) {
      let receipt = try await hub.send(notification)
      return call.answer.success(201, headers: ["Location": call.address("messages/\(receipt.notificationID)")])
    } catch {
      switch error {
      case .retry(let after, _):
        return call.answer.error(
          503, "The hub is busy. Try again.", adding: ["Retry-After": retryAfterSeconds(after)])
      case .closed(let closure):
        return call.answer.error(
          503, "The hub is busy. Try again.", adding: ["Retry-After": retryAfterSeconds(closure.wait ?? .seconds(1))])
      case .refused(let why), .unserved(let why): return call.answer.error(400, "\(Self.invalidPayload) \(why)")
      case .unknown: return call.answer.error(500, "The hub does not know whether it has the notification.")
      }
    }
  }

  /// Why a send is refused, in words for the `Detail`.
  private struct SendFault: Error {
    let detail: String
  }

  private func checkFormat(_ request: Request) throws(SendFault) {
    guard let format = request.headers["ServiceBusNotification-Format"], !format.isEmpty else {
      throw SendFault(
        detail: "The ServiceBusNotification-Format header is missing. The format supported by this hub is template.")
    }
    guard Self.formats.contains(format.lowercased()) else {
      throw SendFault(
        detail: "The notification format '\(format.prefix(40))' is not known. The format supported by this hub is "
          + "template.")
    }
    guard format.lowercased() == "template" else {
      throw SendFault(
        detail: "The notification has no target applications. The notification format is \(format.lowercased()). "
          + "Review the credentials specified in the notification hub description and the notification format. "
          + "The format supported by this hub is template.")
    }
    let isDirect = request.headers["ServiceBusNotification-DeviceHandle"] != nil
    if isDirect || request.target.query.contains(where: { $0.name.lowercased() == "direct" }) {
      throw SendFault(detail: "A direct notification cannot have the format template.")
    }
    if let test = request.target.queryValue("test"), test.lowercased() != "false" {
      throw SendFault(detail: "Test sends are not supported by this hub.")
    }
  }

  /// Everyone without the header. An empty one is a mistake: it must not become a broadcast.
  private static func audience(_ request: Request) throws(SendFault) -> Audience {
    let texts = request.headers.values("ServiceBusNotification-Tags")
    guard let text = texts.first else { return .everyone }
    guard texts.count == 1 else { throw SendFault(detail: "The ServiceBusNotification-Tags header occurs twice.") }
    do throws(TagExpressionError) {
      return .matching(try TagExpression(parsing: text))
    } catch {
      throw SendFault(detail: "The tag expression is invalid at character \(error.column): \(error.message).")
    }
  }

  private static func properties(_ request: Request) throws(SendFault) -> Properties {
    do {
      return try Properties(json: JSONValue(parsing: request.body))
    } catch let error as PropertiesError {
      throw SendFault(detail: "\(invalidPayload) A template notification is a flat object: \(error.message).")
    } catch {
      throw SendFault(detail: "\(invalidPayload) It is no JSON: \(error).")
    }
  }
}
