public import Curl
internal import JSON
internal import OpenSSL
internal import Runtime
internal import Synchronization
public import Telemetry
public import Time

/// The schemas behind the numbers of Confluent's wire format, asked of a schema registry and remembered: a number's
/// schema never changes (https://docs.confluent.io/platform/current/schema-registry/develop/api.html).
public final class SchemaRegistry: Sendable {
  /// A schema as records are read by it.
  enum Schema: Sendable, Hashable {
    /// The record is JSON.
    case json
    /// The record is a datum of Avro's binary encoding.
    case avro(AvroSchema)
    /// It cannot be read, for this reason.
    case unreadable(String)
  }

  private let base: WebURL
  private let headers: HTTPHeaders
  private let client: HTTPClient
  private let clock: any WallClock
  private let logger: Logger
  private let retry = RetryPolicy(first: .milliseconds(200), ceiling: .seconds(30))
  private let state = Mutex((schemas: [Int: Schema](), fault: String?.none))

  /// More schemas than all editors of a newsroom write by.
  private static let schemasMax = 1_000
  private static let schemaBytesMax = 1 << 20

  /// A registry at this address. `user` is sent with each request, as the scheme Basic wants it.
  public init(
    _ base: WebURL, user: (name: String, password: Secret)? = nil, caFile: String? = nil, clock: any WallClock,
    logger: Logger
  ) {
    self.base = base
    self.clock = clock
    self.logger = logger
    client = HTTPClient(.init(caFile: caFile))
    var headers: HTTPHeaders = ["Accept": "application/vnd.schemaregistry.v1+json, application/json"]
    if let user {
      let credentials = Base64.standard.encode(Array("\(user.name):\(user.password.reveal())".utf8))
      headers.append("Authorization", "Basic \(credentials)")
    }
    self.headers = headers
  }

  /// Why no schema can be had at the moment, in words; nil where one can, or none was asked for.
  var fault: String? { state.withLock { $0.fault } }

  /// The schema of a number. A registry that is not there, or that refuses us, is waited for: that can heal. Throws only
  /// when cancelled.
  func schema(_ number: Int) async throws -> Schema {
    if let known = state.withLock({ $0.schemas[number] }) { return known }
    var failures = 0
    var generator = SystemRandomNumberGenerator()
    while true {
      do {
        let schema = try await ask(number)
        state.withLock { state in
          if state.schemas.count >= Self.schemasMax { state.schemas = [:] }
          state.schemas[number] = schema
          state.fault = nil
        }
        return schema
      } catch let error as Unavailable {
        failures += 1
        let wait = retry.delay(afterFailures: failures, using: &generator) ?? retry.ceiling
        state.withLock { $0.fault = "the schema registry at \(base.host) \(error.reason)" }
        logger.error(
          "kafka.registry_waiting",
          ["schema": LogValue(number), "reason": LogValue(error.reason), "seconds": LogValue(wait)])
        try await clock.sleep(for: wait)
      }
    }
  }

  /// Why it has to be asked again.
  private struct Unavailable: Error {
    let reason: String
  }

  private func ask(_ number: Int) async throws -> Schema {
    var path = base.text
    while path.hasSuffix("/") { path.removeLast() }
    guard let url = try? WebURL("\(path)/schemas/ids/\(number)") else {
      throw Unavailable(reason: "has no such address")
    }
    var request = HTTPRequest("GET", url, headers: headers)
    request.limits.bodyBytesMax = Self.schemaBytesMax
    let response: HTTPResponse
    do { response = try await client.send(request) } catch {
      if case .cancelled = error { throw CancellationError() }
      throw Unavailable(reason: "does not answer: \(error)")
    }
    switch response.status {
    case 200: break
    case 404: return .unreadable("the registry has no schema \(number)")
    case 401, 403: throw Unavailable(reason: "refuses us (\(response.status)): look at kafka.schemaRegistry")
    default: throw Unavailable(reason: "answers \(response.status)")
    }
    guard let json = try? JSONValue(parsing: response.body), let text = json["schema"]?.string else {
      throw Unavailable(reason: "answers what is no schema: is kafka.schemaRegistry.url its address?")
    }
    return Self.schema(text, type: json["schemaType"]?.string ?? "AVRO", hasReferences: json["references"]?[0] != nil)
  }

  static func schema(_ text: String, type: String, hasReferences: Bool) -> Schema {
    switch type {
    case "JSON": return .json
    case "AVRO":
      guard !hasReferences else { return .unreadable("its schema refers to others; one that is whole is read") }
      do throws(AvroError) { return .avro(try AvroSchema(parsing: text)) } catch { return .unreadable(error.reason) }
    default: return .unreadable("its schema is \(type.prefix(20)); JSON Schema and Avro are read")
    }
  }
}
