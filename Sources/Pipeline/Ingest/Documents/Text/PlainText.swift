import HTML

/// Makes plain text of what feeds put into titles and summaries: what a lock screen can show.
///
/// Tags go, references become characters even where they were escaped twice, white space becomes single blanks. What
/// only looks like a tag stays (`<3`, `vector<int>`), and so does a tag that is the whole text (`<table>`).
enum PlainText {
  /// What the source says about itself.
  enum Markup: Sendable, Hashable {
    /// Text that declares to be no HTML (Atom's `type="text"`). Many feeds declare it wrongly, so complete tags go.
    case text
    /// HTML, whether declared or by custom (every description of RSS).
    case html
  }

  /// The plain text of `source`; empty where it holds nothing to read, such as a picture without words.
  static func text(of source: ArraySlice<UInt8>, markup: Markup) -> String {
    if isPlain(source) { return String(decoding: source.trimmed, as: UTF8.self) }
    var stripper = TagStripper(source, markup: markup)
    var text = stripper.run()
    // Escaped twice, or three times by a chain of aggregators: what still reads as markup is read again.
    var passes = 1
    while passes < passesMax, TagStripper.readsAsMarkup(text[...]) {
      stripper = TagStripper(text[...], markup: .text)
      let next = stripper.run()
      if next == text { break }
      text = next
      passes += 1
    }
    if text.isEmpty {
      // Nothing but a picture: its words. Nothing but a tag's name: somebody writes about it.
      text = collapsed(!stripper.alternatives.isEmpty || !source.isBareTag ? stripper.alternatives : Array(source))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static let passesMax = 3

  /// Whether nothing needs doing but trimming: no markup, no run of blanks, no line break.
  private static func isPlain(_ source: ArraySlice<UInt8>) -> Bool {
    var previous = UInt8(ascii: " ")
    for byte in source {
      // 0xC2 leads no-break spaces and C1 controls, 0xEF the byte order mark.
      if byte < 0x20 || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") || byte == 0xC2 || byte == 0xEF {
        return false
      }
      if byte == 0x20, previous == 0x20 { return source.trimmed.count < 2 }
      previous = byte
    }
    return previous != 0x20
  }

  private static func collapsed(_ bytes: [UInt8]) -> [UInt8] {
    var output = TextCollector()
    output.append(bytes[...])
    return output.finish()
  }
}

extension ArraySlice<UInt8> {
  /// Whether this is one start tag without attributes.
  fileprivate var isBareTag: Bool {
    let tag = trimmed
    guard tag.count > 2, tag.first == UInt8(ascii: "<"), tag.last == UInt8(ascii: ">") else { return false }
    return tag.dropFirst().dropLast().allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
  }
}

/// Collects text with its white space collapsed.
struct TextCollector {
  private var bytes: [UInt8] = []
  private var gap = Gap.none

  /// White space that stands before the next character.
  private enum Gap {
    case none
    /// One no-break space and nothing else: it stays one.
    case noBreakSpace
    case blank
  }

  /// White space: one blank, unless nothing is before or after it.
  mutating func blank() { gap = .blank }

  /// Text in UTF-8. A byte order mark goes; C1 controls become what windows-1252 has there, for nobody means them.
  mutating func append(_ text: ArraySlice<UInt8>) {
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      switch byte {
      case ...0x20, 0x7F:
        gap = .blank
      case 0xC2 where index + 1 < text.endIndex && text[index + 1] <= 0xA0:
        index += 1
        append(CharacterReferences.scalar(numbered: UInt32(text[index])))
      case 0xEF where text[index...].starts(with: [0xEF, 0xBB, 0xBF]):
        index += 2
      default:
        fillGap()
        bytes.append(byte)
      }
      index += 1
    }
  }

  /// One character.
  mutating func append(_ scalar: Unicode.Scalar) {
    if scalar == "\u{A0}" {
      gap = gap == .none ? .noBreakSpace : .blank
    } else if scalar.properties.isWhitespace {
      gap = .blank
    } else if scalar.value >= 0x20, scalar != "\u{FEFF}", !(0x7F...0x9F).contains(scalar.value) {
      // What windows-1252 leaves empty is nothing.
      fillGap()
      bytes.append(contentsOf: String(scalar).utf8)
    }
  }

  private mutating func fillGap() {
    if gap != .none, !bytes.isEmpty { bytes += gap == .blank ? [0x20] : [0xC2, 0xA0] }
    gap = .none
  }

  /// The text, without white space at its ends.
  func finish() -> [UInt8] { bytes }
}
