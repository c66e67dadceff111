/// One format's adapter: says what each element means where it stands. Knows nothing of how a meaning becomes an item:
/// that is `FeedReader`'s, alike for all formats.
protocol FeedGrammar {
  /// The meaning of an element with that name inside that scope.
  static func meaning(of name: FeedName, in scope: FeedScope) -> FeedMeaning
}

/// Where an element stands.
enum FeedScope {
  /// Around the root, and directly inside it where the root is but a wrapper.
  case document
  case channel
  case item
  /// The picture of the channel or of an item, told in elements of its own.
  case image
  /// An author told in elements of its own.
  case person
  /// The feed that an aggregated item is from.
  case source
}

/// What an element is for.
enum FeedMeaning {
  /// It opens a scope of its own.
  case scope(FeedScope)
  /// Its text is a field.
  case text(FeedField)
  /// Its text is a field, and so is the markup inside it.
  case markup(FeedField)
  /// Its attributes are a field, and what is inside it stands where it stands.
  case attributed(FeedField)
  /// It means nothing, but what is inside it stands where it stands.
  case wrapper
  /// It means nothing here, with all that is in it.
  case nothing
}

/// What a text or an element tells about the channel or item that it stands in.
enum FeedField {
  case title(Rank)
  /// A link as text.
  case link(Rank)
  /// A link with its relation (Atom).
  case relation
  case identity(Rank)
  case summary(Rank)
  case content(Rank)
  case published(Rank)
  case updated(Rank)
  /// One date for both: Dublin Core does not say of what event.
  case date
  case embargoed
  case expires
  /// A person as text: a name, an address, or both.
  case author(Rank)
  case personName
  case personEmail
  case personURI
  case category
  /// Subjects, comma-separated.
  case keywords
  case enclosure
  case mediaContent
  case image(Rank)
  case imageURL
  case language
  case timeToLive
  case skipHour
  case skipDay
  case updatePeriod
  case updateFrequency
  case updateBase

  /// The field's name in an error.
  var name: String { "\(self)".prefix { $0 != "(" }.description }
}

/// How much a source is worth where several tell the same: the format's own element before a module's.
enum Rank: UInt8, Comparable {
  case own
  case module
  case minor
  case last

  static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
}

/// The best value offered so far; the first of equals.
struct Ranked<Value> {
  private(set) var value: Value?
  private var rank = Rank.last

  mutating func offer(_ new: Value?, _ newRank: Rank) {
    guard let new, value == nil || newRank < rank else { return }
    value = new
    rank = newRank
  }

  /// Whether an offer of that rank would be taken: asked before a value is made.
  func wants(_ newRank: Rank) -> Bool { value == nil || newRank < rank }
}
