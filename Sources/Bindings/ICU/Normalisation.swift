internal import CICU

extension String {
  /// The text in Unicode's NFKC_Casefold: one form for each way to write the same letters, case gone, invisible
  /// characters gone. Accents stay.
  public var normalisedForMatching: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
    var status = U_ZERO_ERROR
    let casefold = tidings_unorm2_nfkc_casefold(&status)
    // It comes with ICU's own data: it is there, or ICU is broken.
    precondition(status.rawValue <= U_ZERO_ERROR.rawValue, "ICU has no normalisation data")
    return String(decoding: normalize(Array(utf16), with: casefold), as: UTF16.self)
  }
}
