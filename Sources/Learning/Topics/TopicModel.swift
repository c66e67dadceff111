internal import Files

/// A trained model in its file: for each feature that was worth keeping, how much it speaks for each topic.
///
/// The file is mapped, not read: opening it checks its frame and touches a few pages.
public struct TopicModel: Sendable {
  /// Names of places that it was trained with.
  public let places: Places
  /// When to answer and when to abstain.
  public let policy: DecisionPolicy
  /// How many features it knows.
  public let featureCount: Int
  /// A number of the file's content: two models with the same one are the same.
  public let fingerprint: UInt64

  /// Where the features whose hash begins with these 16 bits begin.
  private let offsets: MappedArray<UInt32>
  /// The lower 16 bits of each feature's hash.
  private let remainders: MappedArray<UInt16>
  /// Each feature's weights: 4 bits for each topic, 8 for nothing, and above them 4 bits that say how large they are.
  private let weights: MappedArray<UInt32>
  private let bias: SIMD8<Float>
  private let placeWeights: [SIMD8<Float>]
  private let scales: [Float]

  /// A model file is at most this long.
  public static let bytesMax = 3 << 20

  /// Opens a model.
  public init(path: String) throws(ModelError) {
    let file: MappedFile
    do { file = try MappedFile(path, bytesMax: Self.bytesMax) } catch { throw ModelError(path, "\(error)") }
    guard let header = file.array(of: UInt32.self, at: 0, count: ModelLayout.headerWords),
      header[0] == ModelLayout.magic
    else { throw ModelError(path, "it is no model") }
    guard header[1] == ModelLayout.version else {
      throw ModelError(path, "it is a model of version \(header[1]), not \(ModelLayout.version)")
    }
    let layout = ModelLayout(featureCount: Int(header[2]), placeSlots: Int(header[3]))
    guard layout.isPlausible, file.count == layout.byteCount,
      let offsets = file.array(of: UInt32.self, at: layout.offsets, count: ModelLayout.bucketCount + 1),
      let weights = file.array(of: UInt32.self, at: layout.weights, count: layout.featureCount),
      let remainders = file.array(of: UInt16.self, at: layout.remainders, count: layout.featureCount),
      let dense = file.array(of: UInt32.self, at: layout.dense, count: ModelLayout.denseWords),
      let placeHashes = file.array(of: UInt32.self, at: layout.placeHashes, count: layout.placeSlots),
      let beginnings = file.array(of: UInt32.self, at: layout.beginnings, count: ModelLayout.beginningWords),
      let countries = file.array(of: UInt16.self, at: layout.countries, count: layout.placeSlots)
    else { throw ModelError(path, "it is damaged: its length does not fit its frame") }
    guard offsets[ModelLayout.bucketCount] == UInt32(layout.featureCount) else {
      throw ModelError(path, "it is damaged: its index does not fit its features")
    }
    self.offsets = offsets
    self.remainders = remainders
    self.weights = weights
    featureCount = layout.featureCount
    places = Places(hashes: placeHashes, countries: countries, beginnings: beginnings)
    let floats = (0..<ModelLayout.denseWords).map { Float(bitPattern: dense[$0]) }
    guard floats.allSatisfy(\.isFinite) else { throw ModelError(path, "it is damaged: a weight is no number") }
    bias = SIMD8(floats[0..<8])
    placeWeights = (0..<PlaceReader.featureCount).map { SIMD8(floats[(8 + $0 * 8)..<(16 + $0 * 8)]) }
    let rest = 8 + PlaceReader.featureCount * 8
    scales = Array(floats[rest..<(rest + 16)])
    policy = DecisionPolicy(floats[(rest + 16)...])
    fingerprint = UInt64(header[4]) | UInt64(header[5]) << 32
  }

  /// How much the text that was read last speaks for each topic, by the topic's number; probabilities come of it by
  /// `DecisionPolicy`.
  public func scores(of text: FeatureReader) -> SIMD8<Float> {
    var known = 0
    return scores(of: text, knownCount: &known)
  }

  func scores(of text: FeatureReader, knownCount: inout Int) -> SIMD8<Float> {
    var sum = SIMD8<Float>(repeating: 0)
    var shift: Float = 0
    for feature in text.features {
      guard let packed = packedWeights(of: feature.hash) else { continue }
      let value = feature.value * scales[Int(packed >> 28)]
      sum += Self.unpack(packed) * value
      shift += value
      knownCount += 1
    }
    sum += bias - shift * 8
    for index in text.placeFeatures { sum += placeWeights[index] * FeatureReader.placeValue }
    return sum
  }

  /// How much one feature speaks for each topic; zero if the model does not know it.
  func weights(of hash: UInt32) -> SIMD8<Float> {
    guard let packed = packedWeights(of: hash) else { return .zero }
    return (Self.unpack(packed) - 8) * scales[Int(packed >> 28)]
  }

  /// How much the places speak for each topic, as they were read.
  func placeScores(of text: FeatureReader) -> SIMD8<Float> {
    text.placeFeatures.reduce(.zero) { $0 + placeWeights[$1] * FeatureReader.placeValue }
  }

  private func packedWeights(of hash: UInt32) -> UInt32? {
    let bucket = Int(hash >> 16)
    let remainder = UInt16(truncatingIfNeeded: hash)
    var index = Int(offsets[bucket])
    let end = min(Int(offsets[bucket + 1]), featureCount)
    while index < end {
      if remainders[index] == remainder { return weights[index] }
      index += 1
    }
    return nil
  }

  /// The seven numbers of 0…15, 8 for nothing. Masked where they stand and multiplied by powers of two: exact, and
  /// without the shifts by lane that plain x86-64 has not.
  private static func unpack(_ packed: UInt32) -> SIMD8<Float> {
    let inPlace = SIMD8<Int32>(repeating: Int32(truncatingIfNeeded: packed)) & Self.masks
    return SIMD8<Float>(inPlace) * Self.places
  }

  private static let masks = SIMD8<Int32>(0xF, 0xF0, 0xF00, 0xF000, 0xF_0000, 0xF0_0000, 0xF00_0000, 0)
  private static let places = SIMD8<Float>(
    1, 0x1p-4, 0x1p-8, 0x1p-12, 0x1p-16, 0x1p-20, 0x1p-24, 0)
}

/// Why a file is not used as a model.
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, in one sentence without its full stop.
  public let description: String

  init(_ path: String, _ reason: String) { description = "cannot use \(path) as a model: \(reason)" }
}
