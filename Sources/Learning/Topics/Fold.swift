internal import ICU

/// What becomes of a character when a text is folded. Characters whose folding does not depend on their neighbours are
/// looked up here; a text with another one goes through ICU as a whole first.
enum Fold {
  case blank, nothing, unknown
  case letter(UInt32)
  case letters(UInt32, UInt32)
  case ideograph

  /// Below this, Latin, Greek and Cyrillic, folding is by a table; from here on scripts have marks that combine.
  private static let tableEnd: UInt32 = 0x590
  /// Two characters in one number, the second in the high half; and three numbers that are no characters.
  private static let table: [UInt64] = (0..<tableEnd).map(entry)
  private static let blankEntry = UInt64.max
  private static let nothingEntry = UInt64.max - 1
  private static let unknownEntry = UInt64.max - 2

  static func fold(_ scalar: UInt32, isNormal: Bool) -> Fold {
    if scalar < tableEnd {
      let entry = table[Int(scalar)]
      if entry < 1 << 32 { return .letter(UInt32(truncatingIfNeeded: entry)) }
      if entry == blankEntry { return .blank }
      if entry == nothingEntry { return .nothing }
      if entry == unknownEntry { return isNormal ? byProperties(scalar) : .unknown }
      return .letters(UInt32(truncatingIfNeeded: entry), UInt32(truncatingIfNeeded: entry >> 32))
    }
    switch scalar {
    case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0x3041...0x3096, 0x30A1...0x30FA: return .ideograph
    // General punctuation but the invisible characters, and CJK punctuation: none of them folds to a letter.
    case 0x2010...0x2027, 0x2030...0x203B, 0x20A0...0x20BF, 0x3000...0x3002, 0x3008...0x3011, 0x3014...0x301B,
      0xFFFD:
      return .blank
    // Full-width forms of ASCII.
    case 0xFF01...0xFF5E: return fold(scalar - 0xFEE0, isNormal: isNormal)
    // Hangul's syllables.
    case 0xAC00...0xD7A3: return isNormal ? .letter(scalar) : .unknown
    default: return isNormal ? byProperties(scalar) : .unknown
    }
  }

  private static func byProperties(_ value: UInt32) -> Fold {
    guard let scalar = Unicode.Scalar(value) else { return .blank }
    let properties = scalar.properties
    if properties.isIdeographic { return .ideograph }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .decimalNumber: return .letter(value)
    default: return properties.isAlphabetic ? .letter(value) : .blank
    }
  }

  private static func entry(_ value: UInt32) -> UInt64 {
    guard let scalar = Unicode.Scalar(value) else { return blankEntry }
    // Marks combine with what stands before them.
    if scalar.properties.canonicalCombiningClass != .notReordered { return unknownEntry }
    let folded = Array(String(scalar).normalisedForMatching.unicodeScalars)
    guard let first = folded.first else { return nothingEntry }
    guard folded.count <= 2 else { return unknownEntry }
    let kinds = folded.map { byProperties($0.value) }
    if folded.count == 1 {
      guard case .letter = kinds[0] else { return blankEntry }
      return UInt64(first.value)
    }
    guard case .letter = kinds[0], case .letter = kinds[1] else { return unknownEntry }
    return UInt64(first.value) | UInt64(folded[1].value) << 32
  }
}
