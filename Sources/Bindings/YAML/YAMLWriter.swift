// Nodes to YAML text, by libyaml's emitter: quoting and indentation are its business.

internal import CYAML

extension YAMLNode {
  /// The node as a YAML document, two spaces a level, ending in a line break.
  ///
  /// Mappings are written as blocks, a list of scalars on one line, any other list as a block; line breaks inside
  /// scalars are kept by quoting, no line is folded.
  public var documentText: String {
    let writer = YAMLWriter()
    writer.document(self)
    return String(decoding: writer.written, as: UTF8.self)
  }
}

/// Owns one libyaml emitter and the bytes that it has written.
private final class YAMLWriter {
  private let emitter: UnsafeMutablePointer<yaml_emitter_t>
  private(set) var written: [UInt8] = []

  init() {
    // On the heap, because the emitter's state holds its own address.
    emitter = .allocate(capacity: 1)
    precondition(yaml_emitter_initialize(emitter) == 1, "out of memory")
    yaml_emitter_set_unicode(emitter, 1)
    yaml_emitter_set_indent(emitter, 2)
    yaml_emitter_set_width(emitter, -1)
    // Unretained: the emitter dies in this object's deinit, so it never outlives what it points to.
    yaml_emitter_set_output(
      emitter,
      { writer, bytes, count in
        guard let writer else { return 0 }
        Unmanaged<YAMLWriter>.fromOpaque(writer).takeUnretainedValue()
          .written.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    yaml_emitter_delete(emitter)
    emitter.deallocate()
  }

  func document(_ node: YAMLNode) {
    emit { yaml_stream_start_event_initialize(&$0, YAML_UTF8_ENCODING) }
    emit { yaml_document_start_event_initialize(&$0, nil, nil, nil, 1) }
    write(node)
    emit { yaml_document_end_event_initialize(&$0, 1) }
    emit { yaml_stream_end_event_initialize(&$0) }
  }

  private func write(_ node: YAMLNode) {
    switch node.content {
    case .scalar(let text, let style):
      // An empty plain scalar is null, which libyaml would write as empty text.
      write(style == .plain && text.isEmpty ? "null" : text, style)
    case .sequence(let items):
      let flow = items.allSatisfy(\.isScalar)
      let style = flow ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE
      emit { yaml_sequence_start_event_initialize(&$0, nil, nil, 1, style) }
      for item in items { write(item) }
      emit { yaml_sequence_end_event_initialize(&$0) }
    case .mapping(let entries):
      emit { yaml_mapping_start_event_initialize(&$0, nil, nil, 1, YAML_BLOCK_MAPPING_STYLE) }
      for entry in entries {
        write(entry.key, .plain)
        write(entry.value)
      }
      emit { yaml_mapping_end_event_initialize(&$0) }
    }
  }

  private func write(_ text: String, _ style: YAMLNode.Style) {
    // A hint only: libyaml quotes what cannot stand plain.
    let style = style == .plain ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE
    let bytes = Array(text.utf8)
    emit { yaml_scalar_event_initialize(&$0, nil, nil, bytes, Int32(bytes.count), 1, 1, style) }
  }

  /// The emitter takes the event over, and frees it whether or not it succeeds.
  private func emit(_ initialize: (inout yaml_event_t) -> Int32) {
    var event = yaml_event_t()
    // Our events are balanced, Swift text is valid UTF-8 and the output is memory: only an exhausted memory fails.
    precondition(initialize(&event) == 1 && yaml_emitter_emit(emitter, &event) == 1, "out of memory")
  }
}

extension YAMLNode {
  fileprivate var isScalar: Bool {
    if case .scalar = content { true } else { false }
  }
}
