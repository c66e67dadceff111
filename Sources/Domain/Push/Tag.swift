/// A word by which a device says what it wants to hear of: `World`, `team:u21`, `$UserId:{42}`. Tags are equal whatever
/// their case.
public struct Tag: Sendable {
  /// Azure's limit on a tag's length, in UTF-16 code units.
  public static let lengthMax = 120

  /// The tag as it was spelled.
  public let name: String
  /// The spelling that all equal tags share: what a store compares and indexes.
  public let folded: String

  /// The tag that `text` spells: letters, digits, and any of `_ @ # . : -`; or, with `=` as well in the braces,
  /// `$InstallationId:{…}` and `$UserId:{…}`.
  public init(_ text: some StringProtocol) throws(TagError) {
    let text = String(text)
    guard !text.isEmpty else { throw TagError(tag: text, fault: .empty) }
    guard text.utf16.count <= Self.lengthMax else { throw TagError(tag: text, fault: .tooLong) }
    if text.hasPrefix("$") {
      guard let identifier = Self.identifier(in: text), !identifier.isEmpty,
        identifier.unicodeScalars.allSatisfy({ isTagCharacter($0) || $0 == "=" })
      else { throw TagError(tag: text, fault: .unknownForm) }
    } else if let illegal = text.unicodeScalars.first(where: { !isTagCharacter($0) }) {
      throw TagError(tag: text, fault: .illegal(illegal))
    }
    self.init(unchecked: text)
  }

  /// The tag that every registration of the installation `id` bears.
  public init(installationID id: String) throws(TagError) { try self.init("$InstallationId:{\(id)}") }

  /// The tag that every registration of the user `id` bears.
  public init(userID id: String) throws(TagError) { try self.init("$UserId:{\(id)}") }

  /// The tag that a template's registration bears for the template's name. A name may hold blanks, and such a tag is
  /// listed with the others though no expression can ask for it.
  public init(templateName: String) { self.init(unchecked: templateName) }

  private init(unchecked name: String) {
    self.name = name
    folded = name.lowercased()
  }

  /// Whether this is an `$InstallationId:{…}` or a `$UserId:{…}`, of which a registration bears one each at most.
  public var isIdentifier: Bool { name.hasPrefix("$") }

  /// What stands in the braces of the two forms that begin with `$`.
  private static func identifier(in text: String) -> Substring? {
    guard text.hasSuffix("}"), let brace = text.firstIndex(of: "{"),
      ["$installationid:", "$userid:"].contains(text[..<brace].lowercased())
    else { return nil }
    return text[text.index(after: brace)...].dropLast()
  }
}

extension Tag: Hashable, CustomStringConvertible {
  /// Whether the two are spelled alike but for case.
  public static func == (left: Tag, right: Tag) -> Bool { left.folded == right.folded }
  /// Feeds the folded spelling into `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
  /// The tag as it was spelled.
  public var description: String { name }
}

/// Whether a tag may hold `scalar`: `[-_@#.:\w]`, where `\w` is what .NET means by it (letters, nonspacing marks, decimal
/// digits, connectors).
func isTagCharacter(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar {
  case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "@", "#", ".", ":": return true
  default: break
  }
  guard !scalar.isASCII else { return false }
  switch scalar.properties.generalCategory {
  case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
    .decimalNumber, .connectorPunctuation:
    return true
  default: return false
  }
}

/// Why a text is no tag.
public struct TagError: Error, Hashable, Sendable {
  /// What is wrong with it.
  public enum Fault: Hashable, Sendable {
    case empty
    case tooLong
    /// It holds a character that no tag may hold.
    case illegal(Unicode.Scalar)
    /// It begins with `$`, yet is neither an installation's tag nor a user's.
    case unknownForm
  }

  /// The text.
  public let tag: String
  /// What is wrong with it.
  public let fault: Fault
}

extension TagError: CustomStringConvertible {
  /// What is wrong, and what would be right.
  public var description: String {
    switch fault {
    case .empty: "A tag is empty; it has to have 1 to \(Tag.lengthMax) characters."
    case .tooLong:
      "The tag '\(tag.prefix(24))…' has \(tag.utf16.count) characters; at most \(Tag.lengthMax) are allowed."
    case .illegal(let scalar): "The tag '\(tag)' holds '\(scalar)'; only letters, digits and _ @ # . : - are allowed."
    case .unknownForm: "The tag '\(tag)' begins with $; only $InstallationId:{…} and $UserId:{…} may."
    }
  }
}
