import Testing
import Zlib

@Suite struct CompressionTests {
  static let text = Array(String(repeating: "breaking news, ", count: 20_000).utf8)

  @Test("What was packed unpacks to the same bytes", arguments: [Compression.gzip, .deflate])
  func roundTrip(format: Compression) throws {
    for text in [Self.text, [], [0]] {
      let packed = format.compress(text)
      #expect(try format.decompress(packed, bytesMax: Self.text.count) == text)
    }
  }

  @Test("A stream cut anywhere is truncated, never a shorter text", arguments: [Compression.gzip, .deflate])
  func truncated(format: Compression) {
    let packed = format.compress(Self.text)
    for count in [0, 1, 5, 11, packed.count / 2, packed.count - 9, packed.count - 1] {
      #expect(throws: DecompressionError.truncated) {
        try format.decompress(Array(packed.prefix(count)), bytesMax: Self.text.count)
      }
    }
  }

  @Test("A bomb ends at the limit")
  func bomb() {
    let packed = Compression.gzip.compress([UInt8](repeating: 0, count: 10 << 20))
    #expect(packed.count < 20_000)
    #expect(throws: DecompressionError.tooLarge(bytesMax: 1 << 20)) {
      try Compression.gzip.decompress(packed, bytesMax: 1 << 20)
    }
  }

  @Test("Several gzip members are one text, rubbish behind them is nothing")
  func members() throws {
    let two = Compression.gzip.compress(Array("one ".utf8)) + Compression.gzip.compress(Array("two".utf8))
    #expect(try Compression.gzip.decompress(two, bytesMax: 100) == Array("one two".utf8))
    #expect(try Compression.gzip.decompress(two + [0, 0, 0], bytesMax: 100) == Array("one two".utf8))
  }

  @Test("Deflate without its header is understood")
  func bareDeflate() throws {
    let wrapped = Compression.deflate.compress(Self.text)
    #expect(try Compression.deflate.decompress(Array(wrapped[2..<(wrapped.count - 4)]), bytesMax: 1 << 20) == Self.text)
  }

  @Test("A changed byte is noticed")
  func corrupt() {
    var packed = Compression.gzip.compress(Self.text)
    packed[packed.count - 6] ^= 0xFF
    #expect(throws: DecompressionError.self) { try Compression.gzip.decompress(packed, bytesMax: 1 << 20) }
    #expect(throws: DecompressionError.self) {
      try Compression.gzip.decompress(Array("<rss></rss>".utf8), bytesMax: 1 << 20)
    }
  }
}
