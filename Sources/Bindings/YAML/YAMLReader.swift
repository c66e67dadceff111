// YAML text to nodes: libyaml's events, held to the bounds of a file that people write.

internal import CYAML

/// The bounds within which a text is read.
public struct YAMLLimits: Sendable, Hashable {
  /// The longest text, in bytes: a category table of ten thousand rows has a tenth of this.
  public var bytesMax: Int
  /// The deepest nesting: a configuration needs six; libyaml itself stops at 1,000, where our recursion should not go.
  public var depthMax: Int
  /// The most nodes, keys included: what bounds memory, because a node is larger than its text (`[,,,]`).
  public var nodesMax: Int

  /// Bounds of the caller's choice.
  public init(bytesMax: Int = 4 << 20, depthMax: Int = 32, nodesMax: Int = 200_000) {
    self.bytesMax = bytesMax
    self.depthMax = depthMax
    self.nodesMax = nodesMax
  }
}

extension YAMLNode {
  /// Reads a text that holds one document; an empty text is null.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8, or UTF-16 with a byte order mark.
  ///   - limits: The bounds that the text must keep.
  /// - Throws: The first thing that is wrong, with its place.
  public init(parsing bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) throws(YAMLError) {
    guard bytes.count <= limits.bytesMax else {
      throw YAMLError(at: .start, "the text has \(bytes.count) bytes, more than the \(limits.bytesMax) allowed")
    }
    // The parser keeps a pointer into the input; the outer scope keeps the input in place for as long.
    self = try bytes.withUnsafeBufferPointer { (buffer) throws(YAMLError) in
      var reader = YAMLReader(input: buffer, limits: limits)
      return try reader.document()
    }
  }

  /// Reads a text that holds one document; an empty text is null.
  ///
  /// - Throws: The first thing that is wrong, with its place.
  public init(parsing text: String, limits: YAMLLimits = YAMLLimits()) throws(YAMLError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }
}

/// Owns one libyaml parser and builds nodes from its events.
private struct YAMLReader: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeBufferPointer<UInt8>
  private let limits: YAMLLimits
  private var nodes = 0

  init(input: UnsafeBufferPointer<UInt8>, limits: YAMLLimits) {
    // On the heap, because the parser's state holds its own address.
    parser = .allocate(capacity: 1)
    precondition(yaml_parser_initialize(parser) == 1, "out of memory")
    yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    self.input = input
    self.limits = limits
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  mutating func document() throws(YAMLError) -> YAMLNode {
    _ = try next()  // stream start
    let first = try next()
    guard case .documentStart = first.kind else { return YAMLNode(.scalar("", .plain), at: first.mark) }
    let root = try node(from: next(), depth: 1)
    _ = try next()  // document end
    let after = try next()
    guard case .streamEnd = after.kind else {
      throw YAMLError(at: after.mark, "a second document begins; one file holds one document")
    }
    return root
  }

  private mutating func node(from event: Event, depth: Int) throws(YAMLError) -> YAMLNode {
    nodes += 1
    guard nodes <= limits.nodesMax else {
      throw YAMLError(at: event.mark, "the text has more than the \(limits.nodesMax) values allowed")
    }
    guard depth <= limits.depthMax else {
      throw YAMLError(at: event.mark, "values are nested deeper than the \(limits.depthMax) levels allowed")
    }
    switch event.kind {
    case .scalar(let text, let style):
      return YAMLNode(.scalar(text, style), at: event.mark)
    case .sequenceStart:
      var items: [YAMLNode] = []
      while true {
        let item = try next()
        if case .sequenceEnd = item.kind { return YAMLNode(.sequence(items), at: event.mark) }
        try items.append(node(from: item, depth: depth + 1))
      }
    case .mappingStart:
      return try YAMLNode(.mapping(entries(depth: depth)), at: event.mark)
    case .streamStart, .streamEnd, .documentStart, .documentEnd, .sequenceEnd, .mappingEnd:
      preconditionFailure("libyaml balances its events")
    }
  }

  private mutating func entries(depth: Int) throws(YAMLError) -> [YAMLNode.Entry] {
    var entries: [YAMLNode.Entry] = []
    var lines: [String: Int] = [:]
    while true {
      let event = try next()
      if case .mappingEnd = event.kind { return entries }
      guard case .scalar(let key, _) = event.kind else {
        throw YAMLError(at: event.mark, "a list or a mapping stands where a key should be; keys are plain words")
      }
      nodes += 1
      if let line = lines.updateValue(event.mark.line, forKey: key) {
        throw YAMLError(at: event.mark, "the key \"\(key)\" stands here for the second time, first on line \(line)")
      }
      let value = try node(from: next(), depth: depth + 1)
      entries.append(YAMLNode.Entry(key: key, mark: event.mark, value: value))
    }
  }
}

