import HTML
import XML

/// Follows the structure of an XML feed: where each element stands, which base and language it inherits, what text
/// belongs to which field. What an element means it asks the format's grammar; what becomes of a field's text is told
/// in `FeedReader+Fields`.
final class FeedReader: XMLVisitor {
  let documentBase: String?
  private let limits: FeedDocument.Limits
  private(set) var format: FeedFormat?
  private var grammar: (any FeedGrammar.Type)?
  /// The root's name, where it is no feed's.
  private(set) var foreignRoot: String?
  private(set) var hasTooManyItems = false
  private(set) var undeclaredEntities: Set<String> = []

  var feed = FeedDraft()
  var item = ItemDraft()
  private(set) var items: [ItemDraft] = []
  var person = FeedItem.Person()

  private var scopes: [FeedScope] = [.document]
  /// For each open element that means something, whether it opened a scope.
  private var opensScope: [Bool] = []
  private var capture: Capture?
  /// The text of the field being taken.
  var text: [UInt8] = []

  private var depth = 0
  private var inherited: [Inherited] = []
  /// Where the innermost base or language begins; 0 for none.
  private var inheritedDepth = 0
  private var rootNamespace: String?
  /// A namespace of the publisher's own that the format's elements are in.
  private var ownNamespace: String?
  private var isNetscape = false

  /// A base or language that begins at an element.
  private struct Inherited {
    var depth: Int
    var base: String?
    var language: String?
  }

  /// A field whose text is being gathered.
  struct Capture {
    var field: FeedField
    var scope: FeedScope
    var attributes: FieldAttributes
    var isXHTML: Bool
  }

  init(documentBase: String?, limits: FeedDocument.Limits) {
    self.documentBase = documentBase
    self.limits = limits
  }

  /// The base that `xml:base` gives where the parse is.
  var base: String? { inherited.last?.base }
  /// The language that `xml:lang` gives where the parse is.
  var language: String? { inherited.last?.language }

  /// The name of the field that is being read, for errors.
  var fieldName: String { capture?.field.name ?? "text" }

  // MARK: XMLVisitor

  func code(for name: XMLName) -> UInt16 {
    var space = FeedNamespace(uri: name.namespace, prefix: name.prefix)
    let word = FeedWord(name.local)
    if let namespace = name.namespace {
      if depth <= 1 { rootNamespace = rootNamespace ?? namespace.lowercased() }
      if word == .channel { isNetscape = namespace.mentions("netscape.com/rdf/simple/0.9") }
      if space == .other {
        // A root or channel in a namespace that nobody knows: all of that namespace is the format's own.
        if ownNamespace == nil, word == .rss || word == .feed || word == .channel { ownNamespace = namespace }
        if namespace == ownNamespace { space = .core }
      }
    }
    return FeedName(space, word).code
  }

  func start(_ element: borrowing XMLElement) throws(XMLStop) -> XMLInterest {
    let name = FeedName(code: element.code)
    if grammar == nil { try readRoot(name, element) }
    guard let grammar, let scope = scopes.last else { return .nothing }
    let meaning = grammar.meaning(of: name, in: scope)
    if case .nothing = meaning { return .nothing }
    depth += 1
    if element.attributeCount > 0 { inherit(from: element) }
    switch meaning {
    case .scope(let inner):
      scopes.append(inner)
      opensScope.append(true)
      try enter(inner, element)
      return .elements
    case .text(let field): return read(field, element, as: .text)
    case .markup(let field): return read(field, element, as: name.space == .xhtml ? .xhtml : .html)
    case .attributed(let field):
      opensScope.append(false)
      take(Capture(field: field, scope: scope, attributes: FieldAttributes(element), isXHTML: false), [])
      return .elements
    case .wrapper:
      opensScope.append(false)
      return .elements
    case .nothing: return .nothing
    }
  }

  func end(_ element: borrowing XMLEndElement) throws(XMLStop) {
    if let capture {
      self.capture = nil
      take(capture, element.text)
    }
    if opensScope.popLast() == true, let scope = scopes.popLast() { leave(scope) }
    if inheritedDepth == depth { disinherit() }
    depth -= 1
  }

  func entity(named name: String) -> String? {
    if undeclaredEntities.count < Self.entitiesNotedMax { undeclaredEntities.insert(name) }
    return CharacterReferences.text(named: name)
  }

  /// As many as a person would read of.
  private static let entitiesNotedMax = 8

  // MARK: Structure

  /// Whether such a scope is open.
  func scope(_ scope: FeedScope) -> Bool { scopes.contains(scope) }

  private func readRoot(_ name: FeedName, _ element: borrowing XMLElement) throws(XMLStop) {
    let version = element[FeedName(.core, .version).code]
    guard let root = FeedRoot(name, localName: element.localName, namespace: rootNamespace, version: version) else {
      foreignRoot = element.localName
      throw XMLStop()
    }
    format = root.format
    grammar = root.grammar
  }

  private func enter(_ scope: FeedScope, _ element: borrowing XMLElement) throws(XMLStop) {
    switch scope {
    case .channel:
      if isNetscape, format == .rss10 { format = .rss090 }
      feed.language = feed.language ?? language
      enterChannel(FieldAttributes(element))
    case .item:
      guard items.count < limits.itemsMax else {
        hasTooManyItems = true
        throw XMLStop()
      }
      item = ItemDraft()
      item.base = base
      item.language = language
      if element.attributeCount > 0 { enterItem(FieldAttributes(element)) }
    case .person:
      person = FeedItem.Person()
    case .document, .image, .source: break
    }
  }

  private func leave(_ scope: FeedScope) {
    switch scope {
    case .item: items.append(item)
    case .person: takePerson(in: scopes.last ?? .document)
    case .document, .channel, .image, .source: break
    }
  }

  private func read(_ field: FeedField, _ element: borrowing XMLElement, as interest: XMLInterest) -> XMLInterest {
    opensScope.append(false)
    let attributes = element.attributeCount > 0 ? FieldAttributes(element) : FieldAttributes()
    let interest = interest == .html && attributes.declareXHTML ? .xhtml : interest
    capture = Capture(
      field: field, scope: scopes.last ?? .document, attributes: attributes, isXHTML: interest == .xhtml)
    return interest
  }

  /// `xml:base` and `xml:lang` hold for an element and all that is in it.
  private func inherit(from element: borrowing XMLElement) {
    var base: String?
    var language: String?
    for index in 0..<element.attributeCount {
      let name = FeedName(code: element.code(at: index))
      guard name.space == .xml else { continue }
      if name.word == .base { base = element.value(at: index) }
      if name.word == .lang { language = element.value(at: index) }
    }
    guard base != nil || language != nil else { return }
    let outer = inherited.last
    inherited.append(
      Inherited(
        depth: depth,
        base: base.flatMap { LinkDraft.base($0, under: outer?.base ?? documentBase) } ?? outer?.base,
        language: language ?? outer?.language))
    inheritedDepth = depth
  }

  private func disinherit() {
    inherited.removeLast()
    inheritedDepth = inherited.last?.depth ?? 0
  }
}
