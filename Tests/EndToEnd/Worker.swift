// EndToEnd: the program as its users run it, with processes, files, sockets and signals.

import Curl
import Files
import Glibc
import JSON
import Push
import Telemetry
import TestKit
import Testing
import Time

/// The program under test.
enum Program {
  /// The root of the source tree.
  static let root = FileSystem.directory(of: FileSystem.directory(of: FileSystem.directory(of: #filePath)))

  /// The executable that `swift build` made, or the one that `TIDINGS_BINARY` names.
  static let path = ProcessEnvironment.variables["TIDINGS_BINARY"] ?? "\(root)/.build/debug/tidings"

  /// Runs a command to its end.
  static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> (
    ending: ChildProcess.Ending, output: [String], errors: [String]
  ) {
    let process = try ChildProcess(path, arguments, environment: environment)
    let ending = await process.ending()
    return (ending, process.lines(), process.lines(.errors))
  }
}

/// A folder that is gone with its owner.
final class Folder: Sendable {
  let path: String

  init() throws { path = try FileSystem.makeTemporaryDirectory() }

  deinit { try? FileSystem.remove(path) }

  func write(_ text: String, to name: String) throws -> String {
    try FileSystem.write(Array(text.utf8), to: "\(path)/\(name)")
    return "\(path)/\(name)"
  }
}

/// A worker that runs, and where it listens.
struct Worker {
  static let listenKey = "listen-key-of-the-tests"
  static let fullKey = "full-key-of-the-tests"

  let process: ChildProcess

  /// Starts `tidings run` with a configuration.
  init(configuration: String, environment: [String: String] = [:]) throws {
    process = try ChildProcess(Program.path, ["run", "--config", configuration], environment: environment)
  }

  /// The lines of its log with this event, from the first on, until `select` gives a value. Nil when it ended before.
  func value<Value: Sendable>(
    of event: String, select: @Sendable (JSONValue) -> Value?
  ) async -> Value? {
    await process.value(from: .errors) { line in
      guard let record = try? JSONValue(parsing: line), record["event"]?.string == event else { return nil }
      return select(record)
    }
  }

  /// The address of a listener (`service` or `operations`), once it listens.
  func address(of listener: String = "service") async throws -> String {
    let port = await value(of: "http.listening") { record in
      record["listener"]?.string == listener ? record["port"]?.int : nil
    }
    return "http://127.0.0.1:\(try #require(port, "the worker has ended: \(process.lines(.errors))"))"
  }

  /// Stops it as Kubernetes does, and waits for its end.
  func stop() async -> ChildProcess.Ending {
    process.signal(SIGTERM)
    return await process.ending()
  }
}

/// A device that registers over HTTP and reads its mailbox to the end.
struct Phone: Sendable {
  let handle: String
  let tags: [String]
  let property: String
  private let client = HTTPClient()

  init(handle: String, tags: [String], property: String) {
    self.handle = handle
    self.tags = tags
    self.property = property
  }

  /// Puts the installation with a token of the Listen rule.
  func register(at hub: String) async throws {
    let address = "\(hub)/news/installations/phone-\(handle)"
    let token = SharedAccessSignature(
      for: address, ruleName: "DefaultListenSharedAccessSignature", key: Secret(Worker.listenKey),
      at: SystemClock().now)
    let body: JSONValue = [
      "installationId": .string("phone-\(handle)"), "platform": "sse", "pushChannel": .string(handle),
      "tags": .array(tags.map { .string($0) }),
      "templates": [
        "news": ["body": .string(#"{"message":"$(\#(property))","category":"$(category)","id":"$(articleId)"}"#)]
      ],
    ]
    let response = try await client.send(
      HTTPRequest(
        "PUT", try WebURL(address + "?api-version=2020-06"),
        headers: ["Authorization": token.authorization, "Content-Type": "application/json"], body: body.serialized()))
    try #require(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
  }

  /// Everything in the mailbox, until `isEnough` says so or the stream is silent for the client's idle time.
  func mailbox(
    at hub: String, until isEnough: @Sendable ([JSONValue]) -> Bool
  ) async throws -> [JSONValue] {
    let stream = try await client.stream(
      HTTPRequest(
        "GET", try WebURL("\(hub)/devices/\(handle)/events"),
        timeouts: HTTPTimeouts(total: .seconds(120), idle: .seconds(60))))
    try #require(stream.head.status == 200)
    var bodies: [JSONValue] = []
    var rest = ""
    for try await bytes in stream {
      rest += String(decoding: bytes, as: UTF8.self)
      while let end = rest.firstRange(of: "\n\n") {
        let event = rest[..<end.lowerBound]
        rest = String(rest[end.upperBound...])
        let data = event.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { $0.dropFirst(6) }
        if !data.isEmpty { bodies.append(try JSONValue(parsing: data.joined(separator: "\n"))) }
      }
      if isEnough(bodies) { break }
    }
    return bodies
  }
}

/// Somebody with the Full key.
enum Sender {
  /// Sends a template notification to an audience.
  static func send(_ properties: Properties, to expression: String, at hub: String) async throws {
    let address = "\(hub)/news/messages"
    let token = SharedAccessSignature(
      for: address, ruleName: "DefaultFullSharedAccessSignature", key: Secret(Worker.fullKey), at: SystemClock().now)
    let response = try await HTTPClient().send(
      HTTPRequest(
        "POST", try WebURL(address + "?api-version=2020-06"),
        headers: [
          "Authorization": token.authorization, "Content-Type": "application/json;charset=utf-8",
          "ServiceBusNotification-Format": "template", "ServiceBusNotification-Tags": expression,
        ], body: properties.json.serialized()))
    try #require(response.status == 201, "\(String(decoding: response.body, as: UTF8.self))")
  }
}
