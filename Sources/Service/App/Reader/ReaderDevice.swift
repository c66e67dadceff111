internal import Curl
internal import JSON
internal import News
internal import OpenSSL
internal import Push
internal import Runtime
internal import Telemetry
internal import Time

/// A reader's device without a phone: registers with a hub as an app's SDK does, and listens for its pushes.
struct ReaderDevice: Sendable {
  /// One push as it arrived.
  struct Arrival: Sendable, Equatable {
    /// The notification's id.
    var notificationID: String
    /// The body that the device's template made.
    var body: JSONValue

    /// The text on the lock screen.
    var message: String { body["message"]?.string ?? "" }
    /// What it is about.
    var category: String { body["category"]?.string ?? "" }
  }

  /// Why a device cannot listen.
  enum Fault: Error, CustomStringConvertible {
    /// The hub said no.
    case refused(String)

    var description: String {
      switch self {
      case .refused(let why): why
      }
    }
  }

  private let connection: ConnectionString
  private let hub: String
  private let categories: [News.Category]
  private let locale: String
  private let client: HTTPClient
  private let clock: any WallClock
  private let installationID: String
  private let handle: String

  /// A device that wants these categories in that locale from the hub that the connection string opens.
  init(
    connection: ConnectionString, hub: String, categories: [News.Category], locale: String, client: HTTPClient,
    clock: any WallClock
  ) throws {
    self.connection = connection
    self.hub = hub
    self.categories = categories
    self.locale = locale
    self.client = client
    self.clock = clock
    // The handle is its secret: 32 random bytes are 43 characters of base64url.
    handle = Base64.url.encode(try randomBytes(count: 32))
    installationID = "reader-" + hexadecimal(try randomBytes(count: 12))
  }

  /// The template with which it asks for its language; what it shows is chosen here, never by the sender.
  private var template: String {
    let body: JSONValue = [
      "message": .string("$(News_\(locale))"), "category": "$(category)", "title": "$(title)", "url": "$(url)",
      "kind": "$(kind)",
    ]
    return body.text()
  }

  /// Puts its installation. Repeats politely while nobody answers; throws what the hub refuses.
  func register() async throws {
    let tags = categories.map(\.rawValue) + [locale]
    let installation: JSONValue = [
      "installationId": .string(installationID), "platform": "sse", "pushChannel": .string(handle),
      "tags": .array(tags.map { .string($0) }),
      "templates": ["news": ["body": .string(template)]],
    ]
    _ = try await ask("PUT", body: installation.serialized(), attemptsMax: 6)
  }

  /// Deletes its installation, as an app does whose reader wants no more. Asks once: who leaves does not wait.
  func unregister() async throws {
    _ = try await ask("DELETE", body: nil, attemptsMax: 1)
  }

  private func ask(_ method: String, body: [UInt8]?, attemptsMax: Int) async throws -> HTTPResponse {
    let address = "\(connection.endpoint)/\(hub)/installations/\(installationID)"
    let signature = SharedAccessSignature(
      for: address, ruleName: connection.ruleName, key: connection.key, at: clock.now)
    let request = HTTPRequest(
      method, try WebURL(address + "?api-version=2020-06"),
      headers: ["Authorization": signature.authorization, "Content-Type": "application/json"], body: body)
    let policy = RetryPolicy(first: .milliseconds(100), ceiling: .seconds(10), attemptsMax: attemptsMax)
    return try await policy.run(clock: clock, judge: { $0 is Fault ? nil : .zero }) {
      let response = try await client.send(request)
      guard (200..<300).contains(response.status) else {
        throw Fault.refused(
          "the hub answered \(response.status): \(Self.reason(in: response.body))"
            + (response.status == 401 ? "; look at the key and its name in the connection string" : ""))
      }
      return response
    }
  }

  /// The sentence in a hub's refusal, which says `<Detail>sentence.TrackingId:…</Detail>`; else the whole body.
  static func reason(in body: [UInt8]) -> String {
    let text = String(decoding: body.prefix(500), as: UTF8.self)
    guard let start = text.firstRange(of: "<Detail>"), let end = text.firstRange(of: "</Detail>"),
      start.upperBound <= end.lowerBound
    else { return text }
    let detail = text[start.upperBound..<end.lowerBound]
    let sentence = detail.firstRange(of: ".TrackingId:").map { detail[..<$0.lowerBound] } ?? detail
    return String(sentence.hasSuffix(".") ? sentence.dropLast() : sentence)
  }

  /// Listens until cancelled and hands over each push once; resumes after the last one when the connection breaks.
  /// Says, once until it goes on, when a lost connection cannot be had again at the first attempt. Throws what the hub
  /// refuses.
  func listen(
    onLoss: @Sendable () -> Void = {}, _ onArrival: @Sendable (Arrival) async throws -> Void
  ) async throws {
    var lastID: String?
    var failures = 0
    let policy = RetryPolicy(first: .milliseconds(200), ceiling: .seconds(15))
    var generator = SystemRandomNumberGenerator()
    while !Task.isCancelled {
      do {
        var headers: HTTPHeaders = ["Accept": "text/event-stream"]
        if let lastID { headers.append("Last-Event-ID", lastID) }
        let stream = try await client.stream(
          HTTPRequest(
            "GET", try WebURL("\(connection.endpoint)/devices/\(handle)/events"), headers: headers,
            // Heartbeats come every 15 seconds: three missed ones are a dead connection.
            timeouts: HTTPTimeouts(total: nil, idle: .seconds(45))))
        guard stream.head.status == 200 else {
          if (400..<500).contains(stream.head.status) && stream.head.status != 429 {
            throw Fault.refused("the hub answered \(stream.head.status) to a listener")
          }
          throw CancelledStream()
        }
        failures = 0
        var events = ServerSentEvents()
        for try await bytes in stream {
          for event in try events.read(bytes) where event.name == "notification" {
            guard let id = event.id, id != lastID else { continue }
            let body = try? JSONValue(parsing: event.data)
            try await onArrival(Arrival(notificationID: id, body: body ?? .string(event.data)))
            lastID = id
          }
        }
      } catch let fault as Fault {
        throw fault
      } catch is HTTPClientError {
        // A broken connection is ordinary: the mailbox keeps what comes meanwhile.
      } catch is CancelledStream {
        // The server is there and cannot serve at the moment.
      }
      failures += 1
      if failures == 2 && !Task.isCancelled { onLoss() }
      try await clock.sleep(for: policy.delay(afterFailures: failures, using: &generator) ?? policy.ceiling)
    }
  }

  private struct CancelledStream: Error {}
}
