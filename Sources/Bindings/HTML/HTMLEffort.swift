/// Guesses, before a parse, what it will cost: a parser searches its open elements at every tag, and the attributes of
/// a tag at every other of them, so both must be bounded beforehand.
///
/// The guess is made on the safe side: what looks like a tag counts, in a script or a comment, too.
enum HTMLEffort {
  /// Throws if more elements may be open at once, or one may have more attributes, than the limits allow.
  ///
  /// Counts each name apart, for an end tag closes nothing but its like; elements that never stay open, or that their
  /// like closes, do not count.
  static func check(_ markup: [UInt8], _ limits: HTMLLimits) throws(HTMLError) {
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
      if hasAttributes(moreThan: limits.attributesMax, in: markup, from: end) {
        throw .tooManyAttributes(limit: limits.attributesMax)
      }
      if closes {
        if let count = open[name], count > 0 {
          open[name] = count - 1
          depth -= 1
        }
      } else if !neverNested.contains(name) {
        open[name, default: 0] += 1
        depth += 1
        if depth > limits.depthMax { throw .tooDeep(limit: limits.depthMax) }
      }
    }
  }

  /// Whether the tag whose name ends at `start` has more attributes than that (HTML Standard, 13.2.5.32 to 13.2.5.39).
  private static func hasAttributes(moreThan limit: Int, in markup: [UInt8], from start: Int) -> Bool {
    var count = 0
    var place = TagPlace.between
    var index = start
    while index < markup.count {
      let byte = markup[index]
      let isBlank = byte == 0x20 || (0x09...0x0D).contains(byte)
      switch place {
      case .quoted(let quote):
        if byte == quote { place = .between }
      case _ where byte == UInt8(ascii: ">"):
        return false
      case .beforeValue where byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"):
        place = .quoted(byte)
      case .beforeValue:
        if !isBlank { place = .unquoted }
      case .unquoted:
        if isBlank { place = .between }
      case .name, .between:
        if isBlank || byte == UInt8(ascii: "/") {
          place = .between
        } else if byte == UInt8(ascii: "="), count > 0 {
          place = .beforeValue
        } else if place == .between {
          count += 1
          if count > limit { return true }
          place = .name
        }
      }
      index += 1
    }
    return false
  }

  private enum TagPlace: Equatable {
    case between, name, beforeValue, unquoted
    case quoted(UInt8)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x3A
  }

  private static let neverNested: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "keygen", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dd", "dt", "option", "td", "th", "tr", "tbody", "thead", "tfoot", "rp", "rt",
  ]
}
