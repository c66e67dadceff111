// Holds OpenSSL: digests, signatures and random bytes. Never knows whose.

internal import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
  /// The length of a digest, in bytes.
  public static let byteCount = 32

  /// The digest of `bytes`: 32 bytes.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    withOutput { output, length in
      EVP_Digest(bytes, bytes.count, output, length, EVP_sha256(), nil) == 1
    }
  }

  /// The digest of the UTF-8 of `text`: 32 bytes.
  public static func digest(of text: String) -> [UInt8] { digest(of: Array(text.utf8)) }

  /// The HMAC (RFC 2104) of `message` under `key`: 32 bytes. A key may have any length, none included.
  public static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    withOutput { output, length in
      HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, output, length) != nil
    }
  }

  /// Runs `body` on room for a digest. OpenSSL fails here only when it has no SHA-256 to offer, which no caller can
  /// act upon and no program should survive: every signature would be wrong.
  private static func withOutput(
    _ body: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>) -> Bool
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      var length: UInt32 = 0
      guard let output = buffer.baseAddress, body(output, &length), length == byteCount else {
        fatalError("OpenSSL computes no SHA-256: \(OpenSSLError.drained(by: "SHA-256"))")
      }
      count = byteCount
    }
  }
}
