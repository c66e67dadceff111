/// Finds the places that a text names, the longest name first, and says what they mean for who reads at home.
struct PlaceReader {
  /// A place's name in the reader's buffer.
  struct Hit {
    var start: Int
    var end: Int
    var country: CountryCode
  }

  private(set) var hits: [Hit] = []
  /// The first of the hits that is in the summary.
  private var summaryStart = 0

  /// A name has at most this many words, or this many characters in a script without spaces.
  static let wordsMax = 4
  private static let charactersMax = 7
  /// A stem is at most this much shorter than its words, and has at least this many letters.
  private static let endingMax = 4
  private static let stemMin = 4
  /// Behind this zone nothing is counted: late in a summary places are a news agency's or a background's.
  private static let lastZone = 2

  mutating func read(_ text: TokenReader, _ places: Places) {
    hits.removeAll(keepingCapacity: true)
    summaryStart = -1
    var index = 0
    while index < text.tokens.count {
      let token = text.tokens[index]
      if token.zone > Self.lastZone { break }
      if token.zone > 0, summaryStart < 0 { summaryStart = hits.count }
      if token.isRun {
        readRun(token, text, places)
        index += 1
      } else {
        index += readWords(from: index, text, places)
      }
    }
    if summaryStart < 0 { summaryStart = hits.count }
  }

  /// How many tokens were taken.
  private mutating func readWords(from index: Int, _ text: TokenReader, _ places: Places) -> Int {
    let token = text.tokens[index]
    if places.mayBegin(token.hash) {
      var best: (words: Int, country: CountryCode)?
      var plain = token.hash
      var words = 1
      while true {
        if let country = places.country(of: plain, .place) { best = (words, country) }
        if best == nil, token.isCapitals, words == 1, let country = places.country(of: plain, .acronym) {
          best = (words, country)
        }
        guard words < Self.wordsMax, index + words < text.tokens.count else { break }
        let next = text.tokens[index + words]
        guard !next.isRun, next.zone == token.zone else { break }
        plain = FeatureHash.pair(plain, next.hash)
        words += 1
      }
      if let best {
        count(token.start, text.tokens[index + best.words - 1].end, best.country)
        return best.words
      }
    }
    let length = token.end - token.start
    guard length > Self.stemMin else {
      // The whole word may be the stem.
      if length == Self.stemMin { readStem(token, token.hash, places) }
      return 1
    }
    var hash = FeatureHash.start
    var stem: CountryCode?
    for position in token.start..<token.end {
      hash = FeatureHash.step(hash, text.characters[position])
      let taken = position + 1 - token.start
      if taken >= Self.stemMin, length - taken <= Self.endingMax, places.mayBegin(hash),
        let country = places.country(of: hash, .placeStem)
      {
        stem = country
      }
    }
    if let stem { count(token.start, token.end, stem) }
    return 1
  }

  private mutating func readStem(_ token: Token, _ hash: UInt32, _ places: Places) {
    guard places.mayBegin(hash), let country = places.country(of: hash, .placeStem) else { return }
    count(token.start, token.end, country)
  }

  private mutating func readRun(_ token: Token, _ text: TokenReader, _ places: Places) {
    var index = token.start
    while index + 1 < token.end {
      var hash = FeatureHash.step(FeatureHash.start, text.characters[index])
      hash = FeatureHash.step(hash, text.characters[index + 1])
      guard places.mayBegin(hash) else {
        index += 1
        continue
      }
      var best: (end: Int, country: CountryCode)?
      var end = index + 2
      while true {
        if let country = places.country(of: hash, .place) { best = (end, country) }
        guard end < token.end, end - index < Self.charactersMax else { break }
        hash = FeatureHash.step(hash, text.characters[end])
        end += 1
      }
      if let best {
        count(index, best.end, best.country)
        index = best.end
      } else {
        index += 1
      }
    }
  }

  private mutating func count(_ start: Int, _ end: Int, _ country: CountryCode) {
    hits.append(Hit(start: start, end: end, country: country))
  }
}

// MARK: - Features

extension PlaceReader {
  /// How many place features there are: patterns of a known home, the same of a home that the language suggests, and
  /// for texts of which nothing suggests a home the countries themselves.
  static let featureCount = 128

  private static let patternCount = 34
  private static let countryStart = 2 * patternCount
  /// The last but one stands for any other country.
  private static let countries: [CountryCode] =
    ["US", "GB", "IN", "AU", "CA", "IE", "NZ", "PK", "CN", "RU", "UA", "FR", "DE", "EU", "UN"].compactMap {
      CountryCode($0)
    }
  private static let countrySlots = countries.count + 1

  /// Appends the features of what was read.
  func features(home: CountryCode?, suggestedHome: CountryCode?, into features: inout [Int]) {
    if let home {
      patterns(home, from: 0, into: &features)
    } else if let suggestedHome {
      patterns(suggestedHome, from: Self.patternCount, into: &features)
    } else {
      namedCountries(into: &features)
    }
  }

  /// A pattern of counts for the title, one for the summary, and one of both.
  private func patterns(_ home: CountryCode, from start: Int, into features: inout [Int]) {
    let title = Self.counts(hits[..<summaryStart], home)
    let summary = Self.counts(hits[summaryStart...], home)
    features.append(start + title.home * 3 + title.abroad)
    features.append(start + 9 + summary.home * 3 + summary.abroad)
    features.append(
      start + 18 + min(title.home, 1) * 8 + min(title.abroad, 1) * 4 + min(summary.home, 1) * 2
        + min(summary.abroad, 1))
  }

  private static func counts(_ hits: ArraySlice<Hit>, _ home: CountryCode) -> (home: Int, abroad: Int) {
    let atHome = hits.reduce(0) { $0 + ($1.country == home ? 1 : 0) }
    return (min(atHome, 2), min(hits.count - atHome, 2))
  }

  private func namedCountries(into features: inout [Int]) {
    let title = Self.slots(hits[..<summaryStart])
    let summary = Self.slots(hits[summaryStart...])
    for slot in 0..<Self.countrySlots where title >> slot & 1 == 1 { features.append(Self.countryStart + slot) }
    for slot in 0..<Self.countrySlots where summary >> slot & 1 == 1 {
      features.append(Self.countryStart + Self.countrySlots + slot)
    }
    // A text that names a single country is often at home there.
    let all = title | summary
    if all.nonzeroBitCount == 1 {
      features.append(Self.countryStart + 2 * Self.countrySlots + all.trailingZeroBitCount)
    } else {
      features.append(Self.countryStart + 3 * Self.countrySlots + (all == 0 ? 0 : 1))
    }
  }

  /// A bit for each country.
  private static func slots(_ hits: ArraySlice<Hit>) -> UInt32 {
    hits.reduce(0) { $0 | 1 << UInt32(countries.firstIndex(of: $1.country) ?? countries.count) }
  }
}
