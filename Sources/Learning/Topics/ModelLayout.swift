/// Where everything is in a model's file. All numbers are little-endian; every part begins at a multiple of 4.
struct ModelLayout {
  var featureCount: Int
  var placeSlots: Int

  /// `TDGS`.
  static let magic: UInt32 = 0x5347_4454
  static let version: UInt32 = 1
  /// Magic, version, features, place slots, fingerprint (two words), two of reserve.
  static let headerWords = 8
  static let bucketCount = 1 << 16
  static let beginningWords = (1 << 16) / 32
  /// Bias, place weights, 16 scales, the decision policy: all 32-bit floating point.
  static let denseWords = 8 + PlaceReader.featureCount * 8 + 16 + DecisionPolicy.numberCount

  var isPlausible: Bool {
    (1...1 << 20).contains(featureCount) && placeSlots.nonzeroBitCount == 1 && placeSlots <= 1 << 18
  }

  var dense: Int { Self.headerWords * 4 }
  var offsets: Int { dense + Self.denseWords * 4 }
  var weights: Int { offsets + (Self.bucketCount + 1) * 4 }
  var placeHashes: Int { weights + featureCount * 4 }
  var beginnings: Int { placeHashes + placeSlots * 4 }
  var countries: Int { beginnings + Self.beginningWords * 4 }
  var remainders: Int { countries + placeSlots * 2 }
  var byteCount: Int { remainders + featureCount * 2 }
}
