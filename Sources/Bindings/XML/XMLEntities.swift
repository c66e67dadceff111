internal import CLibXML2

/// The entities of one document: what its own declarations define, within bounds, and what the visitor can read.
final class XMLEntities {
  private unowned let visitor: any XMLVisitor
  private let bytesMax: Int
  private var declared: [String: String] = [:]
  private var texts: [String: String] = [:]
  private var handedOut: [Key: xmlEntityPtr] = [:]
  private var bytesExpanded = 0

  private struct Key: Hashable {
    let name: String
    let inAttribute: Bool
  }

  init(visitor: any XMLVisitor, bytesMax: Int) {
    self.visitor = visitor
    self.bytesMax = bytesMax
  }

  deinit {
    for entity in handedOut.values {
      entity.pointee.content.deallocate()
      entity.deallocate()
    }
  }

  /// A declaration in the internal subset. The first one of a name binds (XML 1.0, section 4.2).
  func declare(_ name: String, as content: String) {
    if declared[name] == nil { declared[name] = content }
  }

  /// What libxml2 shall put in an entity's place: never nil for want of a definition, but nil once the document's own
  /// entities have grown to more than the bound ("a billion laughs").
  func entity(_ name: String, inAttribute: Bool) -> xmlEntityPtr? {
    if declared[name] != nil {
      guard let text = expand(name, depth: 0) else { return nil }
      bytesExpanded += text.utf8.count
      guard bytesExpanded <= bytesMax else { return nil }
    }
    let key = Key(name: name, inAttribute: inAttribute)
    if let entity = handedOut[key] { return entity }
    let text = texts[name] ?? visitor.entity(named: name) ?? "&\(name);"
    texts[name] = text
    let entity = Self.make(text, inAttribute: inAttribute)
    handedOut[key] = entity
    return entity
  }

  /// The text of a declared entity with the entities inside it expanded; nil where it outgrows the bound.
  private func expand(_ name: String, depth: Int) -> String? {
    if let text = texts[name] { return text }
    guard let content = declared[name] else {
      return Self.predefined[name] ?? visitor.entity(named: name) ?? "&\(name);"
    }
    guard depth < Self.depthMax else { return nil }
    var text = ""
    var rest = content[...]
    while let ampersand = rest.firstIndex(of: "&") {
      text += rest[..<ampersand]
      let reference = rest[ampersand...]
      guard let end = reference.firstIndex(of: ";") else { break }
      guard let inner = expand(String(reference.dropFirst()[..<end]), depth: depth + 1) else { return nil }
      text += inner
      guard text.utf8.count <= bytesMax else { return nil }
      rest = reference[reference.index(after: end)...]
    }
    text += rest
    texts[name] = text
    return text
  }

  /// Entities inside entities; also ends a declaration that refers to itself.
  private static let depthMax = 16
  private static let predefined = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

  private static func make(_ text: String, inAttribute: Bool) -> xmlEntityPtr {
    // In text libxml2 hands a predefined entity's content on whole. In an attribute it takes the first byte only, so
    // there anything longer must be a general entity, whose content it parses again: `&` and `<` as references.
    let predefined = !inAttribute || text.utf8.count == 1
    let content =
      predefined ? text : text.reduce(into: "") { $0 += $1 == "&" ? "&#38;" : $1 == "<" ? "&#60;" : String($1) }
    let bytes = Array(content.utf8) + [0]
    let copy = UnsafeMutablePointer<xmlChar>.allocate(capacity: bytes.count)
    copy.initialize(from: bytes, count: bytes.count)
    let entity = xmlEntityPtr.allocate(capacity: 1)
    entity.initialize(to: xmlEntity())
    entity.pointee.type = XML_ENTITY_DECL
    // A name that is not nil, and an `orig` that is not either: libxml2 would else hand over text of its own to free.
    entity.pointee.name = UnsafePointer(copy)
    entity.pointee.orig = copy
    entity.pointee.content = copy
    entity.pointee.length = Int32(bytes.count - 1)
    entity.pointee.etype = predefined ? XML_INTERNAL_PREDEFINED_ENTITY : XML_INTERNAL_GENERAL_ENTITY
    // Looked at already: nothing to count, no `<` in it.
    entity.pointee.checked = 2
    return entity
  }
}
