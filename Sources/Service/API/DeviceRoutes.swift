public import BuiltInHub
import MicroHTTP
import Push
public import Telemetry

/// Where devices of the platform `sse` listen: their pushes as Server-Sent Events (WHATWG HTML, 9.2).
public struct DeviceRoutes: Sendable {
  /// How streams behave.
  public struct Options: Sendable {
    /// For how long one connection is kept. A client comes back at once and goes on where it was; without an end, a
    /// connection that something in between has forgotten would be kept for ever.
    public var lifetime = Duration.seconds(3600)
    /// After how much silence a comment is sent: less than the minute of patience that most proxies have.
    public var heartbeat = Duration.seconds(15)
    /// How long a client shall wait before it comes back.
    public var retry = Duration.seconds(2)

    /// The usual behaviour.
    public init() {}
  }

  private let hub: LocalHub
  private let options: Options
  private let logger: Logger

  /// The routes of the listening devices of `hub`.
  public init(hub: LocalHub, options: Options = Options(), logger: Logger) {
    self.hub = hub
    self.options = options
    self.logger = logger
  }

  /// All of them.
  public var routes: [Route] {
    [Route("GET", "/devices/{handle}/events", isOpenToAllOrigins: true) { await listen($0) }]
  }

  /// What the mailbox retains after `Last-Event-ID`, or all of it, and then whatever arrives.
  private func listen(_ routed: RoutedRequest) async -> Response {
    let handle = routed["handle"]
    let request = routed.request
    // A browser cannot set the header on its first connection; on later ones it does, and the address is out of date.
    let lastEventID = request.headers["Last-Event-ID"] ?? request.target.queryValue("lastEventID")
    let mailbox: MailboxStream
    do throws(ListenError) {
      guard handle.utf8.count >= PushChannel.listenerHandleLengthMin else { throw .unknownDevice }
      mailbox = try await hub.listen(handle: handle, lastEventID: lastEventID)
    } catch {
      switch error {
      case .unknownDevice:
        return Response(
          problem: 404,
          "No device listens under this handle. Register it first, with a handle of at least "
            + "\(PushChannel.listenerHandleLengthMin) base64url characters.")
      case .tooManyListeners:
        return Response(problem: 503, "Too many devices listen here. Try again.", retryAfter: .seconds(5))
      case .unavailable:
        return Response(problem: 503, "The hub is busy. Try again.", retryAfter: .seconds(1))
      }
    }
    logger.debug("device.listening", ["device": "\(HandleDigest(of: handle))"])
    return Response(
      headers: [
        "Content-Type": "text/event-stream", "Cache-Control": "no-store",
        // nginx would otherwise keep events back until its buffer is full.
        "X-Accel-Buffering": "no",
      ],
      stream: ResponseStream(
        lifetime: options.lifetime, heartbeat: .init(every: options.heartbeat, bytes: ServerSentEvents.comment)
      ) { [retry = options.retry] writer in
        try await writer.write(ServerSentEvents.retry(retry))
        while let element = try await mailbox.next() {
          guard case .events(let events) = element else { continue }
          for event in events {
            try await writer.write(
              ServerSentEvents.event("notification", id: event.id.description, data: event.body))
          }
        }
      })
  }
}

/// The wire form of Server-Sent Events.
enum ServerSentEvents {
  /// A line that clients skip.
  static let comment = Array(":\n\n".utf8)

  /// How long to wait before coming back.
  static func retry(_ duration: Duration) -> [UInt8] { Array("retry: \(Int(duration / .milliseconds(1)))\n\n".utf8) }

  /// One event. Each line of `data`, however it ends, becomes a line of its own: a body must not be able to end the
  /// event or to begin another field.
  static func event(_ name: String, id: String, data: String) -> [UInt8] {
    var text = "id: \(id)\nevent: \(name)\n"
    // "\r\n" is one Character, and `isNewline` holds for others that end no line here; hence the bytes.
    var lines: [[UInt8]] = [[]]
    var previous: UInt8 = 0
    for byte in data.utf8 {
      switch byte {
      case 0x0A where previous == 0x0D: break
      case 0x0A, 0x0D: lines.append([])
      default: lines[lines.count - 1].append(byte)
      }
      previous = byte
    }
    for line in lines { text += "data: \(String(decoding: line, as: UTF8.self))\n" }
    return Array((text + "\n").utf8)
  }
}
