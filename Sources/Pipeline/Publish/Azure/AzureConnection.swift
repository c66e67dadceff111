public import Curl
public import Push
internal import Synchronization
public import Telemetry
public import Time

/// The way to one hub of Azure Notification Hubs, or of whoever speaks its protocol: its address, the key to it, and
/// the connections that all sends share.
public final class AzureConnection: Sendable {
  /// A body with the headers that it needs.
  struct Message: Sendable {
    /// The wire's name of what the body is: `template`, `apple` …
    var format: String
    var contentType: String
    /// What the platform's service wants to know besides.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]
  }

  private struct Token {
    let authorization: String
    let signed: Timestamp
    let renewal: Timestamp
  }

  /// The hub's name.
  public let hub: String
  let url: WebURL
  private let connection: ConnectionString
  private let client: HTTPClient
  private let clock: any WallClock
  private let timeouts: HTTPTimeouts
  private let logger: Logger
  private let token = Mutex<Token?>(nil)
  /// Until when the hub is not asked for a platform again that it has no credentials for.
  private let unserved = Mutex<[AzureFormat: Timestamp]>([:])

  /// A platform that was not configured is asked for again after so long.
  public static let unservedInterval = Duration.seconds(10 * 60)

  /// The protocol's version, the newest that the service knows.
  private static let apiVersion = "2020-06"
  /// A token is signed anew so long before it ends: a request may take a while, and clocks differ.
  private static let renewalMargin = Duration.seconds(2 * 60)
  /// A worker that stops waits for the answers to what it has sent; this is shorter than the time that it is given.
  static let timeouts = HTTPTimeouts(total: .seconds(20), connect: .seconds(10), idle: .seconds(15))
  /// The service answers with nothing or with a few lines.
  private static let limits = HTTPLimits(bodyBytesMax: 64 << 10)

  /// Sends at once. When a worker is killed, nobody knows what became of those; and none knows of the others that the
  /// hub has just closed.
  public static let sendsMax = 64

  /// A client for connections to hubs. It trusts what the operator says, and needs no guard: he names the host.
  public static func client(caFile: String? = nil) -> HTTPClient {
    var options = HTTPClient.Options(caFile: caFile)
    options.multiplexes = false
    options.connectionsPerHostMax = sendsMax
    return HTTPClient(options)
  }

  /// The way to the hub of that name in the connection's namespace. `client` should be one of
  /// ``AzureConnection/client(caFile:)``.
  public convenience init(
    _ connection: ConnectionString, hub: String, client: HTTPClient, clock: any WallClock, logger: Logger
  ) throws(MalformedURL) {
    try self.init(connection, hub: hub, client: client, timeouts: Self.timeouts, clock: clock, logger: logger)
  }

  init(
    _ connection: ConnectionString, hub: String, client: HTTPClient, timeouts: HTTPTimeouts, clock: any WallClock,
    logger: Logger
  ) throws(MalformedURL) {
    self.timeouts = timeouts
    self.logger = logger.with(["hub": LogValue(hub)])
    self.connection = connection
    self.hub = hub
    url = try WebURL("\(connection.endpoint)/\(hub)/messages?api-version=\(Self.apiVersion)")
    self.client = client
    self.clock = clock
  }

  /// Where it leads, for messages: `news at contoso.servicebus.windows.net`.
  var place: String { "\(hub) at \(url.host)" }
  /// The rule whose key it signs with.
  var ruleName: String { connection.ruleName }

  /// Sends a message to an audience, once. The request is seen to its end even if the task is cancelled: it cannot be
  /// called back, and its answer says whether it was taken.
  func post(_ message: Message, to audience: Audience) async throws(HubError) -> AzureAnswer {
    var headers: HTTPHeaders = [
      "Authorization": authorization(), "Content-Type": message.contentType,
      "ServiceBusNotification-Format": message.format,
    ]
    if case .matching(let expression) = audience { headers.append("ServiceBusNotification-Tags", "\(expression)") }
    for (name, value) in message.headers { headers.append(name, value) }
    var request = HTTPRequest(
      "POST", url, headers: headers, body: message.body, timeouts: timeouts, limits: Self.limits)
    request.isRepeatable = false
    request.isHeadEnough = true
    let result = await Task { [client, request] () -> Result<HTTPResponse, HTTPClientError> in
      do throws(HTTPClientError) { return .success(try await client.send(request)) } catch { return .failure(error) }
    }.value
    switch result {
    case .success(let response): return AzureAnswer(response, receivedAt: clock.now)
    case .failure(let error): throw Self.judged(error)
    }
  }

  /// Signs anew for the next request: the hub did not like the token.
  func forgetToken() { token.withLock { $0 = nil } }

  /// Whether the hub is known to have no credentials for a platform.
  func isUnserved(_ format: AzureFormat) -> Bool {
    let now = clock.now
    return unserved.withLock { unserved in unserved[format].map { now < $0 } ?? false }
  }

  /// Remembers that the hub has no credentials for a platform, and says so where it was not known.
  func noteUnserved(_ format: AzureFormat, why: String) {
    let now = clock.now
    let until = now + Self.unservedInterval
    let wasKnown = unserved.withLock { unserved in
      defer { unserved[format] = until }
      return unserved[format].map { now < $0 } ?? false
    }
    guard !wasKnown else { return }
    logger.warning(
      "hub.unserved",
      ["format": LogValue(format.rawValue), "reason": LogValue(why), "until": LogValue(until)])
  }

  private func authorization() -> String {
    let now = clock.now
    return token.withLock { token in
      // A clock that was set back would keep a token that ends long after.
      if let token, now < token.renewal, now >= token.signed { return token.authorization }
      let signature = SharedAccessSignature(
        for: "\(url.origin)/\(hub)", ruleName: connection.ruleName, key: connection.key, at: now)
      let renewal = now + SharedAccessSignature.lifetime - Self.renewalMargin
      let fresh = Token(authorization: signature.authorization, signed: now, renewal: renewal)
      token = fresh
      return fresh.authorization
    }
  }

  /// A request that was never sent may be sent again; of one that was, nobody knows.
  private static func judged(_ error: HTTPClientError) -> HubError {
    switch error {
    case .invalidRequest: .refused(why: "\(error)")
    case .unresolved, .unreachable, .refusedAddress, .proxy, .timedOut(.connect, _):
      .closed(HubClosure(.unreachable, why: "\(error)"))
    case .untrusted:
      .closed(
        HubClosure(
          .unreachable,
          why: "\(error): check Endpoint in the connection string; if the hub's certificate is by an authority of "
            + "your own, or a proxy's between, name the file with that authority's certificate in hub.caFile"))
    case .busy, .timedOut(.turn, _): .retry(after: .zero, why: "\(error)")
    case .timedOut, .truncated, .tooLarge, .badEncoding, .malformedAnswer, .cancelled, .closed:
      .unknown(why: "the request was sent and \(error)")
    }
  }
}
