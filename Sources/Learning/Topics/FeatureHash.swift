/// How features become numbers: 32 bits of a hash of their characters, with their kind mixed in.
enum FeatureHash {
  static let start: UInt32 = 0x811C_9DC5

  /// One more character: FNV-1a's step, on whole characters.
  static func step(_ hash: UInt32, _ character: UInt32) -> UInt32 { (hash ^ character) &* 0x0100_0193 }

  /// Spreads every bit over all (MurmurHash3's finaliser), the kind's seed mixed in.
  static func finish(_ hash: UInt32, _ kind: FeatureKind) -> UInt32 {
    var h = hash ^ kind.seed
    h = (h ^ h >> 16) &* 0x85EB_CA6B
    h = (h ^ h >> 13) &* 0xC2B2_AE35
    return h ^ h >> 16
  }

  /// A pair of words, in their order.
  static func pair(_ first: UInt32, _ second: UInt32) -> UInt32 { (first &* 0x9E37_79B1) ^ (second &+ 0x7F4A_7C15) }
}

/// What a feature is made of.
enum FeatureKind: UInt32 {
  case word = 1
  case pair
  /// Four characters of a word with its ends.
  case letters
  case oneCharacter, twoCharacters, threeCharacters
  /// A place's name, and the beginning of one.
  case place, placeStem
  /// A word in capitals: `US` is not `us`.
  case acronym

  var seed: UInt32 { rawValue &* 0x9E37_79B9 }
}
