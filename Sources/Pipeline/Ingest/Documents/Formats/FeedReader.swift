import Curl
import HTML
import XML

/// Follows the structure of an XML feed: where each element stands, which base and language it inherits, what text
/// belongs to which field. What an element means it asks the format's grammar; what becomes of a field's text is told
/// in `FeedReader+Fields`.
final class FeedReader: XMLVisitor {
  private let documentBase: String?
  private let limits: FeedDocument.Limits
  private(set) var format: FeedFormat?
  private var grammar: (any FeedGrammar.Type)?
  /// The root's name, where it is no feed's.
  private(set) var foreignRoot: String?
  /// Why the reader itself ended the parse; nil also where it had enough items.
  private(set) var error: FeedDocumentError?
  private(set) var hasTooManyItems = false
  private(set) var undeclaredEntities: Set<String> = []

  var feed = FeedDraft()
  var item = ItemDraft()
  private(set) var items: [ItemDraft] = []
  var person = FeedItem.Person()

  private var scopes: [FeedScope] = [.document]
  /// For each open element that is not passed over, whether it opened a scope.
  private var opensScope: [Bool] = []
  /// How many elements are open inside and including one that means nothing.
  private var passedOver = 0
  private var capture: Capture?
  /// The text of the field being read.
  var text: [UInt8] = []

  private var depth = 0
  private var inherited: [Inherited] = []
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

  /// A field whose text is being read.
  struct Capture {
    var field: FeedField
    var scope: FeedScope
    var attributes: FieldAttributes
    /// Whether elements inside are part of the text, written as HTML.
    var keepsMarkup: Bool
    /// Whether text inside is text, not HTML in itself: then it is escaped where it joins the markup.
    var isXHTML: Bool
    /// Elements open inside.
    var depth = 0
  }

  init(documentBase: String?, limits: FeedDocument.Limits) {
    self.documentBase = documentBase
    self.limits = limits
  }

  /// The base that `xml:base` gives where the parse is.
  var base: String? { inherited.last?.base }
  /// The language that `xml:lang` gives where the parse is.
  var language: String? { inherited.last?.language }

  // MARK: XMLVisitor

  func code(for name: XMLName) -> UInt16 {
    var space = FeedNamespace(uri: name.namespace, prefix: name.prefix)
    let word = FeedWord(name.local)
    if let namespace = name.namespace {
      if depth <= 1 { rootNamespace = rootNamespace ?? namespace.lowercased() }
      if namespace.contains("netscape.com/rdf/simple/0.9") { isNetscape = true }
      if space == .other {
        // A root or channel in a namespace that nobody knows: all of that namespace is the format's own.
        if ownNamespace == nil, word == .rss || word == .feed || word == .channel { ownNamespace = namespace }
        if namespace == ownNamespace { space = .core }
      }
    }
    return FeedName(space, word).code
  }

  func start(_ element: borrowing XMLElement) throws(XMLStop) {
    depth += 1
    if passedOver > 0 {
      passedOver += 1
    } else if capture != nil {
      capture?.depth += 1
      if capture?.keepsMarkup == true { element.appendStartTag(to: &text) }
    } else {
      try startMeaningful(element)
    }
  }

  func end(_ element: borrowing XMLEndElement) throws(XMLStop) {
    if passedOver > 0 {
      passedOver -= 1
    } else if let capture, capture.depth > 0 {
      self.capture?.depth -= 1
      if capture.keepsMarkup { element.appendEndTag(to: &text) }
    } else {
      if let capture {
        self.capture = nil
        take(capture)
      }
      if opensScope.popLast() == true, let scope = scopes.popLast() { leave(scope) }
    }
    if inherited.last?.depth == depth { inherited.removeLast() }
    depth -= 1
  }

  func text(_ text: borrowing XMLText) throws(XMLStop) {
    guard let capture, passedOver == 0 else { return }
    guard self.text.count + text.count <= limits.textBytesMax else {
      error = .tooLarge("the \(capture.field.name) of an element, in bytes,", limit: limits.textBytesMax)
      throw XMLStop()
    }
    if capture.isXHTML { text.appendEscaped(to: &self.text) } else { text.append(to: &self.text) }
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

  private func startMeaningful(_ element: borrowing XMLElement) throws(XMLStop) {
    let name = FeedName(code: element.code)
    if element.attributeCount > 0 { inherit(from: element) }
    if grammar == nil { try readRoot(name, element) }
    guard let grammar, let scope = scopes.last else { return }
    switch grammar.meaning(of: name, in: scope) {
    case .scope(let inner):
      scopes.append(inner)
      opensScope.append(true)
      try enter(inner, element)
    case .text(let field):
      startText(of: field, element, keepsMarkup: false, isXHTML: false)
    case .markup(let field):
      startText(of: field, element, keepsMarkup: true, isXHTML: name.space == .xhtml)
    case .wrapper:
      opensScope.append(false)
    case .nothing:
      passedOver = 1
    }
  }

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

  private func startText(of field: FeedField, _ element: borrowing XMLElement, keepsMarkup: Bool, isXHTML: Bool) {
    opensScope.append(false)
    let attributes = FieldAttributes(element)
    capture = Capture(
      field: field, scope: scopes.last ?? .document, attributes: attributes, keepsMarkup: keepsMarkup,
      isXHTML: keepsMarkup && (isXHTML || attributes.declareXHTML))
    text.removeAll(keepingCapacity: true)
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
        base: base.map { URLReference.resolve($0, against: outer?.base ?? documentBase) ?? $0 } ?? outer?.base,
        language: language ?? outer?.language))
  }
}
