public import Telemetry

/// Where a hub is and the key to it, in one line as Azure's portal shows it:
/// `Endpoint=sb://news.servicebus.windows.net/;SharedAccessKeyName=…;SharedAccessKey=…;EntityPath=news`.
public struct ConnectionString: Sendable {
  /// Whether the connection is encrypted. Only an explicit `http://` to this very machine is not.
  public let isSecure: Bool
  /// The host, in lower case.
  public let host: String
  /// The port, where one is given.
  public let port: Int?
  /// The name of the rule that the key belongs to.
  public let ruleName: String
  /// The key, as it is spelled.
  public let key: Secret
  /// The hub, where the text names one.
  public let hub: String?

  /// The namespace's address without a slash at its end: `https://news.servicebus.windows.net`.
  public var endpoint: String {
    "\(isSecure ? "https" : "http")://\(host)" + (port.map { ":\($0)" } ?? "")
  }
}

extension ConnectionString: CustomStringConvertible {
  /// The text, with the key redacted.
  public var description: String {
    let scheme = isSecure ? "sb" : "http"
    return "Endpoint=\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")/;SharedAccessKeyName=\(ruleName)"
      + ";SharedAccessKey=\(key)" + (hub.map { ";EntityPath=\($0)" } ?? "")
  }
}

// MARK: - Parsing

extension ConnectionString {
  /// What a text may hold. Those beyond the first four are of Azure's other services: known, so that they are not taken
  /// for the rest of a key, and ignored.
  private enum Part: String, CaseIterable {
    case endpoint = "Endpoint"
    case ruleName = "SharedAccessKeyName"
    case key = "SharedAccessKey"
    case hub = "EntityPath"
    case transportType = "TransportType"
    case operationTimeout = "OperationTimeout"
    case stsEndpoint = "StsEndpoint"
    case runtimePort = "RuntimePort"
    case managementPort = "ManagementPort"

    init?(_ name: some StringProtocol) {
      let folded = name.lowercased()
      guard let part = Self.allCases.first(where: { $0.rawValue.lowercased() == folded }) else { return nil }
      self = part
    }
  }

  /// The connection that `text` describes. Its parts may come in any order and case; a `;` that no known part follows
  /// belongs to the value before it.
  public init(parsing text: some StringProtocol) throws(ConnectionStringError) {
    let parts = try Self.parts(String(text))
    func part(_ part: Part) throws(ConnectionStringError) -> String {
      guard let value = parts[part], !value.isEmpty else {
        throw ConnectionStringError("\(part.rawValue) is missing; expected '\(part.rawValue)=…'")
      }
      return value
    }
    (isSecure, host, port) = try Self.endpoint(try part(.endpoint))
    ruleName = try part(.ruleName)
    key = Secret(try part(.key))
    hub = parts[.hub].flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func parts(_ text: String) throws(ConnectionStringError) -> [Part: String] {
    var parts: [Part: String] = [:]
    var current: Part?
    for piece in text.split(separator: ";", omittingEmptySubsequences: false) {
      if let equals = piece.firstIndex(of: "="), let part = Part(piece[..<equals].trimmed) {
        guard parts[part] == nil else { throw ConnectionStringError("\(part.rawValue) is there twice") }
        parts[part] = String(piece[piece.index(after: equals)...])
        current = part
      } else if let current {
        parts[current, default: ""] += ";" + piece
      } else if !piece.trimmed.isEmpty {
        throw ConnectionStringError("it does not begin with a part that is known, such as 'Endpoint=sb://…'")
      }
    }
    return parts.mapValues { value in
      // A `;` at the end ends the part and is none of it.
      String(Substring(value).trimmed.reversed().drop { $0 == ";" }.reversed())
    }
  }

  private static func endpoint(_ text: String) throws(ConnectionStringError) -> (Bool, String, Int?) {
    // The text is not repeated in errors: where a separator is wrong, the key is part of it.
    let wanted = "expected 'Endpoint=sb://host/', with a port if need be"
    let scheme = text.firstRange(of: "://")
    let isSecure: Bool
    switch scheme.map({ text[..<$0.lowerBound].lowercased() }) {
    case "sb", "https": isSecure = true
    case "http": isSecure = false
    default: throw ConnectionStringError("the endpoint begins with none of sb://, https:// and http://; \(wanted)")
    }
    let rest = text[(scheme?.upperBound ?? text.startIndex)...]
    let authority = rest.prefix { $0 != "/" }.lowercased()
    guard rest.dropFirst(authority.count).allSatisfy({ $0 == "/" }) else {
      throw ConnectionStringError("the endpoint has a path; \(wanted), and the hub as 'EntityPath=…'")
    }
    // The colons of an IPv6 address stand in brackets, and the port's after them.
    let afterBracket = authority.lastIndex(of: "]") ?? authority.startIndex
    let colon = authority[afterBracket...].lastIndex(of: ":")
    let host = String(authority[..<(colon ?? authority.endIndex)])
    let port = colon.flatMap { UInt16(authority[authority.index(after: $0)...]) }
    guard !host.isEmpty, !host.contains("@"), colon == nil || port != nil && port != 0 else {
      throw ConnectionStringError("the endpoint names no host, or a port that is none; \(wanted)")
    }
    guard isSecure || isLoopback(host) else {
      throw ConnectionStringError(
        "the endpoint would send keys in clear text; http:// is for this machine only, use sb://")
    }
    return (isSecure, host, port.map(Int.init))
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop(while: \.isWhitespace)
    return start[..<(start.lastIndex { !$0.isWhitespace }.map(start.index(after:)) ?? start.startIndex)]
  }
}

/// Why a text is no connection string. Says nothing of the key.
public struct ConnectionStringError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what would be right.
  public let message: String

  fileprivate init(_ message: String) { self.message = "Connection string: " + message }

  /// The message.
  public var description: String { message }
}
