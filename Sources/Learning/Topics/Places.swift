internal import Files

/// A country, by its two letters in ISO 3166-1.
public struct CountryCode: Sendable, Hashable, CustomStringConvertible {
  /// The letters as a number, the first in the high byte; never 0.
  public let number: UInt16

  /// The country of two ASCII letters, whatever their case.
  public init?(_ text: some StringProtocol) {
    let letters = Array(text.utf8)
    guard letters.count == 2 else { return nil }
    var number: UInt16 = 0
    for letter in letters {
      let upper = letter & 0xDF
      guard upper >= UInt8(ascii: "A"), upper <= UInt8(ascii: "Z") else { return nil }
      number = number << 8 | UInt16(upper)
    }
    self.number = number
  }

  init(number: UInt16) { self.number = number }

  /// Its letters: `GB`.
  public var description: String { String(decoding: [UInt8(number >> 8), UInt8(number & 0xFF)], as: UTF8.self) }
}

/// Names of places, of their people, their leaders and their institutions, and the country each belongs to: hashes only.
public struct Places: Sendable {
  /// An open hash table; 0 is an empty slot.
  let hashes: Numbers<UInt32>
  let countries: Numbers<UInt16>
  /// A bit for each 16 low bits of a hash that a name begins with: most words of a text are done with one look here.
  let beginnings: Numbers<UInt32>

  init(hashes: MappedArray<UInt32>, countries: MappedArray<UInt16>, beginnings: MappedArray<UInt32>) {
    self.hashes = .mapped(hashes)
    self.countries = .mapped(countries)
    self.beginnings = .mapped(beginnings)
  }

  /// The places of a model that is still to be trained.
  public init(_ names: PlaceNames) {
    hashes = .held(names.hashes)
    countries = .held(names.countries)
    beginnings = .held(names.beginnings)
  }

  func mayBegin(_ plain: UInt32) -> Bool {
    let bit = Int(PlaceNames.spread(plain) & 0xFFFF)
    return beginnings[bit >> 5] >> UInt32(bit & 31) & 1 == 1
  }

  func country(of plain: UInt32, _ kind: FeatureKind) -> CountryCode? {
    let hash = PlaceNames.stored(plain, kind)
    let mask = hashes.count - 1
    var slot = Int(hash) & mask
    // The table is at most half full, so an empty slot ends every search.
    while hashes[slot] != 0 {
      if hashes[slot] == hash { return CountryCode(number: countries[slot]) }
      slot = (slot + 1) & mask
    }
    return nil
  }
}

/// A table in a model's file, or one that is still in memory alone.
enum Numbers<Element: FixedWidthInteger & BitwiseCopyable & Sendable>: Sendable {
  case mapped(MappedArray<Element>)
  case held([Element])

  var count: Int {
    switch self {
    case .mapped(let array): array.count
    case .held(let array): array.count
    }
  }

  subscript(index: Int) -> Element {
    switch self {
    case .mapped(let array): array[index]
    case .held(let array): array[index]
    }
  }
}

/// The names as they are given for training: made into the tables that `Places` reads.
public struct PlaceNames: Sendable {
  var hashes: [UInt32]
  var countries: [UInt16]
  var beginnings: [UInt32]

  /// Builds the tables. A name that ends in `*` stands for every word that begins so. A name of two countries is of none.
  public init(_ names: [(name: String, country: CountryCode)]) {
    var known: [UInt32: UInt16] = [:]
    var order: [UInt32] = []
    beginnings = [UInt32](repeating: 0, count: (1 << 16) / 32)
    var reader = TokenReader()
    for (name, country) in names {
      let isStem = name.hasSuffix("*")
      reader.read(title: isStem ? String(name.dropLast()) : name, summary: "")
      guard let first = reader.tokens.first, reader.tokens.count <= PlaceReader.wordsMax else { continue }
      let plain: UInt32
      let beginning: UInt32
      if first.isRun {
        guard reader.tokens.count == 1, first.end - first.start >= 2 else { continue }
        plain = Self.hash(reader.characters[first.start..<first.end])
        beginning = Self.hash(reader.characters[first.start..<(first.start + 2)])
      } else {
        plain = reader.tokens.dropFirst().reduce(first.hash) { FeatureHash.pair($0, $1.hash) }
        beginning = first.hash
      }
      // `US` and `UP` are words, too, unless they are in capitals.
      let isAcronym = first.isCapitals && reader.tokens.count == 1 && first.end - first.start <= 4
      let hash = Self.stored(plain, isStem ? .placeStem : isAcronym ? .acronym : .place)
      if let earlier = known[hash] {
        if earlier != country.number { known[hash] = 0 }
      } else {
        known[hash] = country.number
        order.append(hash)
      }
      let bit = Self.spread(beginning) & 0xFFFF
      beginnings[Int(bit >> 5)] |= 1 << (bit & 31)
    }
    var size = 1 << 10
    while size < order.count * 2 { size *= 2 }
    hashes = [UInt32](repeating: 0, count: size)
    countries = [UInt16](repeating: 0, count: size)
    for hash in order {
      guard let country = known[hash], country != 0 else { continue }
      var slot = Int(hash) & (size - 1)
      while hashes[slot] != 0 { slot = (slot + 1) & (size - 1) }
      hashes[slot] = hash
      countries[slot] = country
    }
  }

  static func spread(_ plain: UInt32) -> UInt32 { FeatureHash.finish(plain, .place) }

  static func stored(_ plain: UInt32, _ kind: FeatureKind) -> UInt32 { max(1, FeatureHash.finish(plain, kind)) }

  static func hash(_ characters: ArraySlice<UInt32>) -> UInt32 {
    characters.reduce(FeatureHash.start) { FeatureHash.step($0, $1) }
  }
}
