public import BuiltInHub
import JSON
import MicroHTTP
public import Push
public import Telemetry
public import Time

/// The routes of Azure Notification Hubs that the built-in hub serves, answered as Azure answers: its SDKs and scripts
/// need nothing but another address.
///
/// Served are installations, put, read and deleted with the right to listen, and sends in the template format with the
/// right to send.
public struct AzureRoutes: Sendable {
  /// The versions that Azure's SDKs ask for. They are all answered alike.
  static let versions = [
    "2013-04", "2013-10", "2014-09", "2015-01", "2015-04", "2015-08", "2016-07", "2016-10", "2017-04", "2020-06",
  ]

  let hub: LocalHub
  let proxies: Proxies
  let clock: any WallClock
  private let accessRules: [AccessRule]
  private let hostAliases: Set<String>
  private let logger: Logger

  /// The routes of `hub`.
  ///
  /// - Parameters:
  ///   - accessRules: whose keys open what.
  ///   - hostAliases: further names, with their ports if any, for which clients may have signed.
  ///   - proxies: whose word about the client's own request is taken.
  public init(
    hub: LocalHub, accessRules: [AccessRule], hostAliases: Set<String> = [], proxies: Proxies = .none,
    clock: any WallClock = SystemClock(), logger: Logger
  ) {
    self.hub = hub
    self.accessRules = accessRules
    self.hostAliases = hostAliases
    self.proxies = proxies
    self.clock = clock
    self.logger = logger
  }

  /// All of them.
  public var routes: [Route] {
    let installation = "/{hub}/installations/{id}"
    return [
      Route("PUT", installation, errors: .azure, isOpenToAllOrigins: true) {
        await open($0, for: .listen, orSay: listenDenied) { await putInstallation($0) }
      },
      Route("GET", installation, errors: .azure, isOpenToAllOrigins: true) {
        await open($0, for: .listen, orSay: listenDenied) { await getInstallation($0) }
      },
      Route("DELETE", installation, errors: .azure, isOpenToAllOrigins: true) {
        await open($0, for: .listen, orSay: listenDenied) { await deleteInstallation($0) }
      },
      Route("POST", "/{hub}/messages", errors: .azure) {
        // The service says nothing here, and SDKs take any 403 for it.
        await open($0, for: .send, orSay: { $0.success(403) }) { await send($0) }
      },
    ]
  }

  private func listenDenied(_ answer: AzureAnswer) -> Response {
    answer.error(401, "Listen claim is required for this operation.")
  }

  /// Lets a request through whose hub is ours, whose token is good and whose rule has `right`.
  private func open(
    _ routed: RoutedRequest, for right: AccessRight, orSay denied: (AzureAnswer) -> Response,
    _ body: (AzureCall) async -> Response
  ) async -> Response {
    let request = routed.request
    let answer = AzureAnswer(to: request.headers, at: clock.now)
    let origin = proxies.origin(of: request)
    guard routed["hub"].lowercased() == hub.name.lowercased() else {
      return answer.error(404, "No service is hosted at the specified address.")
    }
    let rule: AccessRule
    do throws(SharedAccessError) {
      guard let authorization = request.headers["Authorization"] else {
        return answer.error(401, "MissingToken: The request has no Authorization header.")
      }
      let token = try SharedAccessSignature(parsing: authorization)
      // A client behind a proxy has signed for the name that it sees, one in front of it for ours.
      let names = hostAliases.union([request.headers["Host"] ?? ""])
      rule = try token.verify(
        with: accessRules,
        for: AccessRequest(host: origin.host, path: request.target.rawPath, aliases: names), at: clock.now)
    } catch {
      logger.info("hub.token_refused", ["why": "\(error)", "trackingId": LogValue(answer.trackingID)])
      return answer.error(401, error.detail)
    }
    guard rule.rights.contains(right) else {
      logger.info(
        "hub.right_missing",
        ["rule": LogValue(rule.name), "right": LogValue(right.rawValue), "trackingId": LogValue(answer.trackingID)])
      return denied(answer)
    }
    if let version = request.target.queryValue("api-version"), !Self.versions.contains(version) {
      return answer.error(
        400,
        "The api-version '\(version.prefix(40))' in the query string is not supported. Either remove it from the Uri "
          + "or use one of '\(Self.versions.joined(separator: ","))'.")
    }
    return await body(
      AzureCall(routed: routed, rule: rule, answer: answer, origin: origin, hub: hub.name))
  }
}

/// A request that may do what it asks for.
struct AzureCall {
  let routed: RoutedRequest
  let rule: AccessRule
  let answer: AzureAnswer
  let origin: Origin
  let hub: String

  var request: Request { routed.request }

  /// The absolute address of something of this hub, with the version that the client speaks.
  func address(_ path: String) -> String {
    let version = request.target.queryValue("api-version") ?? AzureRoutes.versions.last ?? ""
    return "\(origin.base)/\(hub)/\(path)?api-version=\(version)"
  }
}

extension SharedAccessError {
  /// What Azure's error says, as far as its words are known; which check failed, but nothing that helps a forger.
  fileprivate var detail: String {
    switch self {
    case .malformed(let why): "MalformedToken: The token cannot be read: \(why)."
    case .unknownRule, .badSignature: "InvalidSignature: The token has an invalid signature."
    case .expired: "ExpiredToken: The token has expired."
    case .outOfScope: "InvalidAudience: The token is for another address."
    }
  }
}
