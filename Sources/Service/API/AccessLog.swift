import MicroHTTP
import Telemetry
import Time

/// Counts requests and says, to who looks for a fault, what was asked. Knows routes by their templates only: a path may
/// hold a secret, such as a listening device's handle.
struct AccessLog: Sendable {
  private static let methods: Set = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"]

  private let listener: String
  private let logger: Logger
  private let requests: Counter
  private let seconds: Histogram

  init(listener: String, logger: Logger, metrics: MetricRegistry) {
    self.listener = listener
    self.logger = logger.with(["listener": LogValue(listener)])
    requests = metrics.counter(
      "tidings_http_requests_total", help: "Requests answered, by listener, method, route and status.",
      labels: ["listener", "method", "route", "status"])
    seconds = metrics.histogram(
      "tidings_http_request_seconds", help: "From a request's last byte to its answer's first, by listener and route.",
      labels: ["listener", "route"])
  }

  /// `time` is nil for a request that never reached a handler.
  func record(_ method: String, _ answer: Router.Answer, peer: PeerAddress, time: Duration?) {
    let method = Self.methods.contains(method) ? method : "other"
    requests.increment([listener, method, answer.route, String(answer.response.status)])
    if let time { seconds.observe(time.inSeconds, [listener, answer.route]) }
    logger.debug(
      "http.request",
      [
        "method": LogValue(method), "route": LogValue(answer.route), "status": LogValue(answer.response.status),
        "peer": LogValue(peer.host), "seconds": LogValue(time ?? .zero),
        "trackingId": LogValue(answer.response.headers["TrackingId"] ?? ""),
      ])
  }
}
