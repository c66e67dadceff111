/// A model about to be written: weights in floating point, packed on the way.
public struct ModelFile {
  /// Kept features: their hashes, in rising order.
  public var hashes: [UInt32]
  /// Their weights for the topics, by number; the eighth is not used.
  public var weights: [SIMD8<Float>]
  /// What is added whatever the text.
  public var bias: SIMD8<Float>
  /// The weights of the place features.
  public var placeWeights: [SIMD8<Float>]
  /// The places it was trained with.
  public var places: PlaceNames
  /// When it answers.
  public var policy: DecisionPolicy

  /// How many place features a model has.
  public static let placeFeatureCount = PlaceReader.featureCount

  /// A model of these parts.
  public init(
    hashes: [UInt32], weights: [SIMD8<Float>], bias: SIMD8<Float>, placeWeights: [SIMD8<Float>], places: PlaceNames,
    policy: DecisionPolicy
  ) {
    precondition(hashes.count == weights.count && placeWeights.count == Self.placeFeatureCount)
    self.hashes = hashes
    self.weights = weights
    self.bias = bias
    self.placeWeights = placeWeights
    self.places = places
    self.policy = policy
  }

  /// The file's bytes.
  public func encoded() -> [UInt8] {
    let layout = ModelLayout(featureCount: hashes.count, placeSlots: places.hashes.count)
    let scales = Self.scales(largest: weights.reduce(0) { max($0, Self.magnitude($1)) })
    let dense =
      (0..<8).map { bias[$0] } + placeWeights.flatMap { row in (0..<8).map { row[$0] } } + scales + policy.numbers
    var body: [UInt8] = []
    body.reserveCapacity(layout.byteCount)
    for number in dense { body.append(number.bitPattern) }
    for offset in Self.offsets(hashes) { body.append(offset) }
    for row in weights { body.append(Self.pack(row, scales)) }
    for hash in places.hashes { body.append(hash) }
    for word in places.beginnings { body.append(word) }
    for country in places.countries { body.append(country) }
    for hash in hashes { body.append(UInt16(truncatingIfNeeded: hash)) }
    // FNV-1a over the body: says which model decided, not who made it.
    let fingerprint = body.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    var file: [UInt8] = []
    for word in [
      ModelLayout.magic, ModelLayout.version, UInt32(hashes.count), UInt32(places.hashes.count),
      UInt32(truncatingIfNeeded: fingerprint), UInt32(fingerprint >> 32), 0, 0,
    ] { file.append(word) }
    return file + body
  }

  private static func offsets(_ hashes: [UInt32]) -> [UInt32] {
    var offsets = [UInt32](repeating: 0, count: ModelLayout.bucketCount + 1)
    for hash in hashes { offsets[Int(hash >> 16) + 1] += 1 }
    for bucket in 1..<offsets.count { offsets[bucket] += offsets[bucket - 1] }
    return offsets
  }

  /// Sixteen sizes, each the next smaller one times the square root of two; the largest holds the largest weight in 7.
  private static func scales(largest: Float) -> [Float] {
    let top = max(largest, Float.leastNormalMagnitude * 0x1p20) / 7
    return (0..<16).map { index in
      let halves = Float(sign: .plus, exponent: -(15 - index) / 2, significand: 1)
      return (15 - index).isMultiple(of: 2) ? top * halves : top * halves * Float(0.5).squareRoot()
    }
  }

  private static func magnitude(_ row: SIMD8<Float>) -> Float {
    (0..<7).reduce(0) { max($0, abs(row[$1])) }
  }

  private static func pack(_ row: SIMD8<Float>, _ scales: [Float]) -> UInt32 {
    let magnitude = magnitude(row)
    // The smallest that still holds it.
    let scale = scales.firstIndex { $0 * 7.5 >= magnitude } ?? 15
    var packed = UInt32(scale) << 28
    for topic in 0..<7 {
      let level = (row[topic] / scales[scale]).rounded(.toNearestOrEven)
      packed |= UInt32(Int(min(max(level, -7), 7)) + 8) << UInt32(topic * 4)
    }
    return packed
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ number: some FixedWidthInteger & UnsignedInteger) {
    for byte in 0..<(number.bitWidth / 8) { append(UInt8(truncatingIfNeeded: number >> (byte * 8))) }
  }
}
