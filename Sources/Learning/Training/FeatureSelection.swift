internal import Topics

/// The features that tell topics apart best: by chi-squared of the number of texts that have them.
struct FeatureSelection {
  /// In rising order.
  let hashes: [UInt32]

  /// Features of fewer texts than this are not looked at.
  private static let textsMin = 3
  private static let filterBits = 26

  init(_ documents: Documents, count: Int) {
    // Most features stand in one text or two; a byte for each of 2^26 groups of hashes tells most of them.
    var filter = [UInt8](repeating: 0, count: 1 << Self.filterBits)
    for hash in documents.hashes {
      let group = Int(hash >> UInt32(32 - Self.filterBits))
      if filter[group] < Self.textsMin { filter[group] += 1 }
    }
    var table = CountTable()
    var totals = SIMD8<Float>.zero
    for row in 0..<documents.topics.count where documents.weights[row] > 0 {
      let topic = documents.topics[row].rawValue
      totals[topic] += 1
      for index in documents.starts[row]..<documents.starts[row + 1] {
        let hash = documents.hashes[index]
        if filter[Int(hash >> UInt32(32 - Self.filterBits))] >= Self.textsMin { table.add(hash, topic) }
      }
    }
    let all = totals.sum()
    let shares = totals / all
    var scored: [(score: Float, hash: UInt32)] = []
    scored.reserveCapacity(table.used)
    table.forEach { hash, counts in
      let texts = counts.sum()
      guard texts >= Float(Self.textsMin) else { return }
      var score: Float = 0
      for topic in 0..<7 where shares[topic] > 0 {
        let expected = texts * shares[topic]
        score += (counts[topic] - expected) * (counts[topic] - expected) / expected
      }
      scored.append((score * all / max(1, all - texts), hash))
    }
    scored.sort { $0.score != $1.score ? $0.score > $1.score : $0.hash < $1.hash }
    hashes = scored.prefix(count).map(\.hash).sorted()
  }
}

/// Counts by hash and topic: an open hash table that doubles.
private struct CountTable {
  private var keys: [UInt32]
  private var isUsed: [Bool]
  private var counts: [SIMD8<Float>]
  private(set) var used = 0

  init() {
    keys = Array(repeating: 0, count: 1 << 16)
    isUsed = Array(repeating: false, count: 1 << 16)
    counts = Array(repeating: .zero, count: 1 << 16)
  }

  mutating func add(_ hash: UInt32, _ topic: Int) {
    let slot = slot(of: hash)
    if !isUsed[slot] {
      isUsed[slot] = true
      keys[slot] = hash
      used += 1
    }
    counts[slot][topic] += 1
    if used * 2 > keys.count { grow() }
  }

  func forEach(_ body: (UInt32, SIMD8<Float>) -> Void) {
    for slot in keys.indices where isUsed[slot] { body(keys[slot], counts[slot]) }
  }

  private func slot(of hash: UInt32) -> Int {
    var slot = Int(hash &* 0x9E37_79B1) & (keys.count - 1)
    while isUsed[slot], keys[slot] != hash { slot = (slot + 1) & (keys.count - 1) }
    return slot
  }

  private mutating func grow() {
    let old = self
    keys = Array(repeating: 0, count: old.keys.count * 2)
    isUsed = Array(repeating: false, count: keys.count)
    counts = Array(repeating: .zero, count: keys.count)
    old.forEach { hash, counted in
      let slot = slot(of: hash)
      isUsed[slot] = true
      keys[slot] = hash
      counts[slot] = counted
    }
  }
}
