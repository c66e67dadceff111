// XML: holds libxml2: XML bytes in, parse events out. Never knows a feed.
internal import CLibXML2

/// A push parser of one document: UTF-8 without a byte order mark goes in, a visitor hears of elements and their text.
///
/// It is strict: the first thing that is not well-formed ends the parse with `XMLError.illFormed`, because libxml2's
/// recover mode goes on with silent losses (after an error it drops every named entity). Mending a document is the
/// caller's, who knows what kind of document it is. Two things are let through: prefixes nobody declared, and named
/// entities that the visitor can read. Nothing outside the document is ever loaded.
public final class XMLParser {
  private let visitor: any XMLVisitor
  private let limits: XMLLimits
  private let entities: XMLEntities
  private let context: xmlParserCtxtPtr
  /// Beside the object, because two of three events touch nothing else: neither reference counts nor exclusivity
  /// checks, which would cost more than the parse.
  private let state: UnsafeMutablePointer<XMLParserState>
  private var rootSeen = false
  private var failure: XMLError?
  private var gauge = XMLAttributeGauge()

  /// A parser for one document.
  public init(visitor: any XMLVisitor, limits: XMLLimits = .default) {
    Self.initialised
    self.visitor = visitor
    self.limits = limits
    entities = XMLEntities(visitor: visitor, bytesMax: limits.entityBytesMax)
    state = .allocate(capacity: 1)
    var handler = Self.handler
    // Fails only without memory, which ends a Swift program anyway.
    context = xmlCreatePushParserCtxt(&handler, nil, nil, 0, nil)!
    state.initialize(to: XMLParserState(parser: Unmanaged.passUnretained(self), limits: limits))
    context.pointee.userData = UnsafeMutableRawPointer(state)
    // HUGE: the limits here replace libxml2's own, which are too large for depth and too small for a document given
    // whole. NOENT: without it `&amp;` in an attribute arrives as `&#38;`. IGNORE_ENC: the bytes are UTF-8, whatever
    // the declaration says.
    let options = XML_PARSE_HUGE.rawValue | XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue
    xmlCtxtUseOptions(context, Int32(options | XML_PARSE_IGNORE_ENC.rawValue))
    // It would else guess from the first bytes, and convert what it took for UTF-16.
    context.pointee.charset = Int32(XML_CHAR_ENCODING_UTF8.rawValue)
    // libxml2 compares each attribute of an element with every other, and declarations with each other: that the names
    // are few bounds the time, and the memory they are interned in.
    xmlDictSetLimit(context.pointee.dict, limits.nameBytesMax)
  }

  deinit {
    // libxml2 makes one for the declarations of entities, and a push parser leaves it behind.
    if let document = context.pointee.myDoc { xmlFreeDoc(document) }
    xmlFreeParserCtxt(context)
    state.pointee.text.free()
    state.deinitialize(count: 1).deallocate()
  }

  /// Reads on. A document that is at hand in one piece is read fastest by `finish(with:)` alone.
  public func parse(_ chunk: [UInt8]) throws(XMLError) { try push(chunk, last: false) }

  /// Reads the last piece and checks that the document is complete.
  public func finish(with chunk: [UInt8] = []) throws(XMLError) {
    try push(chunk, last: true)
    guard rootSeen else { throw .illFormed(XMLPlace(line: 1, column: 1), "no element in the document") }
  }

  /// Where the parser is: the line and column of the next byte to read, from 1.
  public var place: XMLPlace {
    guard let input = context.pointee.input else { return XMLPlace(line: 1, column: 1) }
    return XMLPlace(line: Int(input.pointee.line), column: Int(input.pointee.col))
  }

  private func push(_ chunk: [UInt8], last: Bool) throws(XMLError) {
    guard chunk.count <= Int(Int32.max) else { throw .tooLarge(.document, limit: Int(Int32.max)) }
    if failure == nil {
      chunk.withUnsafeBytes { bytes in
        guard gauge.admits(bytes) else { return fail(.tooLarge(.attributes, limit: limits.attributesMax)) }
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        _ = xmlParseChunk(context, start, Int32(bytes.count), last ? 1 : 0)
      }
    }
    if let failure { throw failure }
  }

  private func fail(_ error: XMLError) {
    guard failure == nil else { return }
    failure = error
    xmlStopParser(context)
  }
}

// MARK: - What libxml2 calls

extension XMLParser {
  private static let initialised: Void = {
    xmlInitParser()
    tidings_xml_silence()
  }()

