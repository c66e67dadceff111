import JSON
import MicroHTTP
public import Telemetry

/// Whether one part of the process is as it should be.
public struct HealthCheck: Sendable {
  /// What is checked: `store`, `poller`.
  public let name: String
  let fault: @Sendable () async -> String?

  /// A check that finds a fault, in words for an operator, or nil.
  public init(_ name: String, fault: @escaping @Sendable () async -> String?) {
    self.name = name
    self.fault = fault
  }
}

/// What an orchestrator and a metrics collector ask.
public struct OperationsRoutes: Sendable {
  private let health: [HealthCheck]
  private let readiness: [HealthCheck]
  private let metrics: MetricRegistry

  /// The routes.
  ///
  /// - Parameters:
  ///   - health: whether the loops turn. A fault means that a restart is the cure.
  ///   - readiness: whether there is any use in sending work here now.
  public init(health: [HealthCheck], readiness: [HealthCheck], metrics: MetricRegistry) {
    self.health = health
    self.readiness = readiness
    self.metrics = metrics
  }

  /// All of them.
  public var routes: [Route] {
    [
      Route("GET", "/healthz") { _ in await Self.verdict(health) },
      Route("GET", "/readyz") { _ in await Self.verdict(readiness) },
      Route("GET", "/metrics") { _ in
        Response(
          status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
          text: metrics.exposition())
      },
    ]
  }

  private static func verdict(_ checks: [HealthCheck]) async -> Response {
    var faults = JSONObject()
    for check in checks {
      if let fault = await check.fault() { faults[check.name] = .string(fault) }
    }
    guard !faults.isEmpty else { return Response(json: ["status": "ok"]) }
    return Response(json: ["status": "failing", "faults": .object(faults)], status: 503)
  }
}
