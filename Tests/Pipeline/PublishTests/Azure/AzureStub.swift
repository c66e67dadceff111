import Curl
import Push
import Synchronization
import Telemetry
import TestKit
import Time

@testable import Publish

/// Something that looks like Azure's hub from outside: keeps what it was sent, and answers as it is told.
final class AzureStub: Sendable {
  static let key = "c2VjcmV0LWtleS0xMjM0NTY3ODkwYWJjZGVmZ2g="
  static let created = RawServer.Answer.status(
    201, ["Location": "https://x.servicebus.windows.net/News/messages/NH-20261130-1-07?api-version=2020-06"])

  let server: RawServer
  let client = AzureConnection.client()

  init(_ answer: @escaping @Sendable (RawServer.Request) -> RawServer.Answer = { _ in created }) throws {
    server = try RawServer(answer)
  }

  /// Gives the answers in their order, and then takes everything.
  convenience init(answers: [RawServer.Answer]) throws {
    try self.init { request in request.number < answers.count ? answers[request.number] : Self.created }
  }

  var connectionString: ConnectionString {
    get throws {
      try ConnectionString(
        parsing: "Endpoint=\(server.url());SharedAccessKeyName=Send Rule;SharedAccessKey=\(Self.key)")
    }
  }

  func connection(
    clock: any WallClock, timeouts: HTTPTimeouts = HTTPTimeouts(), logger: Logger = .silent
  ) throws -> AzureConnection {
    try AzureConnection(
      connectionString, hub: "News", client: client, timeouts: timeouts, clock: clock, logger: logger)
  }

  func hub(clock: any WallClock = ManualClock(), timeouts: HTTPTimeouts = HTTPTimeouts()) throws -> AzureHub {
    AzureHub(try connection(clock: clock, timeouts: timeouts), clock: clock)
  }

  /// A notification for the readers of two categories.
  static let notification = Push.Notification(
    id: NotificationID("NH-20261130120000000-00000000000000000000000000000000-01")!,
    properties: ["News_English": "Strong \"quake\"", "News_French": "Fort séisme"],
    audience: .matching(try! TagExpression(parsing: "World || Science")),
    expires: Timestamp(rfc3339: "2026-11-30T13:00:00Z"))
}

/// What a send comes to.
func outcome(of hub: AzureHub, _ notification: Push.Notification = AzureStub.notification) async -> Result<
  Receipt, HubError
> {
  do throws(HubError) { return .success(try await hub.send(notification)) } catch { return .failure(error) }
}

extension Result<Receipt, HubError> {
  /// The kind of outcome, with what decides what happens next.
  var kind: String {
    switch self {
    case .success(let receipt): "sent \(receipt.notificationID)"
    case .failure(.retry(let after, _)): "retry \(after.milliseconds / 1000)"
    case .failure(.closed(let closure)):
      "closed \(closure.cause)" + (closure.wait.map { " \($0.milliseconds / 1000)" } ?? "")
    case .failure(.refused): "refused"
    case .failure(.unserved): "unserved"
    case .failure(.unknown): "unknown"
    }
  }

  /// The words of a failure.
  var why: String {
    switch self {
    case .success: ""
    case .failure(.retry(_, let why)), .failure(.refused(let why)), .failure(.unserved(let why)),
      .failure(.unknown(let why)):
      why
    case .failure(.closed(let closure)): closure.why
    }
  }
}
