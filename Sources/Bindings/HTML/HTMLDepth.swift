/// Guesses, before a parse, how deeply tags are nested: HTML5's rules make a parser search its open elements at every
/// tag, so depth must be bounded beforehand.
enum HTMLDepth {
  /// Whether more than `limit` elements may be open at once. Counts each name apart, for an end tag closes nothing
  /// but its like; elements that never stay open, or that their like closes, do not count.
  static func exceeds(_ limit: Int, in markup: [UInt8]) -> Bool {
    var open: [String: Int] = [:]
    var depth = 0
    var index = 0
    while index < markup.count {
      guard markup[index] == UInt8(ascii: "<"), index + 1 < markup.count else {
        index += 1
        continue
      }
      let closes = markup[index + 1] == UInt8(ascii: "/")
      let start = index + (closes ? 2 : 1)
      var end = start
      while end < markup.count, end - start < 16, isNameByte(markup[end]) { end += 1 }
      index = max(end, index + 1)
      guard end > start else { continue }
      let name = String(decoding: markup[start..<end], as: UTF8.self).lowercased()
      if closes {
        if let count = open[name], count > 0 {
          open[name] = count - 1
          depth -= 1
        }
      } else if !neverNested.contains(name) {
        open[name, default: 0] += 1
        depth += 1
        if depth > limit { return true }
      }
    }
    return false
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x3A
  }

  private static let neverNested: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "keygen", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dd", "dt", "option", "td", "th", "tr", "tbody", "thead", "tfoot", "rp", "rt",
  ]
}
