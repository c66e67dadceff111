public import Ingest
public import MicroHTTP
import Time

/// Where the hubs of feeds call back: to verify a subscription, and to bring what is new (W3C WebSub, sections 5 to 7).
///
/// Whoever does not know a subscription's token finds nothing here.
public struct WebSubRoutes: Sendable {
  /// The path that hubs call, without the token that follows: its first segment is no hub's name.
  public static let path = "/api/websub/"

  private let subscriber: WebSubSubscriber
  private let poller: FeedPoller

  /// The routes of the subscriber; what is only announced is polled by the poller.
  public init(subscriber: WebSubSubscriber, poller: FeedPoller) {
    self.subscriber = subscriber
    self.poller = poller
  }

  /// All of them.
  public var routes: [Route] {
    [
      Route("GET", Self.path + "{token}") { await confirm($0) },
      Route("POST", Self.path + "{token}") { await receive($0) },
    ]
  }

  /// How long a body may be that is sent to that target: a whole feed for a subscription, the usual for others.
  public func bodyBytesMax(_ method: String, _ target: RequestTarget) -> Int? {
    guard method == "POST", let segments = target.segments, segments.count == 3,
      "/" + segments.dropLast().joined(separator: "/") + "/" == Self.path, subscriber.knows(segments[2])
    else { return nil }
    return subscriber.bodyBytesMax
  }

  private func confirm(_ routed: RoutedRequest) async -> Response {
    let target = routed.request.target
    let topic = target.queryValue("hub.topic") ?? ""
    switch target.queryValue("hub.mode") {
    case "subscribe":
      guard let challenge = target.queryValue("hub.challenge"), !challenge.isEmpty,
        let lease = target.queryValue("hub.lease_seconds").map({ UInt32($0) }) ?? Self.leaseUnsaid,
        await subscriber.confirm(token: routed["token"], topic: topic, lease: .seconds(lease))
      else { return Self.unwanted }
      // Text and nothing else: the challenge is whatever the caller wrote.
      return Response(
        status: 200,
        headers: [
          "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store",
          "X-Content-Type-Options": "nosniff",
        ], text: challenge)
    case "denied":
      let reason = target.queryValue("hub.reason") ?? ""
      let isKnown = await subscriber.deny(token: routed["token"], topic: topic, reason: reason)
      return isKnown ? Response(status: 204) : Self.unwanted
    default: return Self.unwanted
    }
  }

  /// The lease of a hub that names none, though it must.
  private static let leaseUnsaid: UInt32 = 10 * 86_400
  private static let unwanted = Response(problem: 404, "No such subscription is wanted here.")

  private func receive(_ routed: RoutedRequest) async -> Response {
    let request = routed.request
    let reception = await subscriber.receive(
      token: routed["token"], signature: request.headers["X-Hub-Signature"],
      contentType: request.headers["Content-Type"], body: request.body)
    switch reception {
    case .unwanted: return Response(problem: 410, "No such subscription is wanted here any more.")
    case .taken: return Response(status: 204)
    case .announced(let feed):
      poller.hasten(feed)
      return Response(status: 204)
    case .failed: return Response(problem: 503, "It could not be stored. Try again.", retryAfter: .seconds(30))
    }
  }
}
