public import News
public import Push

/// Whom an article reaches: an expression with places for what it is about, such as `{category} && edition:uk`.
public struct Routing: Sendable, Hashable {
  /// At most this many categories an article: two that are clear.
  public static let categoriesMax = 2

  private let pattern: String
  /// The expression for each category, parsed.
  private let expressions: [News.Category: TagExpression]

  /// Reads an expression in which `{category}` stands for the category's tag. Parsed for every category at once, so
  /// that what is wrong with it is known at the start.
  public init(parsing pattern: String) throws(RoutingError) {
    var expressions: [News.Category: TagExpression] = [:]
    for category in News.Category.allCases {
      do {
        let tag = TagExpression(try Tag(category.rawValue))
        expressions[category] = try TagExpression(parsing: pattern, placeholders: ["category": tag])
      } catch {
        throw RoutingError(reason: "\(error)")
      }
    }
    self.pattern = pattern
    self.expressions = expressions
  }

  /// Whom an article about these categories reaches: only the readers of `locales`, where some are named, and without
  /// the readers of `skipped` ones. Fails where the whole is beyond the limits of an expression.
  public func audience(
    of categories: [News.Category], among locales: [Locale] = [], skipping skipped: [Locale] = []
  ) throws(TagExpressionError) -> Audience {
    var alternatives: [TagExpression.Term] = []
    for category in categories.prefix(Self.categoriesMax) {
      if let term = expressions[category]?.root, !alternatives.contains(term) { alternatives.append(term) }
    }
    var terms = [alternatives.count == 1 ? alternatives[0] : .any(alternatives)]
    let tags = locales.map { TagExpression.Term.tag($0.tag) }
    if !tags.isEmpty { terms.append(tags.count == 1 ? tags[0] : .any(tags)) }
    terms += skipped.map { .not(.tag($0.tag)) }
    return .matching(try TagExpression(terms.count == 1 ? terms[0] : .all(terms)))
  }
}

/// Why a text is no routing.
public struct RoutingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, and what would be right.
  public let reason: String
  /// The reason.
  public var description: String { reason }
}
