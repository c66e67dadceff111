import ICU
import Uchardet

/// A document's text in UTF-8, whatever charset it came in.
///
/// What says which: a byte order mark, then the bytes themselves where they are UTF-8 beyond doubt, then the labels –
/// HTTP's `charset` and the XML declaration's – unless the bytes prove one wrong, at last a guess.
struct DocumentText {
  /// UTF-8, valid, without a byte order mark.
  private(set) var bytes: [UInt8]
  /// What was wrong with the labels or the bytes.
  private(set) var repairs: [String] = []

  init(_ source: [UInt8], contentType: String?) {
    bytes = source
    if let mark = ByteOrderMark(source) {
      if mark == .utf8 { bytes.removeFirst(3) } else { decode(mark.charset) }
      if !Self.isUTF8(bytes) { mendUTF8() }
      return
    }
    if let charset = Self.wideCharset(of: source) {
      decode(charset)
      return
    }
    let labels = [contentType.flatMap(Self.charset(inContentType:)), Self.charset(inDeclaration: source)]
    let charsets = labels.compactMap { label in label.map { Charset(label: $0) } }
    for (label, charset) in zip(labels.compactMap(\.self), charsets) where charset == nil {
      repairs.append("the charset \(label) is none; the bytes decide")
    }
    decide(among: charsets.compactMap(\.self))
  }

  /// Drops white space that the document begins with: an XML declaration must stand at the very start.
  mutating func dropBlanks(_ count: Int) {
    bytes.removeFirst(count)
    if bytes.starts(with: "<?xml".utf8) { repairs.append("blanks before the XML declaration are left out") }
  }

  private mutating func decide(among labels: [Charset]) {
    let escapes = labels.first { $0.isStateful }
    if Self.isUTF8(bytes) {
      // Bytes that are UTF-8 with characters beyond ASCII in it are no other charset by accident; a charset that
      // works with escape sequences looks like ASCII.
      if let escapes, bytes.contains(0x1B) { return decode(escapes.icuName) }
      if let wrong = labels.first(where: { $0 != .utf8 }), bytes.contains(where: { $0 >= 0x80 }) {
        repairs.append("the label says \(wrong.name), but the bytes are UTF-8")
      }
      return
    }
    let legacy = labels.filter { $0 != .utf8 }
    // Text of another charset has a sequence that looks like UTF-8 now and then, but not eight of nine.
    let certainty = legacy.count < labels.count || labels.isEmpty ? 2 : 8
    if Self.isUTF8(bytes, but: certainty) { return mendUTF8() }
    // A server's default label knows less of the document than the document does.
    let ordered = legacy.count == 2 && legacy[0] == .windows1252 ? [legacy[1], legacy[0]] : legacy
    for charset in ordered where decodes(as: charset) {
      if charset != labels.first {
        repairs.append("the label says \(labels[0].name), but the bytes are \(charset.name)")
      }
      return
    }
    guess(labels: labels)
  }

  private mutating func guess(labels: [Charset]) {
    let said = labels.first.map { "the label says \($0.name), but the bytes are not" } ?? "no label says which charset"
    // The guess is about text; markup in ASCII only dilutes it.
    let first = bytes.firstIndex { $0 >= 0x80 } ?? 0
    let sample = Array(bytes[max(0, first - 256)...].prefix(Self.sampleBytes))
    let guessed = CharsetGuess.charset(of: sample).flatMap { Charset(label: $0) }
    let charset = guessed.flatMap { $0 == .utf8 ? nil : $0 } ?? .windows1252
    repairs.append("\(said); read as \(charset.name)")
    decode(charset.icuName)
  }

  /// Enough for any statistics of letters.
  private static let sampleBytes = 64 << 10

  /// Decodes if every byte is the charset's.
  private mutating func decodes(as charset: Charset) -> Bool {
    guard let (text, faults) = TextDecoder.decode(bytes, charset: charset.icuName) else { return false }
    // A few damaged characters do not prove a label wrong; a thousandth of them does.
    guard faults * 1000 <= bytes.count(where: { $0 >= 0x80 }) else { return false }
    if faults > 0 { repairs.append("\(faults) sequences of bytes are no \(charset.name)") }
    bytes = text
    return true
  }

  private mutating func decode(_ icuName: String) {
    guard let (text, faults) = TextDecoder.decode(bytes, charset: icuName) else { return }
    if faults > 0 { repairs.append("\(faults) sequences of bytes are no \(icuName)") }
    bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
  }

  // MARK: UTF-8

  static func isUTF8(_ bytes: [UInt8]) -> Bool { UTF8Check.accepts(bytes.span) }

  /// Whether what is beyond ASCII is UTF-8 for the most part: more than so many characters for one fault.
  private static func isUTF8(_ bytes: [UInt8], but charactersForFault: Int) -> Bool {
    var characters = 0
    var faults = 0
    forEachSequence(in: bytes) { _, isValid in
      if isValid { characters += 1 } else { faults += 1 }
    }
    return characters > faults * charactersForFault
  }

