import Testing

@testable import Ingest

@Suite("DocumentText") struct DocumentTextTests {
  /// "Привет" and markup around it.
  private static let cp1251: [UInt8] = [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]
  private static let koi8: [UInt8] = [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4]
  private static let gbk: [UInt8] = [0xC4, 0xE3, 0xBA, 0xC3]

  @Test("A label that the bytes do not contradict is believed: HTTP's, then the declaration's")
  func labels() {
    #expect(text(declared("windows-1251") + Self.cp1251).contains("Привет"))
    #expect(text(declared("WIN-1251 ") + Self.cp1251).contains("Привет"))
    #expect(text(Self.koi8, "text/xml; charset=koi8-r").contains("Привет"))
    #expect(text(Self.koi8, "text/xml; charset=\"KOI8-R\"").contains("Привет"))
    #expect(text(Self.gbk, "application/rss+xml;charset=gb2312").contains("你好"))
    #expect(text(declared("iso-8859-1") + [0x93, 0xE9, 0x94]).hasSuffix("“é”"))
  }

  @Test("A server's default does not outweigh what the document says")
  func serverDefault() {
    #expect(text(declared("windows-1251") + Self.cp1251, "text/xml; charset=ISO-8859-1").contains("Привет"))
  }

  @Test("Bytes that are UTF-8 are, whatever the labels say")
  func wrongLabels() {
    let bytes = Array("Привет, мир".utf8)
    #expect(text(declared("windows-1251") + bytes).hasSuffix("Привет, мир"))
    #expect(text(declared("utf-8") + bytes, "text/xml; charset=gbk").hasSuffix("Привет, мир"))
    #expect(DocumentText(declared("windows-1251") + bytes, contentType: nil).repairs.count == 1)
    #expect(text(declared("utf-16") + bytes).hasSuffix("Привет, мир"))
  }

  @Test("UTF-8 without any label is found, wherever its first such character stands")
  func late() {
    let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 5000)
    #expect(text(filler + Array("é".utf8)).hasSuffix("é"))
    #expect(DocumentText(filler + Array("é".utf8), contentType: nil).repairs.isEmpty)
  }

  @Test("A declaration behind a blank line counts")
  func blankLine() { #expect(text([0x0A] + declared("windows-1251") + Self.cp1251).contains("Привет")) }

  @Test("A byte order mark outranks every label and goes")
  func byteOrderMarks() {
    let document = "<?xml version='1.0' encoding='windows-1251'?><a>Привет</a>"
    #expect(text([0xEF, 0xBB, 0xBF] + Array(document.utf8)) == document)
    let wide = Array(document.utf16)
    #expect(text([0xFF, 0xFE] + wide.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == document)
    #expect(text([0xFE, 0xFF] + wide.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) == document)
    let wider = document.unicodeScalars.flatMap { [UInt8($0.value & 0xFF), UInt8($0.value >> 8 & 0xFF), 0, 0] }
    #expect(text([0xFF, 0xFE, 0, 0] + wider) == document)
  }

  @Test("UTF-16 without a mark is seen by its zeroes")
  func wideWithoutMark() {
    let document = "<?xml version='1.0'?><a>Привет</a>"
    #expect(text(document.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == document)
    #expect(text(document.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) == document)
  }

  @Test("Stray bytes in UTF-8 are mended one by one")
  func strays() {
    let bytes = Array("Düsseldorf – Köln – caf".utf8) + [0xE9, 0x20] + Array("Zürich 東".utf8) + [0xE6, 0x9D]
    let text = DocumentText(bytes, contentType: "text/xml; charset=utf-8")
    #expect(String(decoding: text.bytes, as: UTF8.self) == "Düsseldorf – Köln – café Zürich 東\u{FFFD}")
    #expect(text.repairs.count == 1)
    let mostly = Array(String(repeating: "Düsseldorf, Köln, ", count: 10).utf8) + bytes
    #expect(self.text(declared("iso-8859-1") + mostly).contains("Köln, Düsseldorf – Köln – café Zürich"))
  }

  @Test("Without a label, and not UTF-8, the charset is guessed")
  func guess() {
    // "Новости дня: в Москве прошла встреча министров" in windows-1251.
    let sentence: [UInt8] = [
      0xCD, 0xEE, 0xE2, 0xEE, 0xF1, 0xF2, 0xE8, 0x20, 0xE4, 0xED, 0xFF, 0x3A, 0x20, 0xE2, 0x20, 0xCC, 0xEE, 0xF1, 0xEA,
      0xE2, 0xE5, 0x20, 0xEF, 0xF0, 0xEE, 0xF8, 0xEB, 0xE0, 0x20, 0xE2, 0xF1, 0xF2, 0xF0, 0xE5, 0xF7, 0xE0, 0x20, 0xEC,
      0xE8, 0xED, 0xE8, 0xF1, 0xF2, 0xF0, 0xEE, 0xE2,
    ]
    #expect(text(sentence).hasPrefix("Новости дня"))
    #expect(text(declared("utf-8") + sentence).contains("Новости дня"))
    #expect(text(declared("no-such-charset") + sentence).contains("Новости дня"))
  }

  @Test("Charsets written in ASCII are read by their label")
  func stateful() {
    // "日本" in ISO-2022-JP.
    let bytes: [UInt8] = [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42]
    #expect(text(declared("iso-2022-jp") + bytes).hasSuffix("日本"))
  }

  @Test("What is checked as UTF-8 is what the standard library takes for it")
  func check() {
    let cases: [[UInt8]] = [
      [], [0x41], [0x80], [0xC2], [0xC2, 0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xE0, 0xA0, 0x80],
      [0xED, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xEF, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80],
      [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
    ]
    for bytes in cases {
      for padding in [0, 1, 30, 31, 32, 33, 64] {
        let padded = [UInt8](repeating: 0x78, count: padding) + bytes + [UInt8](repeating: 0x78, count: padding)
        #expect(
          UTF8Check.accepts(padded.span) == (String(validating: padded, as: UTF8.self) != nil), "\(bytes) in \(padding)"
        )
      }
    }
  }

  private func declared(_ label: String) -> [UInt8] { Array("<?xml version='1.0' encoding='\(label)'?>".utf8) }

  private func text(_ bytes: [UInt8], _ contentType: String? = nil) -> String {
    String(decoding: DocumentText(bytes, contentType: contentType).bytes, as: UTF8.self)
  }
}
