import ICU
import Testing

@Suite("TextDecoder") struct TextDecoderTests {
  @Test(
    "Bytes of a charset become UTF-8",
    arguments: [
      ("windows-1251", [0xCF, 0xF0, 0xE8], "При"), ("koi8-r", [0xF0, 0xD2, 0xC9], "При"),
      ("gb18030", [0xB6, 0xAB, 0xBE, 0xA9], "东京"), ("Shift_JIS", [0x93, 0x8C, 0x8B, 0x9E], "東京"),
      ("UTF-16LE", [0x3D, 0xD8, 0x00, 0xDE, 0x41, 0x00], "😀A"), ("ibm-037", [0x4C, 0x6F], "<?"),
    ] as [(String, [UInt8], String)])
  func decode(charset: String, bytes: [UInt8], text: String) throws {
    let (utf8, faults) = try #require(TextDecoder.decode(bytes, charset: charset))
    #expect(String(decoding: utf8, as: UTF8.self) == text)
    #expect(faults == 0)
  }

  @Test("What is none of the charset's is counted and replaced")
  func faults() throws {
    let (utf8, faults) = try #require(TextDecoder.decode([0x41, 0xFF, 0x42], charset: "gb18030"))
    #expect(String(decoding: utf8, as: UTF8.self) == "A\u{FFFD}B")
    #expect(faults == 1)
  }

  @Test("A text longer than any buffer in between is whole")
  func long() throws {
    let bytes = [UInt8](repeating: 0xCF, count: 100_000)
    #expect(try #require(TextDecoder.decode(bytes, charset: "windows-1251")).utf8.count == 200_000)
  }

  @Test("A charset that nobody knows gives nothing")
  func unknown() { #expect(TextDecoder.decode([], charset: "no such charset") == nil) }
}
