extension StorySketch {
  /// Numbers of which two sketches share one, very probably, if they are much alike, and hardly ever otherwise (MinHash,
  /// with locality-sensitive hashing): a store finds candidates by them.
  ///
  /// Bands of two minima each. Of headlines that share 60 % of their shingles 93 % have one of the six in common, at 80 %
  /// nearly all, at 20 % a fifth. Copied summaries have two of their own, since their headlines may differ widely.
  public var bands: [Int64] {
    var bands: [Int64] = []
    bands.reserveCapacity(Int(Self.headlineBands + Self.summaryBands))
    for band in 0..<Self.headlineBands { bands.append(Self.band(band, of: headline)) }
    if summary.count >= Self.summaryShinglesMin {
      for band in Self.headlineBands..<(Self.headlineBands + Self.summaryBands) {
        bands.append(Self.band(band, of: summary))
      }
    }
    return bands
  }

  private static let headlineBands: UInt32 = 6
  private static let summaryBands: UInt32 = 2
  /// A few words are no text that somebody copied.
  private static let summaryShinglesMin = 16

  /// A band's number is part of it, so that the first of one sketch does not meet the second of another.
  private static func band(_ band: UInt32, of shingles: [UInt32]) -> Int64 {
    let first = minimum(of: shingles, seed: band * 2)
    let second = minimum(of: shingles, seed: band * 2 + 1)
    return Int64(bitPattern: UInt64(first ^ band &* 0x9E37_79B9) << 32 | UInt64(second))
  }

  /// The smallest of the shingles in an order that the seed makes.
  private static func minimum(of shingles: [UInt32], seed: UInt32) -> UInt32 {
    let salt = mixed(seed &* 0x9E37_79B9 &+ 0x7F4A_7C15)
    // An odd factor is a permutation of 32 bits, and the salt makes it another one for each seed.
    let factor = salt | 1
    var least = UInt32.max
    for shingle in shingles {
      var value = (shingle ^ salt) &* factor
      value = (value ^ value >> 15) &* 0x2C1B_3C6D
      least = min(least, value ^ value >> 12)
    }
    return least
  }
}
