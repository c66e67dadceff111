internal import TestKit

/// Breaks documents in the ways that publishers, servers and attackers do, the same way again for the same seed.
public struct Mutations {
  private var dice: SeededGenerator
  private let documents: [[UInt8]]
  /// Bytes of a broken document; what makes one longer is cut.
  public static let documentBytesMax = 1 << 20

  /// - Parameter documents: what is broken, and from which pieces are taken; not empty.
  public init(of documents: [[UInt8]], seed: UInt64) {
    self.documents = documents
    dice = SeededGenerator(seed)
  }

  /// A document with one to eight faults.
  public mutating func next() -> [UInt8] {
    var bytes = documents[below(documents.count)]
    for _ in 0...below(8) { mutate(&bytes) }
    return Array(bytes.prefix(Self.documentBytesMax))
  }

  /// The `Content-Type` that it comes with.
  public mutating func contentType() -> String? {
    guard below(3) == 0 else { return nil }
    return "application/xml; charset=" + Self.charsets[below(Self.charsets.count)]
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    let place = below(bytes.count + 1)
    switch below(10) {
    case 0: if place < bytes.count { bytes[place] ^= 1 << UInt8(below(8)) }
    case 1: bytes.insert(UInt8(below(256)), at: place)
    case 2: bytes.removeSubrange(piece(of: bytes, from: place))
    case 3: bytes.insert(contentsOf: Array(bytes[piece(of: bytes, from: place)]), at: place)
    case 4:
      let other = documents[below(documents.count)]
      bytes.insert(contentsOf: other[piece(of: other, from: below(other.count + 1))], at: place)
    case 5: if below(4) == 0 { bytes.removeSubrange(place...) }
    case 6: bytes.insert(contentsOf: many(token()), at: place)
    case 7: if let tag = bytes[place...].firstIndex(of: UInt8(ascii: "<")) { bytes[tag] = UInt8(ascii: "&") }
    case 8:
      if let tag = bytes[place...].firstIndex(of: UInt8(ascii: ">")) { bytes.insert(contentsOf: token(), at: tag) }
    default: bytes.insert(contentsOf: token(), at: place)
    }
  }

  private mutating func token() -> [UInt8] { Array(Self.tokens[below(Self.tokens.count)].utf8) }

  /// Now and then what may grow with the square of its number, or with its depth.
  private mutating func many(_ token: [UInt8]) -> [UInt8] {
    Array((0..<(1 << below(14))).lazy.map { _ in token }.joined())
  }

  private mutating func piece(of bytes: [UInt8], from place: Int) -> Range<Int> {
    place..<min(place + below(1 << below(14)) + 1, bytes.count)
  }

  private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &dice) }

  private static let charsets = ["utf-8", "windows-1251", "utf-16", "utf-7", "iso-2022-jp", "gb18030", "x", ""]

  private static let tokens = [
    "<![CDATA[", "]]>", "<!--", "-->", "<?xml version='1.0' encoding='utf-16'?>", "<!DOCTYPE x [", "]>",
    "<!ENTITY a '&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY b '&a;'>", "<!ENTITY x SYSTEM 'file:///etc/hostname'>", "&x;",
    "&a;",
    "&", "&amp;amp;", "&#0;", "&#x18;", "&#xD800;", "&#x110000;", "&#99999999999999999999;", "&nbsp;", "<", ">", "\"",
    "'",
    "<item>", "</item>", "<entry>", "</entry>", "<title type='xhtml'>", "<content type='html' src='//'>",
    "<guid>1</guid>",
    "<pubDate>Mon, 31 Feb 99999 25:61:61 +9999</pubDate>", "<div xmlns='http://www.w3.org/1999/xhtml'>",
    " xml:base='//[::1'", " xml:base='?'", " xml:lang=''", " xmlns:a='b'", " a:b='c'", "<a:b/>",
    "<table><td><svg><math>",
    "<link href='http://a b/%'/>", "\u{0}", "\u{8}", "\u{FEFF}", "\u{2028}", "\u{1F468}\u{200D}\u{1F469}", "e\u{301}",
    "{", "[",
    "}", "]", ",", ":", "1e999", "\\ud800", "null", "<b>", "</b>", "<p", "<script>", "<textarea>", "<plaintext>",
  ]
}
