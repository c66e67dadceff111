public import News

/// What an article is recognised by when another source tells the same story in nearly the same words: hashes of its
/// words and word pairs, a few hundred bytes. Pure.
///
/// Articles that belong to a series (live pages) and headlines too short to tell anything apart have none.
public struct StorySketch: Sendable, Hashable {
  /// Whose article it is; 0 where nobody said.
  let source: UInt32
  /// Its primary language; 0 where nobody said.
  let language: UInt32
  /// The headline's words and pairs of neighbours, ascending; `Kind` is in the lowest bits.
  let headline: [UInt32]
  /// A sample of the summary's words and pairs: the smallest hashes, ascending.
  let summary: [UInt32]
  /// What turns one headline into another story's: numbers, days, months, denials; ascending.
  let figures: [UInt32]

  /// What a shingle is, in the two lowest bits of its hash.
  enum Kind {
    static let content: UInt32 = 0
    static let short: UInt32 = 1
    static let pair: UInt32 = 2
    static let mask: UInt32 = 3
  }

  /// Words of a headline that count.
  private static let headlineWordsMax = 48
  /// Words of a summary that are looked at.
  private static let summaryWordsMax = 60
  /// Of a summary's shingles so many are kept: enough to tell a tenth from a half.
  private static let summarySampleMax = 32
  /// Words that a headline must have: "Markets open higher" is many stories.
  private static let wordsMin = 5
  /// Characters that a headline without blanks must have.
  private static let ideographsMin = 8
  /// Up to so many letters a word is mostly grammar.
  private static let shortLettersMax = 3

  /// The sketch of an article's own text; nil where likeness could prove nothing.
  public init?(_ article: Article) {
    self.init(
      headline: article.text.headline, summary: article.text.summary, source: article.source,
      language: article.language)
  }

  /// The sketch of a headline and a summary.
  public init?(headline: String, summary: String?, source: String?, language: String?) {
    let words = HeadlineWords(headline, wordsMax: Self.headlineWordsMax).all
    let ideographs = words.count { $0.isIdeograph }
    guard words.count - ideographs >= Self.wordsMin || ideographs >= Self.ideographsMin,
      !LiveWords.mark(words)
    else { return nil }
    self.headline = Self.shingles(words)
    figures = words.filter { $0.isFigure || DecisiveWords.contain($0.hash) }.map(\.hash).sortedSet
    let told = summary.map { HeadlineWords($0, wordsMax: Self.summaryWordsMax).all } ?? []
    self.summary = Array(Self.shingles(told).prefix(Self.summarySampleMax))
    self.source = source.map(Self.hash) ?? 0
    self.language = language.map { Self.hash(LanguageTag.primary($0)) } ?? 0
  }

  init(source: UInt32, language: UInt32, headline: [UInt32], summary: [UInt32], figures: [UInt32]) {
    self.source = source
    self.language = language
    self.headline = headline
    self.summary = summary
    self.figures = figures
  }

  private static func shingles(_ words: [HeadlineWords.Word]) -> [UInt32] {
    var shingles: [UInt32] = []
    shingles.reserveCapacity(words.count * 2)
    var before: HeadlineWords.Word?
    for word in words {
      let pair = before.map { mixed($0.hash &* 31 &+ word.hash) & ~Kind.mask }
      if word.isIdeograph {
        // A character alone is in every other headline; a pair of them is what a word is elsewhere.
        if let pair, before?.isIdeograph == true { shingles.append(pair | Kind.content) }
      } else {
        let isContent = word.length > shortLettersMax || word.isFigure
        shingles.append(mixed(word.hash) & ~Kind.mask | (isContent ? Kind.content : Kind.short))
        if let pair { shingles.append(pair | Kind.pair) }
      }
      before = word
    }
    return shingles.sortedSet
  }

  private static func hash(_ text: String) -> UInt32 {
    mixed(text.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }) | 1
  }

  /// Spreads a hash's bits: FNV's low ones are weak (the finaliser of MurmurHash3).
  static func mixed(_ value: UInt32) -> UInt32 {
    var value = (value ^ (value >> 16)) &* 0x85EB_CA6B
    value = (value ^ (value >> 13)) &* 0xC2B2_AE35
    return value ^ (value >> 16)
  }
}

/// Words of pages that go on: under one headline they tell many stories.
private enum LiveWords {
  /// Whether the words are such a page's.
  static func mark(_ words: [HeadlineWords.Word]) -> Bool {
    if words.contains(where: { hashes.contains($0.hash) }) { return true }
    return zip(words, words.dropFirst()).contains { pairs.contains(UInt64($0.hash) << 32 | UInt64($1.hash)) }
  }

  private static let hashes = Set(
    ["live", "liveblog", "newsblog", "liveticker", "ticker", "diretta", "directo", "прямая", "онлайн"]
      .flatMap { HeadlineWords($0, wordsMax: 1).all.map(\.hash) })
  private static let pairs = Set(
    ["直播", "快讯", "早报", "晚报", "en direct", "le direct"].map { text in
      let words = HeadlineWords(text, wordsMax: 2).all
      return UInt64(words[0].hash) << 32 | UInt64(words[1].hash)
    })
}

extension [UInt32] {
  /// Each once, ascending.
  var sortedSet: [UInt32] {
    var result: [UInt32] = []
    result.reserveCapacity(count)
    for value in sorted() where result.last != value { result.append(value) }
    return result
  }
}
