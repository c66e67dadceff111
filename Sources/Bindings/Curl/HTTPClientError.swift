/// Why there is no answer. Says what to do about it; holds a host at most, never a URL's login, path or query.
public enum HTTPClientError: Error, Hashable, Sendable {
  /// The request could not be sent as it was put.
  case invalidRequest(String)
  /// The name of the host has no address.
  case unresolved(host: String)
  /// No connection could be made.
  case unreachable(host: String, port: UInt16, reason: String)
  /// The address guard refused the address behind the host.
  case refusedAddress(AddressGuard.Refusal, host: String)
  /// TLS could not be agreed, or the certificate is not to be trusted.
  case untrusted(host: String, reason: String)
  /// The proxy could not be used.
  case proxy(reason: String)
  /// A time limit ran out.
  case timedOut(Stage, after: Duration)
  /// More came than was to be taken in.
  case tooLarge(Part, bytesMax: Int)
  /// The connection ended before the answer did.
  case truncated(bytesReceived: Int)
  /// The body is not compressed as its header says.
  case badEncoding(String)
  /// The answer is not HTTP, or breaks its rules.
  case malformedAnswer(String)
  /// As many requests as the client allows are on their way.
  case busy(requestsMax: Int)
  /// The task was cancelled.
  case cancelled
  /// The client was shut down.
  case closed

  /// Which time limit.
  public enum Stage: String, Hashable, Sendable {
    /// Waiting for one of the host's connections, or for its address.
    case turn
    /// Name look-up, connection and TLS.
    case connect
    /// Nothing came or went.
    case idle
    /// The whole exchange.
    case total
  }

  /// What was too large.
  public enum Part: String, Hashable, Sendable {
    /// The header fields together.
    case headers
    /// The body as it came.
    case body
    /// The body after decompression.
    case decompressedBody
  }
}

extension HTTPClientError: CustomStringConvertible {
  /// What happened, and what would help.
  public var description: String {
    switch self {
    case .invalidRequest(let reason): "the request cannot be sent: \(reason)"
    case .unresolved(let host): "\(host) has no address: check the spelling, or the machine's DNS"
    case .unreachable(let host, let port, let reason): "no connection to \(host) port \(port): \(reason)"
    case .refusedAddress(let refusal, let host):
      "\(host) leads to \(refusal.address), \(refusal.reason): not connected"
    case .untrusted(let host, let reason): "TLS with \(host) failed: \(reason)"
    case .proxy(let reason): "the proxy failed: \(reason)"
    case .timedOut(.turn, let time): "no connection to the host was free within \(time)"
    case .timedOut(.connect, let time): "no connection within \(time)"
    case .timedOut(.idle, let time): "the server fell silent for \(time)"
    case .timedOut(.total, let time): "the answer was not complete within \(time)"
    case .tooLarge(.headers, let max): "the answer's headers are larger than \(max) bytes"
    case .tooLarge(.body, let max): "the answer is larger than \(max) bytes"
    case .tooLarge(.decompressedBody, let max): "the answer is larger than \(max) bytes once decompressed"
    case .truncated(let count): "the connection ended before the answer did, after \(count) bytes of it"
    case .badEncoding(let reason): "the answer's compression is broken: \(reason)"
    case .malformedAnswer(let reason): "the server does not speak HTTP properly: \(reason)"
    case .busy(let max): "\(max) requests are on their way already"
    case .cancelled: "cancelled"
    case .closed: "the HTTP client was shut down"
    }
  }
}
