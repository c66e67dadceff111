import JSON
import MicroHTTP
import Time

/// What every answer of Azure's hub has in common: header fields that its SDKs log, and the form of its errors.
struct AzureAnswer {
  /// The request's own tracking id if it had one that can be repeated, else a new one.
  let trackingID: String
  private let moment: Timestamp

  init(to headers: HeaderFields, at moment: Timestamp) {
    self.moment = moment
    let own = headers["TrackingId"].flatMap { Self.isRepeatable($0) ? $0 : nil }
    trackingID = own ?? Self.newID()
  }

  /// A success, its body empty unless given.
  func success(_ status: Int, headers: HeaderFields = [:], body: [UInt8] = []) -> Response {
    response(status, adding: headers, body: body)
  }

  /// An error in the service's XML.
  func error(_ status: Int, _ detail: String, adding headers: HeaderFields = [:]) -> Response {
    let place = "TrackingId:\(trackingID)_G0,TimeStamp:\(Self.timeStamp(moment))"
    let body = "<Error><Code>\(status)</Code><Detail>\(Self.escaped(detail)).\(place)</Detail></Error>"
    var headers = headers
    headers["Content-Type"] = Self.xml
    return response(status, adding: headers, body: Array(body.utf8))
  }

  /// What the service says of everything that is no feed, JSON included.
  static let xml = "application/xml; charset=utf-8"

  private func response(_ status: Int, adding more: HeaderFields, body: [UInt8]) -> Response {
    var headers: HeaderFields = [
      "Server": "Kestrel", "Strict-Transport-Security": "max-age=2592000", "TrackingId": trackingID,
      "x-ms-correlation-request-id": Self.newID(), "X-Powered-By": "Azure Notification Hubs",
    ]
    for field in more { headers.add(field.name, field.value) }
    return Response(status: status, headers: headers, body: body)
  }

  private static func isRepeatable(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
      }
  }

  /// A random UUID (RFC 9562, version 4).
  private static func newID() -> String {
    var bits = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    bits.0 = bits.0 & ~0xF000 | 0x4000
    bits.1 = bits.1 & ~(0b11 << 62) | 0b10 << 62
    func hex(_ value: UInt64, _ from: Int, _ digits: Int) -> String {
      let text = String(value >> UInt64(from) & (1 << UInt64(digits * 4) - 1), radix: 16)
      return String(repeating: "0", count: digits - text.count) + text
    }
    return [hex(bits.0, 32, 8), hex(bits.0, 16, 4), hex(bits.0, 0, 4), hex(bits.1, 48, 4), hex(bits.1, 0, 12)]
      .joined(separator: "-")
  }

  /// `M/d/yyyy h:mm:ss tt` in UTC, as .NET's invariant culture writes.
  static func timeStamp(_ moment: Timestamp) -> String {
    let time = moment.civil
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let hour = time.hour % 12 == 0 ? 12 : time.hour % 12
    return "\(time.month)/\(time.day)/\(time.year) \(hour):\(two(time.minute)):\(two(time.second)) "
      + (time.hour < 12 ? "AM" : "PM")
  }

  /// `text` as XML character data. What XML 1.0 cannot hold at all becomes U+FFFD.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
