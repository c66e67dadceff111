// Says what an article is about. Never knows who reads it.

public import News

/// Classifies by what people said of an article: its editor, else the operator of the source, else the publisher's own
/// terms as the category table lists them. It guesses nothing: where nobody said anything clear, it abstains.
public struct HintClassifier: Classifier {
  private let table: CategoryTable

  /// An item filed under more categories than this is filed under none: a tag cloud, not a section.
  private static let categoriesMax = 3
  /// How many of an item's terms an abstention quotes.
  private static let quotedTermsMax = 8

  /// A classifier by that table.
  public init(table: CategoryTable) {
    self.table = table
  }

  /// What the article is about, with reasons; empty categories where nobody said so.
  public func classify(_ article: Article, subscribed: Category?) -> Classification {
    if !article.categories.isEmpty {
      let names = article.categories.map(\.rawValue).joined(separator: ", ")
      return Classification(
        categories: article.categories,
        evidence: [.init(origin: "editor", detail: "the editor filed it under \(names)")])
    }
    if let subscribed {
      return Classification(
        categories: [subscribed],
        evidence: [.init(origin: "subscription", detail: "all of this source is about \(subscribed.rawValue)")])
    }
    return classify(terms: article.terms)
  }

  private func classify(terms: [CategoryTerm]) -> Classification {
    var categories: [Category] = []
    var evidence: [Classification.Evidence] = []
    for term in terms {
      for row in table.rows(for: term) where !categories.contains(row.category) {
        categories.append(row.category)
        evidence.append(.init(origin: "terms", detail: "the item's term \"\(term.term)\" is listed as \(row)"))
      }
    }
    if categories.count > Self.categoriesMax {
      let names = categories.map(\.rawValue).joined(separator: ", ")
      let detail = "the item's terms name \(categories.count) categories (\(names)), which says nothing clear"
      return Classification(categories: [], evidence: evidence + [.init(origin: "terms", detail: detail)])
    }
    return Classification(
      categories: categories, evidence: categories.isEmpty ? [Self.abstention(terms)] : evidence)
  }

  private static func abstention(_ terms: [CategoryTerm]) -> Classification.Evidence {
    guard !terms.isEmpty else { return .init(origin: "terms", detail: "the item has no terms") }
    let quoted = terms.prefix(quotedTermsMax).map { "\"\($0.term)\"" }.joined(separator: ", ")
    let more = terms.count > quotedTermsMax ? " and \(terms.count - quotedTermsMax) more" : ""
    return .init(origin: "terms", detail: "none of the item's terms is listed: \(quoted)\(more)")
  }
}
