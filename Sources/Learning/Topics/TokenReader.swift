internal import ICU

/// A word, or a run of Chinese or Japanese characters, in the reader's buffer.
struct Token {
  /// Where its characters are in the buffer.
  var start: Int
  var end: Int
  /// Which part of the text it stands in: 0 the title, 1…3 parts of the summary.
  var zone: Int
  /// Whether its script writes no spaces, so that it holds several words.
  var isRun: Bool
  /// Whether it is an acronym: a few letters, all of them ASCII's capitals.
  var isCapitals: Bool
  /// Of its characters, before any type is mixed in.
  var hash: UInt32
}

/// Takes a text apart into folded words: NFKC and case folded, all but letters, digits and marks a blank, Chinese and
/// Japanese characters apart from the rest. Its buffers are used again for each text.
struct TokenReader {
  private(set) var characters: [UInt32] = []
  private(set) var tokens: [Token] = []
  /// The word under way: -1 where there is none.
  private var wordStart = -1
  private var wordHash: UInt32 = 0
  private var wordCapitals = 0

  /// Of a title this many characters are looked at; longer ones are no headlines.
  static let titleCharactersMax = 300
  /// Where the summary's zones end, in folded characters; what follows is not looked at.
  static let summaryZoneEnds = [160, 400, 900]
  /// An acronym's length.
  private static let acronymLengths = 2...5
  /// UTF-8 that is looked at for each character that counts: markup and blanks do not count.
  private static let bytesPerCharacter = 8

  mutating func read(title: String, summary: String) {
    characters.removeAll(keepingCapacity: true)
    tokens.removeAll(keepingCapacity: true)
    read(title, zones: [Self.titleCharactersMax], firstZone: 0)
    read(summary, zones: Self.summaryZoneEnds, firstZone: 1)
  }

  private mutating func read(_ text: String, zones: [Int], firstZone: Int) {
    let bytesMax = zones[zones.count - 1] * Self.bytesPerCharacter
    let mark = (characters.count, tokens.count)
    let isPlain = read(bytes: text.utf8.prefix(bytesMax), zones: zones, firstZone: firstZone, isNormal: false)
    if isPlain { return }
    characters.removeSubrange(mark.0...)
    tokens.removeSubrange(mark.1...)
    // A cut in the middle of a character leaves U+FFFD at the end, a blank here.
    let normal = String(decoding: text.utf8.prefix(bytesMax), as: UTF8.self).normalisedForMatching
    _ = read(bytes: normal.utf8.prefix(bytesMax), zones: zones, firstZone: firstZone, isNormal: true)
  }

  /// False if a character needs Unicode's normalisation first.
  private mutating func read(
    bytes: Substring.UTF8View, zones: [Int], firstZone: Int, isNormal: Bool
  ) -> Bool {
    var zone = 0
    let start = characters.count
    wordStart = -1
    var iterator = bytes.makeIterator()
    while let first = iterator.next() {
      var scalar = UInt32(first)
      if first >= 0x80 {
        let following = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
        scalar &= 0x3F >> UInt32(following)
        for _ in 0..<following {
          // The text is cut here.
          guard let next = iterator.next() else { break }
          scalar = scalar << 6 | UInt32(next & 0x3F)
        }
      }
      switch Fold.fold(scalar, isNormal: isNormal) {
      case .blank: endWord(zone: firstZone + zone)
      case .letter(let folded):
        if wordStart < 0 {
          wordStart = characters.count
          wordHash = FeatureHash.start
          wordCapitals = 0
        }
        characters.append(folded)
        wordHash = FeatureHash.step(wordHash, folded)
        if scalar >= 0x41 && scalar <= 0x5A { wordCapitals += 1 }
      case .letters(let one, let other):
        if wordStart < 0 {
          wordStart = characters.count
          wordHash = FeatureHash.start
          wordCapitals = 0
        }
        characters.append(one)
        characters.append(other)
        wordHash = FeatureHash.step(FeatureHash.step(wordHash, one), other)
      case .ideograph:
        if wordStart >= 0 { endWord(zone: firstZone + zone) }
        if let last = tokens.last, last.isRun, last.end == characters.count, last.zone == firstZone + zone,
          characters.count > start
        {
          tokens[tokens.count - 1].end += 1
        } else {
          tokens.append(
            Token(
              start: characters.count, end: characters.count + 1, zone: firstZone + zone, isRun: true,
              isCapitals: false, hash: 0))
        }
        characters.append(scalar)
      case .nothing: break
      case .unknown: return false
      }
      if characters.count - start >= zones[zone], wordStart < 0 {
        zone += 1
        if zone == zones.count { return true }
      } else if characters.count - start >= zones[zones.count - 1] {
        break
      }
    }
    endWord(zone: firstZone + zone)
    return true
  }

  private mutating func endWord(zone: Int) {
    guard wordStart >= 0 else {
      // A blank parts runs, too.
      partRuns()
      return
    }
    let length = characters.count - wordStart
    tokens.append(
      Token(
        start: wordStart, end: characters.count, zone: zone, isRun: false,
        isCapitals: wordCapitals == length && Self.acronymLengths.contains(length), hash: wordHash))
    wordStart = -1
  }

  /// A run that a blank ends must not go on behind it: an unread character parts the two.
  private mutating func partRuns() {
    if let last = tokens.last, last.isRun, last.end == characters.count { characters.append(0) }
  }

  /// A token's text, for explanations.
  func text(from start: Int, to end: Int) -> String {
    var scalars = String.UnicodeScalarView()
    for index in start..<end { if let scalar = Unicode.Scalar(characters[index]) { scalars.append(scalar) } }
    return String(scalars)
  }
}
