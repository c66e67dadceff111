internal import CICU

extension String {
  /// The text as it compares when neither case nor width nor accents matter: `ÉCONOMIE`, `Économie` and `economie` are
  /// one (Unicode's NFKC_Casefold, decomposed, its nonspacing marks dropped).
  public var foldedForSearch: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
    var status = U_ZERO_ERROR
    let casefold = tidings_unorm2_nfkc_casefold(&status)
    let decomposition = tidings_unorm2_nfd(&status)
    // Both come with ICU's own data: they are there, or ICU is broken.
    precondition(status.rawValue <= U_ZERO_ERROR.rawValue, "ICU has no normalisation data")
    let folded = normalize(Array(utf16), with: casefold)
    let decomposed = String(decoding: normalize(folded, with: decomposition), as: UTF16.self)
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: decomposed.unicodeScalars.filter { $0.properties.generalCategory != .nonspacingMark })
    return String(scalars)
  }
}

func normalize(_ source: [UInt16], with normalizer: OpaquePointer?) -> [UInt16] {
  // Twice the length holds nearly every text; for the rest ICU tells what it needs.
  var capacity = source.count * 2 + 16
  while true {
    var status = U_ZERO_ERROR
    var length: Int32 = 0
    let target = [UInt16](unsafeUninitializedCapacity: capacity) { buffer, count in
      length = tidings_unorm2_normalize(
        normalizer, source, Int32(source.count), buffer.baseAddress, Int32(capacity), &status)
      count = status.rawValue <= U_ZERO_ERROR.rawValue ? Int(length) : 0
    }
    guard status == U_BUFFER_OVERFLOW_ERROR else {
      precondition(status.rawValue <= U_ZERO_ERROR.rawValue, "ICU refuses to normalise: \(status.rawValue)")
      return target
    }
    capacity = Int(length)
  }
}