  /// Makes valid UTF-8 of bytes that almost are: a lone byte among letters is windows-1252's, for that is what gets
  /// pasted; a cut sequence is a character lost.
  private mutating func mendUTF8() {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + 64)
    var faults = 0
    var copied = 0
    let source = bytes
    Self.forEachSequence(in: source) { range, isValid in
      guard !isValid else { return }
      faults += 1
      output += source[copied..<range.lowerBound]
      copied = range.upperBound
      let isLone = range.upperBound >= source.count || source[range.upperBound] < 0x80
      output += isLone && range.count == 1 ? Charset.utf8(ofWindows1252: source[range.lowerBound]) : [0xEF, 0xBF, 0xBD]
    }
    output += source[copied...]
    if faults > 0 { repairs.append("\(faults) sequences of bytes are no UTF-8; lone ones are read as windows-1252") }
    bytes = output
  }

  /// Calls `body` for each run of bytes beyond ASCII that is one character, or the part of one that is left.
  private static func forEachSequence(in bytes: [UInt8], _ body: (_ range: Range<Int>, _ isValid: Bool) -> Void) {
    var index = 0
    while index < bytes.count {
      let lead = bytes[index]
      guard lead >= 0x80 else {
        index += 1
        continue
      }
      let length =
        lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xC2 && lead < 0xE0 ? 2 : 1
      var end = index + 1
      while end < min(index + length, bytes.count), bytes[end] & 0xC0 == 0x80 { end += 1 }
      let isValid = length > 1 && end == index + length && String(validating: bytes[index..<end], as: UTF8.self) != nil
      // Of an overlong form or a surrogate only the first byte is judged, so that what follows has its chance.
      if !isValid, end == index + length, length > 1 { end = index + 1 }
      body(index..<end, isValid)
      index = end
    }
  }

  // MARK: Labels

  /// The `charset` parameter of a media type.
  static func charset(inContentType type: String) -> String? {
    for parameter in type.split(separator: ";").dropFirst() {
      let pair = parameter.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].filter({ !$0.isWhitespace }).lowercased() == "charset" else { continue }
      let value = pair[1].filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
      return value.isEmpty ? nil : String(value)
    }
    return nil
  }

  /// The `encoding` of an XML declaration, also of one that something stands before.
  static func charset(inDeclaration bytes: [UInt8]) -> String? {
    let head = bytes.prefix(declarationMax)
    guard let start = head.firstIndex(ofASCII: "<?xml"), let end = head[start...].firstIndex(ofASCII: "?>"),
      let name = head[start..<end].firstIndex(ofASCII: "encoding")
    else { return nil }
    let value = head[(name + 8)..<end].drop { $0.isASCIISpace || $0 == UInt8(ascii: "=") }
    guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    let label = String(decoding: value.dropFirst().prefix { $0 != quote }, as: UTF8.self).trimmedASCII
    return label.isEmpty ? nil : label
  }

  /// Blank lines and a server's warnings may stand before it.
  private static let declarationMax = 1024

  /// The charset of a document without a mark whose first characters take more than a byte, or are EBCDIC (XML 1.0,
  /// appendix F).
  private static func wideCharset(of bytes: [UInt8]) -> String? {
    let start = bytes.prefix(4)
    if start.elementsEqual([0x3C, 0x00, 0x00, 0x00]) { return "UTF-32LE" }
    if start.elementsEqual([0x00, 0x00, 0x00, 0x3C]) { return "UTF-32BE" }
    if start.elementsEqual([0x4C, 0x6F, 0xA7, 0x94]) { return "ibm-1140" }
    guard start.count >= 2, bytes.count % 2 == 0 else { return nil }
    if bytes[0] != 0, bytes[0] < 0x80, bytes[1] == 0 { return "UTF-16LE" }
    if bytes[0] == 0, bytes[1] != 0, bytes[1] < 0x80 { return "UTF-16BE" }
    return nil
  }
}

/// A byte order mark.
enum ByteOrderMark {
  case utf8, utf16BigEndian, utf16LittleEndian, utf32BigEndian, utf32LittleEndian

  init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      self = .utf8
    } else if bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
      self = .utf32LittleEndian
    } else if bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      self = .utf32BigEndian
    } else if bytes.starts(with: [0xFF, 0xFE]) {
      self = .utf16LittleEndian
    } else if bytes.starts(with: [0xFE, 0xFF]) {
      self = .utf16BigEndian
    } else {
      return nil
    }
  }

  /// The charset, as ICU names it.
  var charset: String {
    switch self {
    case .utf8: "UTF-8"
    case .utf16BigEndian: "UTF-16BE"
    case .utf16LittleEndian: "UTF-16LE"
    case .utf32BigEndian: "UTF-32BE"
    case .utf32LittleEndian: "UTF-32LE"
    }
  }
}
