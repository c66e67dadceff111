/// HTML's names for characters: `&eacute;`, `&hellip;`, `&nbsp` (HTML Standard, section 13.5).
public enum CharacterReferences {
  /// What `&name;` stands for, or nil if HTML knows no such name.
  public static func text(named name: some StringProtocol) -> String? { table[String(name)] }

  /// Whether old pages may write `&name` without the semicolon.
  public static func needsNoSemicolon(_ name: some StringProtocol) -> Bool { legacy.contains(String(name)) }

  /// What `&#number;` stands for: the code points that windows-1252 puts at 128…159 are what pages mean by them, and
  /// what is no character is U+FFFD (HTML Standard, section 13.2.5.80).
  public static func scalar(numbered number: UInt32) -> Unicode.Scalar {
    if (0x80...0x9F).contains(number), let scalar = Unicode.Scalar(windows1252[Int(number) - 0x80]) { return scalar }
    guard number != 0, let scalar = Unicode.Scalar(number) else { return "\u{FFFD}" }
    return scalar
  }

  /// windows-1252 from 0x80 to 0x9F.
  public static let windows1252: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
    0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E,
    0x178,
  ]

  private static let entries = namedCharacterReferences.split { $0 == " " || $0 == "\n" }

  private static let table = Dictionary(
    uniqueKeysWithValues: entries.map { entry in
      let parts = entry.split(separator: "=")
      let name = parts[0].first == "*" ? parts[0].dropFirst() : parts[0]
      let scalars = parts[1].split(separator: "+").compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) }
      return (String(name), String(String.UnicodeScalarView(scalars)))
    })

  private static let legacy = Set(
    entries.filter { $0.first == "*" }.map { $0.dropFirst().prefix { $0 != "=" } }.map(String.init))
}
