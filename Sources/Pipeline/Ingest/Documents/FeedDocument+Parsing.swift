import XML

extension FeedDocument {
  /// Reads a feed document in any of the formats.
  ///
  /// - Parameters:
  ///   - bytes: the document as it came, content codings undone.
  ///   - contentType: the `Content-Type` it came with.
  ///   - baseURL: the address it came from, after redirects: relative links are relative to it.
  ///   - limits: how much of it is read.
  /// - Throws: why it gives no items; a feed without items is none of these.
  public static func parse(
    _ bytes: [UInt8], contentType: String? = nil, baseURL: String? = nil, limits: Limits = .default
  ) throws(FeedDocumentError) -> FeedDocument {
    guard bytes.count <= limits.documentBytesMax else {
      throw .tooLarge("the document, in bytes,", limit: limits.documentBytesMax)
    }
    var text = DocumentText(bytes, contentType: contentType)
    guard let start = text.bytes.firstIndex(where: { !$0.isASCIISpace }) else { throw .notAFeed(.empty) }
    if start > 0 { text.dropBlanks(start) }
    var document =
      switch text.bytes[0] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        try JSONFeedFormat.parse(text.bytes, baseURL: baseURL, limits: limits)
      default:
        try parseXML(text.bytes, source: bytes, baseURL: baseURL, limits: limits)
      }
    document.repairs = text.repairs + document.repairs
    document.noteSharedNames()
    return document
  }

  private static func parseXML(
    _ bytes: [UInt8], source: [UInt8], baseURL: String?, limits: Limits
  ) throws(FeedDocumentError) -> FeedDocument {
    var reading = XMLReading(bytes, baseURL: baseURL, limits: limits)
    var repairs: [String] = []
    if reading.isBroken {
      let start = feedStart(in: bytes)
      var repair = MarkupRepair(start == 0 ? bytes : Array(bytes[start...]))
      let (mended, sentences) = repair.run()
      if start > 0 { repairs.append("what stands before the feed is left out") }
      repairs += sentences
      reading = XMLReading(mended, baseURL: baseURL, limits: limits)
    }
    try reading.check(source: source)
    guard let format = reading.reader.format else {
      throw .notAFeed(FeedDocumentError.Lookalike.of(source, root: reading.reader.foreignRoot))
    }
    var document = FeedDocument(reading.reader, format: format, documentBase: baseURL)
    document.repairs = repairs + reading.repairs
    return document
  }

  /// Where a feed begins in a document that begins with something else: a server's warnings, half a page.
  private static func feedStart(in bytes: [UInt8]) -> Int {
    var position = 0
    while let bracket = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      let rest = bytes[bracket...].dropFirst().prefix(8).map { $0 | 0x20 }
      if rest.starts(with: "rss".utf8) || rest.starts(with: "feed".utf8) || rest.starts(with: "rdf:rdf".utf8) {
        // An element of that name inside a feed is not the feed's beginning.
        return bytes[..<bracket].contains { !$0.isASCIISpace } && !hasOnlyProlog(bytes[..<bracket]) ? bracket : 0
      }
      position = bracket + 1
    }
    return 0
  }

  /// Whether there are but declarations, comments and white space: those the repair knows.
  private static func hasOnlyProlog(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while let bracket = rest.firstIndex(of: UInt8(ascii: "<")) {
      guard rest[..<bracket].allSatisfy(\.isASCIISpace), let next = rest[bracket...].dropFirst().first,
        next == UInt8(ascii: "?") || next == UInt8(ascii: "!"),
        let end = rest[bracket...].firstIndex(of: UInt8(ascii: ">"))
      else { return false }
      rest = rest[(end + 1)...]
    }
    return true
  }
}

/// One parse of an XML document, and how it ended.
private struct XMLReading {
  let reader: FeedReader
  private(set) var failure: XMLError?

  init(_ bytes: [UInt8], baseURL: String?, limits: FeedDocument.Limits) {
    reader = FeedReader(documentBase: baseURL, limits: limits)
    do throws(XMLError) {
      let limits = XMLLimits(depthMax: limits.depthMax, textBytesMax: limits.textBytesMax)
      try XMLParser(visitor: reader, limits: limits).finish(with: bytes)
    } catch {
      failure = error
    }
  }

  /// Whether mending the document may help: it is not well-formed, or begins with something else.
  var isBroken: Bool {
    if case .illFormed = failure { return true }
    return reader.foreignRoot != nil
  }

  /// Throws if there is no feed to be had.
  func check(source: [UInt8]) throws(FeedDocumentError) {
    switch failure {
    case nil, .contentAfterRoot: break
    case .stopped where reader.hasTooManyItems: break
    case .stopped: break
    case .tooDeep(let limit): throw .tooDeep(limit: limit)
    case .tooLarge(.text, let limit):
      throw .tooLarge("the \(reader.fieldName) of an element, in bytes,", limit: limit)
    case .tooLarge(let part, let limit): throw .tooLarge("the number of \(part.rawValue)", limit: limit)
    case .illFormed(let place, let message):
      // What was read before the damage is sound.
      guard reader.items.isEmpty else { break }
      guard reader.format != nil else { throw .notAFeed(.of(source, root: reader.foreignRoot)) }
      throw .unreadable(line: place.line, column: place.column, message)
    }
  }

  /// What the reader of the feed should know.
  var repairs: [String] {
    var repairs: [String] = []
    switch failure {
    case .contentAfterRoot(let place):
      repairs.append("line \(place.line): what follows the end of the document is left out")
    case .illFormed(let place, let message):
      repairs.append("line \(place.line): what follows is left out, for \(message)")
    case .stopped where reader.hasTooManyItems:
      repairs.append("items beyond the first \(reader.items.count) are left out")
    default: break
    }
    if !reader.undeclaredEntities.isEmpty {
      let names = reader.undeclaredEntities.sorted().map { "&\($0);" }.joined(separator: ", ")
      repairs.append("entities that the document does not declare are read as HTML's or as text: \(names)")
    }
    return repairs
  }
}
