internal import COpenSSL

/// The digests by which messages are signed with a shared key (HMAC, RFC 2104). SHA-1 is broken for certificates, not for
/// this; some senders know nothing else.
public enum KeyedDigest: String, Sendable, CaseIterable {
  case sha1, sha256, sha384, sha512

  /// The code of `message` under `key`, which may have any length: 20, 32, 48 or 64 bytes.
  public func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
      var length: UInt32 = 0
      guard HMAC(function, key, Int32(key.count), message, message.count, buffer.baseAddress, &length) != nil else {
        // As for SHA256: OpenSSL has no such digest, and no caller could go on.
        fatalError("OpenSSL signs nothing: \(OpenSSLError.drained(by: rawValue))")
      }
      count = Int(length)
    }
  }

  private var function: OpaquePointer? {
    switch self {
    case .sha1: EVP_sha1()
    case .sha256: EVP_sha256()
    case .sha384: EVP_sha384()
    case .sha512: EVP_sha512()
    }
  }
}
