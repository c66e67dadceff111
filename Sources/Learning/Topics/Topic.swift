// Topics: what a text is about, by a trained model: text in, a probability for each topic out. Never knows a feed, a
// store or a reader.

public import News

/// What a text can be about: one of the six categories, or something that belongs in none of them.
public enum Topic: Int, Sendable, Hashable, CaseIterable {
  case world, politics, business, technology, science, sports
  /// Entertainment, health, lifestyle, weather, horoscopes, crime and whatever else is none of the six.
  case other

  /// The topic of that name: a category's, or `Other`.
  public init?(named name: String) {
    if let category = Category(named: name) {
      self.init(category)
    } else if name == "Other" {
      self = .other
    } else {
      return nil
    }
  }

  /// A category as a topic.
  public init(_ category: Category) {
    switch category {
    case .world: self = .world
    case .politics: self = .politics
    case .business: self = .business
    case .technology: self = .technology
    case .science: self = .science
    case .sports: self = .sports
    }
  }

  /// The category; nil for `other`.
  public var category: Category? {
    switch self {
    case .world: .world
    case .politics: .politics
    case .business: .business
    case .technology: .technology
    case .science: .science
    case .sports: .sports
    case .other: nil
    }
  }

  /// Its name in data, tables and answers.
  public var name: String { category?.rawValue ?? "Other" }

  /// The six that are categories, in the order of their numbers.
  public static let categories: [Topic] = [.world, .politics, .business, .technology, .science, .sports]
}
