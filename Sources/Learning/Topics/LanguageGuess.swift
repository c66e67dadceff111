/// A text's language by its most frequent words, as far as that suggests where its readers are at home.
enum LanguageGuess {
  /// Where most readers of a language are at home. English is read everywhere.
  static let homes: [String: CountryCode] = [
    "fr": "FR", "de": "DE", "it": "IT", "nl": "NL", "ru": "RU", "zh": "CN",
  ].compactMapValues { CountryCode($0) }

  private static let frequentWords = [
    "en": "the of and to in is for on with as at by from that his her are was will after how says new has have it be",
    "fr": "le la les des du de et en un une est pour dans sur au aux qui que par avec ce son sa ses ne pas plus",
    "de": "der die das und in den von zu mit ist im auf für ein eine nicht sich nach bei dem des als auch wie wird",
    "it": "il lo gli di che e un una per in con del della dei nel alla al è sono non da le si più dopo ecco",
    "nl": "de het een en van in op voor met is dat niet aan bij zijn naar om over uit ook door wordt tegen maar",
    "ru": "в и на не с что по из о за для от как к у его до это после при все",
  ]
  /// Words' hashes, with a bit for each language that has them.
  private static let words: [UInt32: UInt32] = {
    var words: [UInt32: UInt32] = [:]
    var reader = TokenReader()
    for (bit, language) in languages.enumerated() {
      reader.read(title: frequentWords[language] ?? "", summary: "")
      for token in reader.tokens { words[token.hash, default: 0] |= 1 << UInt32(bit) }
    }
    return words
  }()
  private static let languages = frequentWords.keys.sorted()

  /// The language that most frequent words belong to; nil if there are none, or two languages have as many.
  static func language(of text: TokenReader) -> String? {
    var counts = [Int](repeating: 0, count: languages.count)
    var ideographs = 0
    for token in text.tokens {
      if token.isRun {
        ideographs += token.end - token.start
      } else if let bits = words[token.hash] {
        for index in counts.indices where bits >> UInt32(index) & 1 == 1 { counts[index] += 1 }
      }
    }
    // Chinese headlines are mostly ideographs; Japanese ones count among them, too, and suggest no home by that alone.
    if ideographs * 2 > text.characters.count { return "zh" }
    guard let best = counts.max(), best > 0, counts.count(where: { $0 == best }) == 1 else { return nil }
    return counts.firstIndex(of: best).map { languages[$0] }
  }
}
