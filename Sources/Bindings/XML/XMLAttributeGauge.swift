internal import Glibc

/// Looks over a document before libxml2 does, for a start tag with so many attributes that reading it would take for
/// ever: libxml2 compares each attribute with all before it, and tells of none until it has done so.
///
/// It counts the `=` of whatever looks like a start tag, be it inside a comment or CDATA, and may therefore count a
/// little more than there is, never less. Its limit is far above that of what a visitor is shown.
struct XMLAttributeGauge {
  /// 10,000 are compared within some 20 ms; no honest tag has a hundredth of it.
  static let attributesMax = 10_000

  private var isInTag = false
  /// Nothing has followed the angle bracket yet.
  private var isFresh = false
  private var quote: UInt8?
  private var count = 0

  /// Takes the next piece of the document; false once a tag in it is beyond the limit.
  mutating func admits(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position < bytes.count {
      guard isInTag else {
        guard let bracket = memchr(bytes.baseAddress! + position, 0x3C, bytes.count - position) else { return true }
        position = UnsafeRawPointer(bracket) - bytes.baseAddress! + 1
        begin()
        continue
      }
      let byte = bytes[position]
      position += 1
      defer { if byte != UInt8(ascii: "<") { isFresh = false } }
      switch byte {
      // No start tag: a declaration, a comment, CDATA, an instruction or an end tag.
      case UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "/"):
        if isFresh { isInTag = false }
      // An angle bracket can stand in no tag, so wherever a quote in other text has led, here it is set right.
      case UInt8(ascii: "<"): begin()
      case UInt8(ascii: ">") where quote == nil: isInTag = false
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if quote == nil { quote = byte } else if quote == byte { quote = nil }
      case UInt8(ascii: "=") where quote == nil:
        count += 1
        if count > Self.attributesMax { return false }
      default: break
      }
    }
    return true
  }

  private mutating func begin() {
    isInTag = true
    isFresh = true
    quote = nil
    count = 0
  }
}