  private static var handler: xmlSAXHandler {
    var handler = xmlSAXHandler()
    handler.initialized = UInt32(XML_SAX2_MAGIC)
    handler.startElementNs = { user, local, prefix, namespace, namespaceCount, _, attributeCount, _, attributes in
      let state = XMLParser.state(user)
      let attributes = XMLRawAttributes(first: attributes, count: Int(attributeCount))
      state.pointee.depth += 1
      state.pointee.namespacesDeclared += Int(namespaceCount)
      if let error = state.pointee.excess(attributes.count) {
        return state.pointee.parser._withUnsafeGuaranteedRef { $0.fail(error) }
      }
      if state.pointee.depthInside > 0 || state.pointee.gathers {
        state.pointee.startInside(local!, attributes)
      } else {
        state.pointee.parser._withUnsafeGuaranteedRef { $0.start(local!, prefix, namespace, attributes) }
      }
    }
    handler.endElementNs = { user, local, _, _ in
      let state = XMLParser.state(user)
      state.pointee.depth -= 1
      if state.pointee.depthInside > 0 {
        state.pointee.endInside(local!)
      } else {
        state.pointee.parser._withUnsafeGuaranteedRef { $0.end() }
      }
    }
    handler.characters = { user, bytes, count in
      let state = XMLParser.state(user)
      guard state.pointee.gathers, let bytes else { return }
      if !state.pointee.gather(UnsafeBufferPointer(start: bytes, count: Int(count))) {
        state.pointee.parser._withUnsafeGuaranteedRef { $0.fail(.tooLarge(.text, limit: $0.limits.textBytesMax)) }
      }
    }
    // The same function, so that libxml2 does not look for blanks.
    handler.ignorableWhitespace = handler.characters
    handler.cdataBlock = handler.characters
    handler.getEntity = { user, name in
      XMLParser.state(user).pointee.parser._withUnsafeGuaranteedRef { $0.entity(String(cString: name!)) }
    }
    handler.entityDecl = { user, name, type, _, _, content in
      // External and parameter entities are never read.
      guard type == Int32(XML_INTERNAL_GENERAL_ENTITY.rawValue), let content else { return }
      XMLParser.state(user).pointee.parser._withUnsafeGuaranteedRef {
        $0.entities.declare(String(cString: name!), as: String(cString: content))
      }
    }
    handler.serror = { user, error in
      XMLParser.state(user).pointee.parser._withUnsafeGuaranteedRef { $0.heard(error!.pointee) }
    }
    return handler
  }

  private static func state(_ user: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<XMLParserState> {
    user!.assumingMemoryBound(to: XMLParserState.self)
  }

  // Not inlined: Swift 6.3.1's optimiser crashes where it inlines this into the callback.
  @inline(never)
  private func start(
    _ local: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?, _ namespace: UnsafePointer<xmlChar>?,
    _ attributes: XMLRawAttributes
  ) {
    guard failure == nil else { return }
    rootSeen = true
    let code = state.pointee.names.code(local, prefix, namespace, visitor: visitor)
    let element = XMLElement(code: code, local: local, attributes: attributes, state: state, visitor: visitor)
    do throws(XMLStop) { state.pointee.begin(try visitor.start(element), code) } catch { fail(.stopped) }
  }

  @inline(never)
  private func end() {
    guard failure == nil, let code = state.pointee.endOpen() else { return }
    do throws(XMLStop) { try visitor.end(XMLEndElement(code: code, state: state)) } catch { fail(.stopped) }
  }

  private func entity(_ name: String) -> xmlEntityPtr? {
    guard failure == nil else { return nil }
    let inAttribute = context.pointee.instate == XML_PARSER_ATTRIBUTE_VALUE
    guard let entity = entities.entity(name, inAttribute: inAttribute) else {
      fail(.tooLarge(.entities, limit: limits.entityBytesMax))
      return nil
    }
    return entity
  }

  private func heard(_ error: xmlError) {
    // Warnings and namespace errors do not end a parse.
    guard error.level == XML_ERR_FATAL, failure == nil else { return }
    let place = XMLPlace(line: Int(error.line), column: Int(error.int2))
    if error.code == Int32(XML_ERR_NO_MEMORY.rawValue) {
      failure = .tooLarge(.names, limit: limits.nameBytesMax)
    } else if rootSeen, state.pointee.depth == 0 {
      failure = .contentAfterRoot(place)
    } else {
      let message = error.message.map { String(cString: $0) } ?? "not well-formed"
      failure = .illFormed(place, message.split(separator: "\n").first.map(String.init) ?? message)
    }
  }
}
