internal import OpenSSL
internal import Telemetry

/// `X-Hub-Signature` (WebSub, section 7): the method and the hexadecimal HMAC of the body under the shared secret.
struct HubSignature {
  private let digest: KeyedDigest
  private let code: [UInt8]

  /// Parses `sha256=…`; nil if the method is unknown or there is no code.
  init?(_ field: String) {
    let parts = field.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let digest = KeyedDigest(rawValue: parts[0].lowercased().filter { $0 != " " }),
      let code = Self.bytes(parts[1].utf8)
    else { return nil }
    self.digest = digest
    self.code = code
  }

  /// Whether the body was signed with `secret`; takes the same time whatever is wrong.
  func isValid(for body: [UInt8], secret: Secret) -> Bool {
    equalInConstantTime(digest.authenticationCode(for: body, key: Array(secret.reveal().utf8)), code)
  }

  private static func bytes(_ text: Substring.UTF8View) -> [UInt8]? {
    let digits = text.filter { $0 != 0x20 }.map { byte -> UInt8? in
      switch byte {
      case 0x30...0x39: byte - 0x30
      case 0x41...0x46: byte - 0x41 + 10
      case 0x61...0x66: byte - 0x61 + 10
      default: nil
      }
    }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    let values = digits.compactMap(\.self)
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}