// MARK: - Events

private struct Event {
  enum Kind {
    case streamStart, streamEnd, documentStart, documentEnd
    case scalar(String, YAMLNode.Style)
    case sequenceStart, sequenceEnd, mappingStart, mappingEnd
  }
  let kind: Kind
  let mark: YAMLNode.Mark
}

extension YAMLNode.Mark {
  fileprivate init(_ mark: yaml_mark_t) { self.init(line: mark.line + 1, column: mark.column + 1) }
}

extension YAMLReader {
  /// The next event, its C form already freed.
  private func next() throws(YAMLError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
    defer { yaml_event_delete(&event) }
    let mark = YAMLNode.Mark(event.start_mark)
    return Event(kind: try kind(of: event, at: mark), mark: mark)
  }

  private func kind(of event: yaml_event_t, at mark: YAMLNode.Mark) throws(YAMLError) -> Event.Kind {
    switch event.type {
    case YAML_STREAM_START_EVENT: return .streamStart
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
    case YAML_MAPPING_END_EVENT: return .mappingEnd
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      try refuse(anchor: start.anchor, tag: start.tag, at: mark)
      return .sequenceStart
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      try refuse(anchor: start.anchor, tag: start.tag, at: mark)
      return .mappingStart
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      try refuse(anchor: scalar.anchor, tag: scalar.tag, at: mark)
      let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      return .scalar(text, scalar.style == YAML_PLAIN_SCALAR_STYLE ? .plain : .quoted)
    case YAML_ALIAS_EVENT:
      let name = event.data.alias.anchor.map { String(cString: $0) } ?? ""
      throw YAMLError(at: mark, "the alias *\(name)\(Self.written)")
    default: return .streamEnd
    }
  }

  private func refuse(
    anchor: UnsafeMutablePointer<UInt8>?, tag: UnsafeMutablePointer<UInt8>?, at mark: YAMLNode.Mark
  ) throws(YAMLError) {
    if let anchor { throw YAMLError(at: mark, "the anchor &\(String(cString: anchor))\(Self.written)") }
    if tag != nil { throw YAMLError(at: mark, "a tag (!) is not supported; quote the value to make it text") }
  }

  private static var written: String { " is not supported; write the value where it is used" }

  private func problem() -> YAMLError {
    let message = parser.pointee.problem.map { String(cString: $0) } ?? "the text cannot be read"
    switch parser.pointee.error {
    case YAML_READER_ERROR:
      return YAMLError(at: mark(ofByte: parser.pointee.problem_offset), message)
    case YAML_MEMORY_ERROR:
      return YAMLError(at: .start, "out of memory")
    default:
      let mark = YAMLNode.Mark(parser.pointee.problem_mark)
      guard let context = parser.pointee.context else { return YAMLError(at: mark, message) }
      let begin = YAMLNode.Mark(parser.pointee.context_mark)
      let place = begin.line == mark.line ? "" : ", which begins on line \(begin.line)"
      return YAMLError(at: mark, "\(message), \(String(cString: context))\(place)")
    }
  }

  /// Reader errors carry a byte's offset only.
  private func mark(ofByte offset: Int) -> YAMLNode.Mark {
    let before = input.prefix(offset)
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let newlines = before.count { $0 == UInt8(ascii: "\n") }
    return YAMLNode.Mark(
      line: newlines + 1, column: String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1)
  }
}
