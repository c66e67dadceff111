// News: articles, stories, categories and subscriptions: values and their laws. Never knows a push.

/// What an article can be about. The raw value is the name in configuration, in articles and as a tag.
public enum Category: String, Sendable, Hashable, CaseIterable {
  case world = "World"
  case politics = "Politics"
  case business = "Business"
  case technology = "Technology"
  case science = "Science"
  case sports = "Sports"

  /// The category of that name, whatever its case.
  public init?(named name: String) {
    let folded = name.lowercased()
    guard let category = Self.allCases.first(where: { $0.rawValue.lowercased() == folded }) else { return nil }
    self = category
  }
}

/// A term by which a publisher files an item: RSS `category`, Atom `category`, IPTC `subject`.
public struct CategoryTerm: Sendable, Hashable {
  /// The term itself, such as `Sport` or `medtop:15000000`.
  public let term: String
  /// The vocabulary it is from, a URI, where the feed names one (Atom `scheme`, RSS `domain`).
  public let scheme: String?
  /// What a person is to read, where that differs from the term (Atom `label`).
  public let label: String?

  /// A term with its vocabulary and its label.
  public init(_ term: String, scheme: String? = nil, label: String? = nil) {
    self.term = term
    self.scheme = scheme
    self.label = label
  }
}
