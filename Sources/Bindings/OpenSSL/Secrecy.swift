internal import COpenSSL

/// `count` bytes from OpenSSL's cryptographically secure generator.
public func randomBytes(count: Int) throws(OpenSSLError) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  guard RAND_bytes(&bytes, Int32(count)) == 1 else { throw .drained(by: "drawing random bytes") }
  return bytes
}

/// Whether the two are equal, in a time that depends on their lengths alone, so that a forger learns nothing from
/// waiting.
public func equalInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
