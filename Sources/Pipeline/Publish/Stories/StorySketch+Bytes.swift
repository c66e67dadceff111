extension StorySketch {
  /// The sketch as bytes, for a store: the lengths of the three lists, then numbers of four bytes, little-endian.
  public var bytes: [UInt8] {
    var bytes = [UInt8(headline.count), UInt8(summary.count), UInt8(figures.count)]
    bytes.reserveCapacity(11 + (headline.count + summary.count + figures.count) * 4)
    for value in [source, language] + headline + summary + figures {
      for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    return bytes
  }

  /// The sketch in bytes that `bytes` gave; nil if these are none.
  public init?(bytes: [UInt8]) {
    guard bytes.count >= 3 else { return nil }
    let counts = bytes[..<3].map(Int.init)
    guard bytes.count == 3 + (2 + counts.reduce(0, +)) * 4 else { return nil }
    let values = stride(from: 3, to: bytes.count, by: 4).map { place in
      (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << UInt32($1 * 8) }
    }
    let headlineEnd = 2 + counts[0]
    let summaryEnd = headlineEnd + counts[1]
    self.init(
      source: values[0], language: values[1], headline: Array(values[2..<headlineEnd]),
      summary: Array(values[headlineEnd..<summaryEnd]), figures: Array(values[summaryEnd...]))
  }
}
