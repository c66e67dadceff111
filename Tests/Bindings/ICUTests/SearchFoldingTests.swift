import ICU
import Testing

@Suite struct SearchFoldingTests {
  @Test(
    "Case, width and accents do not count",
    arguments: [
      ("Économie", "economie"), ("E\u{301}conomie", "economie"), ("ÖSTERREICH", "osterreich"), ("Straße", "strasse"),
      ("ＡＢＣ１", "abc1"), ("科技", "科技"), ("İstanbul", "istanbul"), ("ﬁn", "fin"), ("", ""), ("Σίσυφος", "σισυφοσ"),
    ])
  func folding(text: String, folded: String) {
    #expect(text.foldedForSearch == folded)
  }

  @Test("A text that grows eighteenfold is folded whole")
  func growth() {
    // U+FDFA, one letter, becomes a phrase of eighteen.
    let folded = String(repeating: "\u{FDFA}", count: 100).foldedForSearch
    #expect(folded.unicodeScalars.count == 1800)
  }
}
