import Testing

@testable import Topics

@Suite struct TokenReaderTests {
  private func words(_ title: String, _ summary: String = "") -> [String] {
    var reader = TokenReader()
    reader.read(title: title, summary: summary)
    return reader.tokens.map { reader.text(from: $0.start, to: $0.end) }
  }

  @Test(
    "A text is folded words, and runs of characters that are written without spaces",
    arguments: [
      ("Strong QUAKE, off-shore!", ["strong", "quake", "off", "shore"]),
      ("l’équipe de France", ["l", "équipe", "de", "france"]),
      ("Straße", ["strasse"]), ("Ｆｕｌｌ　width", ["full", "width"]), ("女篮险胜，重返决赛", ["女篮险胜", "重返决赛"]),
      ("iPhone15发布会", ["iphone15", "发布会"]), ("Москва́ — сила", ["москва\u{301}", "сила"]), ("", []), ("😀", []),
      ("!?…", []),
      ("co\u{AD}op", ["coop"]), ("A\u{301}bc", ["ábc"]), ("한국 뉴스", ["한국", "뉴스"]), ("नमस्ते", ["नमस्ते"]), ("İ", ["i\u{307}"]),
    ])
  func words(title: String, expected: [String]) {
    #expect(words(title) == expected)
  }

  @Test("A text that goes through Unicode's normalisation reads as one that does not need it")
  func normalisation() {
    // A zero width joiner sends the whole text the long way, and is gone then.
    for text in ["Économie: Größe Ωmega Привет 2026", "女篮加时险胜 3比2", "co\u{AD}op ﬁn"] {
      #expect(words(text) == words("\u{200D}" + text))
    }
  }

  @Test("Of a title and a summary only the beginning is read, in zones")
  func bounds() {
    var reader = TokenReader()
    reader.read(
      title: String(repeating: "word ", count: 200_000), summary: String(repeating: "many ", count: 200_000))
    #expect(reader.characters.count < 1300)
    #expect(Set(reader.tokens.map(\.zone)) == [0, 1, 2, 3])
    reader.read(title: String(repeating: "x", count: 1_000_000), summary: "")
    #expect(reader.tokens.count == 1)
    #expect(reader.characters.count == TokenReader.titleCharactersMax)
  }

  @Test("Acronyms are told from words")
  func acronyms() {
    var reader = TokenReader()
    reader.read(title: "US tells us UNESCO and A", summary: "")
    #expect(reader.tokens.map(\.isCapitals) == [true, false, false, false, false, false])
  }
}
