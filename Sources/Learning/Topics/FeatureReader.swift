/// Reads what a text says to the model: words, pairs of words, parts of words, and whether the places it names are at
/// the reader's home or abroad. One reader serves one text after another with the same buffers.
public struct FeatureReader {
  /// Something that a text has.
  public struct Feature {
    /// Its hash, kind included.
    public var hash: UInt32
    /// How much the text has of it: all features' squares sum to 1.
    public var value: Float
    /// Where it stands first, as the reader's tokens number it, and what it is; for explanations.
    var kind: FeatureKind
    var start: Int32
    var end: Int32
    /// How often it is there, in tenths, by the weight of each zone.
    fileprivate var tenths: Int32
  }

  /// What was read last.
  public private(set) var features: [Feature] = []
  /// What was read last of places: the indices of the model's place weights.
  public private(set) var placeFeatures: [Int] = []

  /// The language of what was read last, its primary subtag: as it was told, else by its frequent words.
  public private(set) var language: String?

  private var tokens = TokenReader()
  private var placeReader = PlaceReader()
  private let places: Places
  /// Slots of a hash table: the text's number above, the feature's index below.
  private var slots = [UInt32](repeating: 0, count: Self.slotCount)
  private var textNumber: UInt32 = 0

  private static let slotCount = 1 << 13
  /// More features than this no text of the permitted length has; it keeps the table at most half full.
  private static let featuresMax = slotCount / 2
  /// How much a feature counts in the title and in each part of the summary, in tenths.
  private static let zoneTenths: [Int32] = [20, 10, 7, 3]
  /// Each of the place features has this value; the model's other features have a norm of 1 together.
  public static let placeValue: Float = 0.2
  /// log(1 + t / 10).
  private static let logarithms: [Float] = (0..<1024).map { Float(StableMath.log(1 + Double($0) / 10)) }

  /// A reader that knows these places.
  public init(places: Places) {
    self.places = places
    features.reserveCapacity(Self.featuresMax)
  }

  /// Reads a text; `features` and `placeFeatures` are its own then.
  ///
  /// - Parameters:
  ///   - title: The headline.
  ///   - summary: What follows it; may be empty.
  ///   - language: The text's language, a BCP 47 tag; where it is nil, frequent words tell it.
  ///   - home: The reader's home country, if it is known.
  public mutating func read(title: String, summary: String, language: String?, home: CountryCode?) {
    tokens.read(title: title, summary: summary)
    features.removeAll(keepingCapacity: true)
    textNumber += 1
    if textNumber == 1 << 16 {
      textNumber = 1
      for index in slots.indices { slots[index] = 0 }
    }
    var before = -1
    let count = tokens.tokens.count
    for index in 0..<count {
      let token = tokens.tokens[index]
      if token.isRun {
        readRun(token)
        before = -1
        continue
      }
      add(token.hash, .word, token.start, token.end, token.zone)
      if token.isCapitals { add(token.hash, .acronym, token.start, token.end, token.zone) }
      if before >= 0 {
        let earlier = tokens.tokens[before]
        if earlier.zone == token.zone {
          add(FeatureHash.pair(earlier.hash, token.hash), .pair, earlier.start, token.end, token.zone)
        }
      }
      before = index
      readLetters(token)
    }
    normalise()
    placeReader.read(tokens, places)
    self.language =
      language.map { $0.prefix { $0 != "-" && $0 != "_" }.lowercased() } ?? LanguageGuess.language(of: tokens)
    look(from: home)
  }

  /// Looks at the text that was read last from another home.
  public mutating func look(from home: CountryCode?) {
    placeFeatures.removeAll(keepingCapacity: true)
    placeReader.features(
      home: home, suggestedHome: home == nil ? language.flatMap { LanguageGuess.homes[$0] } : nil, into: &placeFeatures)
  }

  /// The names of places that were read last, with their countries.
  var placeNames: [(name: String, country: CountryCode)] {
    placeReader.hits.map { (tokens.text(from: $0.start, to: $0.end), $0.country) }
  }

  /// A feature as a person reads it.
  func text(of feature: Feature) -> String {
    let text = tokens.text(from: Int(feature.start), to: Int(feature.end))
    switch feature.kind {
    case .letters: return "…\(text)…"
    case .pair:
      // The two words stand one behind the other in the buffer, without their blank.
      let parts = tokens.tokens.filter { $0.start >= Int(feature.start) && $0.end <= Int(feature.end) }
      return parts.map { tokens.text(from: $0.start, to: $0.end) }.joined(separator: " ")
    default: return text
    }
  }

  private mutating func readRun(_ token: Token) {
    var one: UInt32 = 0
    var two: UInt32 = 0
    for index in token.start..<token.end {
      let character = tokens.characters[index]
      let single = FeatureHash.step(FeatureHash.start, character)
      add(single, .oneCharacter, index, index + 1, token.zone)
      if index > token.start {
        let pair = FeatureHash.step(one, character)
        add(pair, .twoCharacters, index - 1, index + 1, token.zone)
        if index > token.start + 1 {
          add(FeatureHash.step(two, character), .threeCharacters, index - 2, index + 1, token.zone)
        }
        two = pair
      }
      one = single
    }
  }

  /// Four letters at a time of `<word>`.
  private mutating func readLetters(_ token: Token) {
    let length = token.end - token.start
    guard length >= 3 else { return }
    var window: (UInt32, UInt32, UInt32) = (
      UInt32(UInt8(ascii: "<")), tokens.characters[token.start], tokens.characters[token.start + 1]
    )
    for index in (token.start + 2)...token.end {
      let next = index < token.end ? tokens.characters[index] : UInt32(UInt8(ascii: ">"))
      var hash = FeatureHash.step(FeatureHash.start, window.0)
      hash = FeatureHash.step(hash, window.1)
      hash = FeatureHash.step(hash, window.2)
      add(
        FeatureHash.step(hash, next), .letters, max(token.start, index - 3), min(token.end, index + 1), token.zone)
      window = (window.1, window.2, next)
    }
  }

  private mutating func add(_ plain: UInt32, _ kind: FeatureKind, _ start: Int, _ end: Int, _ zone: Int) {
    let hash = FeatureHash.finish(plain, kind)
    var slot = Int(hash) & (Self.slotCount - 1)
    while true {
      let entry = slots[slot]
      if entry >> 16 != textNumber { break }
      let index = Int(entry & 0xFFFF)
      if features[index].hash == hash {
        features[index].tenths += Self.zoneTenths[zone]
        return
      }
      slot = (slot + 1) & (Self.slotCount - 1)
    }
    guard features.count < Self.featuresMax else { return }
    slots[slot] = textNumber << 16 | UInt32(features.count)
    features.append(
      Feature(
        hash: hash, value: 0, kind: kind, start: Int32(start), end: Int32(end), tenths: Self.zoneTenths[zone]))
  }

  private mutating func normalise() {
    var sum: Float = 0
    for index in features.indices {
      let value = Self.logarithms[min(Int(features[index].tenths), Self.logarithms.count - 1)]
      features[index].value = value
      sum += value * value
    }
    guard sum > 0 else { return }
    let scale = 1 / sum.squareRoot()
    for index in features.indices { features[index].value *= scale }
  }
}
