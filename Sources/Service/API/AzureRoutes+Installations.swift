import BuiltInHub
import JSON
import MicroHTTP
import Push

extension AzureRoutes {
  /// `PUT /{hub}/installations/{id}`: 200 and nothing, whether the device is new or not.
  func putInstallation(_ call: AzureCall) async -> Response {
    let installation: Installation
    do {
      let json = try JSONValue(parsing: call.request.body)
      installation = try Installation(json: json, id: call.routed["id"])
    } catch let error as InstallationError {
      return call.answer.error(400, error.description)
    } catch {
      return call.answer.error(
        400, "Installation validation failed with following error(s): The body is no JSON: \(error).")
    }
    do {
      try await hub.put(installation, isTrusted: call.rule.rights.contains(.manage))
    } catch {
      return refusal(error, call)
    }
    return call.answer.success(
      200,
      headers: [
        "Content-Type": AzureAnswer.xml, "Content-Location": call.address("installations/\(installation.id)"),
      ])
  }

  /// `GET /{hub}/installations/{id}`: JSON, which the service calls XML.
  func getInstallation(_ call: AzureCall) async -> Response {
    do {
      guard let installation = try await hub.installation(call.routed["id"]) else {
        return call.answer.error(404, "Installation not found")
      }
      return call.answer.success(
        200, headers: ["Content-Type": AzureAnswer.xml], body: installation.json.serialized())
    } catch {
      return refusal(error, call)
    }
  }

  /// `DELETE /{hub}/installations/{id}`: 204, also when there was none.
  func deleteInstallation(_ call: AzureCall) async -> Response {
    do {
      try await hub.deleteInstallation(call.routed["id"])
      return call.answer.success(204, headers: ["Content-Type": AzureAnswer.xml])
    } catch {
      return refusal(error, call)
    }
  }

  private func refusal(_ error: RegistrationError, _ call: AzureCall) -> Response {
    switch error {
    case .reservedTag(let tag):
      // Not 400: Apple's SDK gives up for good on that, and keeps trying on this.
      call.answer.error(403, "The tag '\(tag)' is reserved; setting it requires the Manage claim.")
    case .unavailable:
      call.answer.error(503, "The hub is busy. Try again.", adding: ["Retry-After": "1"])
    }
  }
}
