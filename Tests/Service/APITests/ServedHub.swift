import API
import BuiltInHub
import MicroHTTP
import Push
import Runtime
import Telemetry
import TestKit
import Time

/// A hub named `news` behind a listener on loopback, with everything that lives.
struct ServedHub: Sendable {
  static let listenKey = Secret("listen-key")
  static let sendKey = Secret("send-key")
  static let fullKey = Secret("full-key")
  static let rules = [
    AccessRule(name: "Listen", keys: [listenKey], rights: [.listen]),
    AccessRule(name: "Send", keys: [Secret("former-send-key"), sendKey], rights: [.send]),
    AccessRule(name: "Full", keys: [fullKey], rights: [.listen, .send, .manage]),
  ]

  let hub: LocalHub
  let listener: Listener
  let metrics: MetricRegistry
  var port: UInt16 { listener.port }
  var base: String { "http://127.0.0.1:\(port)" }

  /// Runs `body` while the hub and the listener live.
  static func run(
    pageHTML: String? = nil, options: DeviceRoutes.Options = .init(), proxies: Proxies = .none,
    pageClock: any WallClock = SystemClock(), logger: Logger = .silent, _ body: (ServedHub) async throws -> Void
  ) async throws {
    let metrics = MetricRegistry()
    var hubOptions = LocalHub.Options()
    hubOptions.reservedTags = ["username:", "$UserId"]
    let hub = LocalHub(
      name: "news", store: MemoryHubStore(), options: hubOptions, logger: logger, metrics: metrics)
    var routes = AzureRoutes(hub: hub, accessRules: rules, proxies: proxies, logger: logger).routes
    routes += DeviceRoutes(hub: hub, options: options, logger: logger).routes
    if let pageHTML {
      routes += try PageRoutes(
        html: Array(pageHTML.utf8), hub: hub, categories: ["World", "Sports"],
        locales: [.init(name: "French", language: "fr", categoryNames: ["World": "Monde", "Sports": "Sport"])],
        accessRules: rules, proxies: proxies, clock: pageClock
      ).routes
    }
    let listener = try Listener(
      name: "service", address: "127.0.0.1", port: 0, router: Router(routes), logger: logger, metrics: metrics)
    let services: [any Service] = hub.services + [listener]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for service in services { group.addTask { try await service.run() } }
      try await body(ServedHub(hub: hub, listener: listener, metrics: metrics))
      group.cancelAll()
    }
  }

  /// A token of the rule `rule` for a path of this server.
  func token(_ rule: String, _ key: Secret, for path: String = "/news", at now: Timestamp = SystemClock().now) -> String
  {
    SharedAccessSignature(for: base + path, ruleName: rule, key: key, at: now).authorization
  }

  var listenToken: String { token("Listen", Self.listenKey) }
  var sendToken: String { token("Send", Self.sendKey) }
  var fullToken: String { token("Full", Self.fullKey) }

  /// Asks on a connection of its own.
  func ask(
    _ method: String, _ target: String, token: String? = nil, _ headers: [String] = [], body: String? = nil
  ) async throws -> RawClient.Answer {
    try await RawClient(port: port).ask(text(method, target, token: token, headers, body: body))
  }

  /// A request as it goes over the wire.
  func text(
    _ method: String, _ target: String, token: String? = nil, _ headers: [String] = [], body: String? = nil
  ) -> String {
    var lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
    if let token { lines.append("Authorization: \(token)") }
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    return (lines + ["", ""]).joined(separator: "\r\n") + (body ?? "")
  }

  /// Registers a listening device.
  func register(
    _ id: String, handle: String, tags: String = #"["World"]"#,
    template: String = #"{\"message\":\"$(News_French)\"}"#
  ) async throws -> RawClient.Answer {
    try await ask(
      "PUT", "/news/installations/\(id)?api-version=2020-06", token: listenToken, ["Content-Type: application/json"],
      body: """
        {"installationId":"\(id)","platform":"sse","pushChannel":"\(handle)","tags":\(tags),
        "templates":{"news":{"body":"\(template)"}}}
        """)
  }

  /// Sends a template notification.
  func send(_ properties: String, tags: String? = "World") async throws -> RawClient.Answer {
    var headers = ["ServiceBusNotification-Format: template", "Content-Type: application/json;charset=utf-8"]
    if let tags { headers.append("ServiceBusNotification-Tags: \(tags)") }
    return try await ask("POST", "/news/messages?api-version=2020-06", token: sendToken, headers, body: properties)
  }
}
