import OpenSSL
import Testing

@Suite("Digests and signatures")
struct DigestTests {
  @Test(
    "SHA-256 gives the digests that FIPS 180 publishes",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func sha256(text: String, digest: String) {
    #expect(hexadecimal(SHA256.digest(of: text)) == digest)
  }

  @Test(
    "HMAC-SHA-256 gives the codes of RFC 4231",
    arguments: [
      (
        [UInt8](repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func hmac(key: [UInt8], message: String, code: String) {
    #expect(hexadecimal(SHA256.authenticationCode(for: Array(message.utf8), key: key)) == code)
  }

  @Test(
    "Every keyed digest gives the codes of RFC 2202 and RFC 4231",
    arguments: [
      (.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
      (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
      (
        .sha384,
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
      ),
      (
        .sha512,
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd"
          + "caeab1a34d4a6b4b636e070a38bce737"
      ),
    ] as [(KeyedDigest, String)])
  func keyed(digest: KeyedDigest, code: String) {
    let message = Array("what do ya want for nothing?".utf8)
    #expect(hexadecimal(digest.authenticationCode(for: message, key: Array("Jefe".utf8))) == code)
  }

  @Test("An empty key signs")
  func emptyKey() {
    let code = SHA256.authenticationCode(for: [], key: [])
    #expect(hexadecimal(code) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  @Test("Random bytes come as many as asked, and never twice the same")
  func random() throws {
    #expect(try randomBytes(count: 0).isEmpty)
    let draws = try (0..<100).map { _ in try randomBytes(count: 16) }
    #expect(draws.allSatisfy { $0.count == 16 })
    #expect(Set(draws).count == 100)
  }

  @Test(
    "Equality in constant time says what == says",
    arguments: [("", "", true), ("ab", "ab", true), ("ab", "ac", false), ("ab", "abc", false), ("", "a", false)])
  func equality(left: String, right: String, equal: Bool) {
    #expect(equalInConstantTime(Array(left.utf8), Array(right.utf8)) == equal)
  }
}

@Suite("Base64")
struct Base64Tests {
  @Test(
    "The vectors of RFC 4648 go both ways",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(text: String, encoded: String) {
    #expect(Base64.standard.encode(Array(text.utf8)) == encoded)
    #expect(Base64.standard.decode(encoded) == Array(text.utf8))
    #expect(Base64.url.decode(encoded) == Array(text.utf8))
  }

  @Test("Each alphabet has its own two last digits")
  func alphabets() {
    let bytes: [UInt8] = [0xFB, 0xEF, 0xFF, 0xFE]
    #expect(Base64.standard.encode(bytes) == "++///g==")
    #expect(Base64.url.encode(bytes) == "--___g")
    #expect(Base64.url.decode("--___g") == bytes)
    #expect(Base64.url.decode("++///g") == nil)
    #expect(Base64.standard.decode("--___g==") == nil)
  }

  @Test(
    "What no encoder writes is refused",
    arguments: ["Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm 9v", "Zm9v\n", "====", "Z=g=", "é==="])
  func refuses(text: String) {
    #expect(Base64.standard.decode(text) == nil)
  }

  @Test("Any bytes survive", arguments: 0..<20)
  func roundTrip(count: Int) throws {
    let bytes = try randomBytes(count: count)
    #expect(Base64.standard.decode(Base64.standard.encode(bytes)) == bytes)
    #expect(Base64.url.decode(Base64.url.encode(bytes)) == bytes)
  }
}
