internal import Curl
internal import Telemetry
internal import Time

/// Asks a hub for a subscription (WebSub, section 5.1).
struct HubRequest: Sendable {
  let client: HTTPClient
  let userAgent: String

  /// How long the hub is asked to keep it. Ten days, as most hubs do by themselves.
  private static let lease = Duration.seconds(10 * 24 * 3600)
  /// Redirects followed: the specification knows 307 and 308.
  private static let redirectsMax = 3
  /// What a hub says of its refusal is a sentence.
  private static let answerBytesMax = 64 << 10

  /// Sends the request; nil if the hub will verify it, else why not, in words.
  func send(_ subscription: HubSubscription, callback: String) async -> String? {
    let form: [(String, String)] = [
      ("hub.mode", "subscribe"), ("hub.topic", subscription.topic), ("hub.callback", callback),
      ("hub.secret", subscription.secret.reveal()), ("hub.lease_seconds", "\(Self.lease.components.seconds)"),
    ]
    let body = form.map { "\($0.formEncoded)=\($1.formEncoded)" }.joined(separator: "&")
    do {
      var target = try WebURL(subscription.hub)
      for _ in 0...Self.redirectsMax {
        let request = HTTPRequest(
          "POST", target,
          headers: ["Content-Type": "application/x-www-form-urlencoded", "User-Agent": userAgent],
          body: Array(body.utf8), limits: HTTPLimits(bodyBytesMax: Self.answerBytesMax))
        let response = try await client.send(request)
        if [307, 308].contains(response.status), let location = response.headers["Location"] {
          target = try target.redirected(to: location)
          continue
        }
        guard !(200..<300).contains(response.status) else { return nil }
        let words = String(decoding: response.body.prefix(200), as: UTF8.self).split(whereSeparator: \.isNewline).first
        return "the hub answers \(response.status)" + (words.map { ": \($0)" } ?? "")
      }
      return "the hub redirects without end"
    } catch {
      return "the hub cannot be reached: \(error)"
    }
  }
}

extension String {
  /// As a name or value of a form (WHATWG URL, application/x-www-form-urlencoded), blanks as `%20`.
  fileprivate var formEncoded: String {
    var text: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F: text.append(byte)
      default: text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
