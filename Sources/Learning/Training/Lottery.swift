/// Numbers that look random and are the same each time: SplitMix64.
struct Lottery: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  /// A number below `end`, by the upper bits alone: the standard library's way may change between versions.
  mutating func below(_ end: Int) -> Int { Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(end)).high) }

  /// Mixes the order: Fisher and Yates.
  mutating func shuffle(_ numbers: inout [Int32]) {
    guard numbers.count > 1 else { return }
    for index in stride(from: numbers.count - 1, to: 0, by: -1) { numbers.swapAt(index, below(index + 1)) }
  }
}
