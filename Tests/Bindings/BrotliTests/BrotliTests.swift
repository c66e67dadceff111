import Brotli
import Testing

@Suite struct BrotliTests {
  static let text = Array(String(repeating: "breaking news, ", count: 20_000).utf8)

  @Test("What was packed unpacks to the same bytes, and what stands behind it is nothing")
  func roundTrip() throws {
    for text in [Self.text, [], [0]] {
      let packed = Brotli.compress(text)
      #expect(try Brotli.decompress(packed, bytesMax: Self.text.count) == text)
      #expect(try Brotli.decompress(packed + [1, 2, 3], bytesMax: Self.text.count) == text)
    }
  }

  @Test("A stream cut anywhere is truncated, never a shorter text")
  func truncated() {
    let packed = Brotli.compress(Self.text)
    for count in 0..<packed.count {
      #expect(throws: BrotliError.truncated) {
        try Brotli.decompress(Array(packed.prefix(count)), bytesMax: Self.text.count)
      }
    }
  }

  @Test("A bomb ends at the limit")
  func bomb() {
    let packed = Brotli.compress([UInt8](repeating: 0, count: 10 << 20))
    #expect(packed.count < 1_000)
    #expect(throws: BrotliError.tooLarge(bytesMax: 1 << 20)) { try Brotli.decompress(packed, bytesMax: 1 << 20) }
  }

  @Test("Another format is noticed")
  func corrupt() {
    #expect(throws: BrotliError.self) { try Brotli.decompress(Array("<rss></rss>".utf8), bytesMax: 1 << 20) }
    #expect(throws: BrotliError.self) { try Brotli.decompress([0x1F, 0x8B, 8, 0, 0, 0], bytesMax: 1 << 20) }
  }
}
