/// The words of a text as they are compared across publishers: lower-case, without punctuation, as hashes. A character
/// of a script without blanks between words (Han, kana, hangul, Thai) is a word of its own.
struct HeadlineWords {
  /// A word.
  struct Word {
    /// Its letters, hashed (FNV-1a, lower case).
    var hash: UInt32
    /// How many letters it has.
    var length: Int
    /// Whether it holds a digit, or is a Chinese numeral.
    var isFigure: Bool
    /// Whether it is a character of a script without blanks.
    var isIdeograph: Bool
  }

  /// In the order of the text.
  private(set) var all: [Word] = []

  /// The first `wordsMax` words of a text.
  init(_ text: String, wordsMax: Int) {
    all.reserveCapacity(wordsMax)
    var word = Self.empty
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x61...0x7A: Self.add(scalar.value, to: &word)
      case 0x41...0x5A: Self.add(scalar.value + 0x20, to: &word)
      case 0x30...0x39:
        Self.add(scalar.value, to: &word)
        word.isFigure = true
      // An apostrophe joins: l'homme and l’homme are one word, whichever sign the publisher uses.
      case 0x27, 0x2019: break
      case ..<0x80, 0x2000...0x206F, 0x3000...0x303F, 0xFF00...0xFF0F: finish(&word)
      case _ where Self.isIdeograph(scalar.value):
        finish(&word)
        Self.add(scalar.value, to: &word)
        word.isFigure = Self.numerals.contains(scalar)
        word.isIdeograph = true
        finish(&word)
      default:
        if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
          let lower = scalar.properties.isUppercase ? scalar.properties.lowercaseMapping.unicodeScalars.first : scalar
          Self.add((lower ?? scalar).value, to: &word)
        } else {
          finish(&word)
        }
      }
      if all.count == wordsMax { return }
    }
    finish(&word)
  }

  private static let empty = Word(hash: 0x811C_9DC5, length: 0, isFigure: false, isIdeograph: false)
  private static let numerals: Set<Unicode.Scalar> = Set("一二三四五六七八九十两".unicodeScalars)

  private static func add(_ letter: UInt32, to word: inout Word) {
    word.hash = (word.hash ^ letter) &* 0x0100_0193
    word.length += 1
  }

  private mutating func finish(_ word: inout Word) {
    if word.length > 0 { all.append(word) }
    word = Self.empty
  }

  private static func isIdeograph(_ value: UInt32) -> Bool {
    switch value {
    case 0x0E00...0x0E7F, 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF,
      0x20000...0x3FFFF:
      true
    default: false
    }
  }
}
