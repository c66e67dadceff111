import OpenSSL
public import Telemetry
public import Time

/// A token that says: the holder of a key allowed this, for this address, until then. It goes into `Authorization`.
///
///     SharedAccessSignature sr={address}&sig={HMAC-SHA256 of sr and se}&se={seconds since 1970}&skn={rule}
public struct SharedAccessSignature: Sendable {
  /// How long a token of ours is good; Azure's own SDKs take the same.
  public static let lifetime = Duration.seconds(20 * 60)
  /// No real token is longer: an address and two names.
  public static let lengthMax = 8192

  private static let scheme = "SharedAccessSignature"

  /// The address that it opens, percent-encoded as it was sent: the signature is over these very bytes.
  public let resource: String
  /// When it ends, as it was sent: seconds since 1970.
  public let expiry: String
  /// The name of the rule whose key signed it.
  public let ruleName: String
  /// The signature's bytes.
  private let signature: [UInt8]

  /// When it is no longer good.
  public var expires: Timestamp {
    // What is beyond the last moment that a timestamp holds is good for ever.
    Timestamp(secondsSince1970: min(Int64(expiry) ?? .max, .max / 1000))
  }
}

// MARK: - Signing

extension SharedAccessSignature {
  /// A token of the rule `ruleName` for the address `resource`, good from `now` on for `lifetime`.
  public init(
    for resource: String, ruleName: String, key: Secret, at now: Timestamp, lifetime: Duration = Self.lifetime
  ) {
    self.resource = percentEncoded(resource.lowercased(), uppercase: false)
    self.ruleName = ruleName
    expiry = String((now + lifetime).millisecondsSince1970 / 1000)
    signature = Self.signature(resource: self.resource, expiry: expiry, key: key)
  }

  /// The value of the `Authorization` header.
  public var authorization: String {
    let signature = percentEncoded(Base64.standard.encode(signature))
    return "\(Self.scheme) sr=\(resource)&sig=\(signature)&se=\(expiry)&skn=\(percentEncoded(ruleName))"
  }

  /// The key is used as it is spelled: it looks like base64 and is not decoded.
  private static func signature(resource: String, expiry: String, key: Secret) -> [UInt8] {
    SHA256.authenticationCode(for: Array("\(resource)\n\(expiry)".utf8), key: Array(key.reveal().utf8))
  }
}

// MARK: - Verifying

extension SharedAccessSignature {
  /// Reads the value of an `Authorization` header. The parts may come in any order.
  public init(parsing authorization: some StringProtocol) throws(SharedAccessError) {
    guard authorization.utf8.count <= Self.lengthMax else {
      throw .malformed("it is longer than \(Self.lengthMax) bytes")
    }
    let words = authorization.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == Self.scheme.lowercased() else {
      throw .malformed("it does not begin with '\(Self.scheme) '")
    }
    var parts: [Substring: Substring] = [:]
    for pair in Substring(words[1]).split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else { throw .malformed("a part of it has no '='") }
      guard parts.updateValue(sides[1], forKey: sides[0]) == nil else {
        throw .malformed("'\(sides[0])' is in it twice")
      }
    }
    func part(_ name: Substring) throws(SharedAccessError) -> Substring {
      guard let part = parts[name], !part.isEmpty else { throw .malformed("'\(name)' is missing") }
      return part
    }
    resource = String(try part("sr"))
    expiry = String(try part("se"))
    guard expiry.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw .malformed("'se' is no number of seconds")
    }
    guard let name = percentDecoded(try part("skn")) else { throw .malformed("'skn' is not percent-encoded") }
    ruleName = name
    guard let signature = percentDecoded(try part("sig")).flatMap({ Base64.standard.decode($0) }) else {
      throw .malformed("'sig' is no base64, percent-encoded")
    }
    self.signature = signature
  }

  /// Gives the rule under which this token opens `request` at `now`.
  ///
  /// Of rules that share a name, a hub's and its namespace's say, the first counts whose key signed.
  public func verify(
    with rules: [AccessRule], for request: AccessRequest, at now: Timestamp
  ) throws(SharedAccessError) -> AccessRule {
    let named = rules.filter { $0.name == ruleName }
    guard !named.isEmpty else { throw .unknownRule }
    guard let rule = named.first(where: isSigned(by:)) else { throw .badSignature }
    guard expires > now else { throw .expired }
    guard request.isCovered(by: resource) else { throw .outOfScope }
    return rule
  }

  /// Whether a key of `rule` signed this. Every key takes the same time whether it fits or not, so that a forger learns
  /// nothing from waiting.
  private func isSigned(by rule: AccessRule) -> Bool {
    rule.keys.reduce(false) { isSigned, key in
      equalInConstantTime(signature, Self.signature(resource: resource, expiry: expiry, key: key)) || isSigned
    }
  }
}

/// Why a token opens nothing.
public enum SharedAccessError: Error, Hashable, Sendable {
  /// It is no token: why.
  case malformed(String)
  /// No rule has its name.
  case unknownRule
  /// No key of its rule signed it.
  case badSignature
  /// Its time is over.
  case expired
  /// It is for another address.
  case outOfScope
}
