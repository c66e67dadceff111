internal import Glibc

/// Looks over a document before libxml2 does, for a start tag with so many attributes that reading it would take for
/// ever: libxml2 compares each attribute with all before it, and tells of none until it has done so.
///
/// It counts the `=` of whatever looks like a start tag, be it inside a comment or CDATA, and may therefore count a
/// little more than there is, never less. Its limit is far above that of what a visitor is shown.
struct XMLAttributeGauge {
  /// 20,000 are compared within some 80 ms; no honest tag has a hundredth of it.
  static let attributesMax = 20_000

  /// The `=` of all pieces so far, wherever they stand: as long as these are few, as they
  /// are in all but the largest documents, no tag needs looking at.
  private var total = 0
  /// Where the looking begins, it may be in the middle of a tag, and of a quote in it: up to the first angle bracket
  /// every `=` counts.
  private var isInTag = true
  private var knowsQuotes = false
  /// Nothing has followed the angle bracket yet.
  private var isFresh = false
  private var quote: UInt8?
  private var count = 0

  /// Takes the next piece of the document; false once a tag in it is beyond the limit.
  mutating func admits(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let before = total
    total += Self.equalsSigns(in: bytes)
    if total <= Self.attributesMax { return true }
    if before <= Self.attributesMax { count = before }
    return looksOver(bytes)
  }

  /// Eight bytes at a time: those that are `=` become 0x80, all others 0 ("Hacker's Delight", section 6-1).
  private static func equalsSigns(in bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    var position = 0
    while position &+ 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) ^ 0x3D3D_3D3D_3D3D_3D3D
      let low = (word & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
      count &+= (~(low | word) & 0x8080_8080_8080_8080).nonzeroBitCount
      position &+= 8
    }
    for byte in bytes[position...] where byte == 0x3D { count += 1 }
    return count
  }

  private mutating func looksOver(_ bytes: UnsafeRawBufferPointer) -> Bool {
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
      case UInt8(ascii: ">") where quote == nil && knowsQuotes: isInTag = false
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if quote == nil { quote = knowsQuotes ? byte : nil } else if quote == byte { quote = nil }
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
    knowsQuotes = true
    quote = nil
    count = 0
  }
}
