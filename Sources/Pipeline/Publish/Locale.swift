public import News
public import Push

/// A language that readers choose, and how a headline is told in it.
public struct Locale: Sendable, Hashable {
  /// What happens to an article that has no text in the language.
  public enum Untranslated: String, Sendable, Hashable, CaseIterable {
    /// The locale's phrase goes around the original headline.
    case phrase
    /// The locale's readers, who bear its tag, are left out.
    case skip
  }

  /// Its name: readers bear it as a tag, and the property with their text is `News_` and the name.
  public let name: String
  /// The tag that its readers bear.
  public let tag: Tag
  /// Its language, a BCP 47 tag.
  public let language: String
  /// What goes around a headline that is not in the language.
  public let phrase: Phrase
  /// What the categories are called in the language; one that is absent keeps its own name.
  public let categoryNames: [News.Category: String]
  /// What happens to an article that has no text in the language.
  public let untranslated: Untranslated

  /// A language that readers choose. Its name has to be a legal tag.
  public init(
    name: String, language: String, phrase: Phrase, categoryNames: [News.Category: String],
    untranslated: Untranslated = .phrase
  ) throws(TagError) {
    self.name = name
    tag = try Tag(name)
    self.language = language
    self.phrase = phrase
    self.categoryNames = categoryNames
    self.untranslated = untranslated
  }

  /// The property that carries the text for its readers.
  public var property: String { "News_\(name)" }

  /// What a category is called in the language.
  public func name(of category: News.Category) -> String { categoryNames[category] ?? category.rawValue }
}

/// A sentence with places for the category and the headline: `Flash {category} : {headline}`. Parsed once.
public struct Phrase: Sendable, Hashable {
  private enum Part: Sendable, Hashable {
    case text(String)
    case category, headline
  }

  private let parts: [Part]

  /// Reads a sentence in which `{headline}` stands once or more and `{category}` may stand.
  public init(parsing text: String) throws(PhraseError) {
    var parts: [Part] = []
    var rest = text[...]
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      let column = text.distance(from: text.startIndex, to: brace) + 1
      guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
        throw PhraseError(column: column, reason: "a brace without its partner; {category} and {headline} are known")
      }
      if brace > rest.startIndex { parts.append(.text(String(rest[..<brace]))) }
      switch rest[rest.index(after: brace)..<end] {
      case "category": parts.append(.category)
      case "headline": parts.append(.headline)
      case let other:
        throw PhraseError(column: column, reason: "{\(other)} is not known; {category} and {headline} are")
      }
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    guard parts.contains(.headline) else {
      throw PhraseError(column: 1, reason: "{headline} is missing: a reader would not learn what happened")
    }
    self.parts = parts
  }

  /// The sentence about a headline. What is put in is never read as a placeholder.
  public func filled(category: String, headline: String) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .category: category
      case .headline: headline
      }
    }.joined()
  }
}

/// Why a text is no phrase.
public struct PhraseError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where, in characters from 1.
  public let column: Int
  /// What is there, and what would be right.
  public let reason: String
  /// The reason with its place.
  public var description: String { "column \(column): \(reason)" }
}
