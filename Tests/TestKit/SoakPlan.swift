internal import JSON
public import News
public import Time

/// What editors write during a soak, what breaks meanwhile, and what readers have to have at its end: all of it from one
/// seed.
public struct SoakPlan: Sendable {
  /// One thing after the other.
  public enum Step: Sendable, Hashable {
    case write(SoakRecord)
    case fault(SoakFault)
  }

  /// What is done, in order. What bears one key stays in this order; what breaks does so while others are on their way.
  public let steps: [Step]
  /// What the reader of each category gets: of each article in this order, of all in any.
  public let expected: [Category: [SoakDelivery]]
  /// What has to be put aside, by its number: how far reading it comes.
  public let poison: [Int: String]
  /// How many records are written.
  public let recordCount: Int
  /// How many of each kind of story there are.
  public let stories: [SoakStory: Int]

  /// A plan of `count` stories, most of them of one record. All faults come once in each round.
  public init(seed: UInt64, stories count: Int, rounds: Int) {
    var generator = SeededGenerator(seed)
    var writing = Writing()
    for number in 0..<count { writing.add(number, of: count, using: &generator) }
    let records = writing.placed.sorted { ($0.place, $0.turn) < ($1.place, $1.turn) }.map(\.record)
    var steps: [Step] = []
    steps.reserveCapacity(records.count + rounds * 20)
    for round in 0..<rounds {
      let share = records[(records.count * round / rounds)..<(records.count * (round + 1) / rounds)]
      let faults = SoakFault.round(isLast: round == rounds - 1, using: &generator)
      // Between the records, and none before the first or after the last of them.
      for (place, record) in share.enumerated() {
        let due = (place * (faults.count + 1) / share.count, (place + 1) * (faults.count + 1) / share.count)
        steps.append(.write(record))
        if due.0 != due.1, due.0 < faults.count { steps.append(.fault(faults[due.0])) }
      }
    }
    self.steps = steps
    expected = writing.expected
    poison = writing.poison
    recordCount = records.count
    stories = writing.stories
  }
}

/// A push as a reader has it.
public struct SoakDelivery: Sendable, Hashable, CustomStringConvertible {
  /// The article.
  public let id: String
  /// In this version.
  public let version: Int
  /// `alert` or `correction`.
  public let kind: String

  /// A push as a reader has it.
  public init(id: String, version: Int, kind: String) {
    self.id = id
    self.version = version
    self.kind = kind
  }

  /// `urn:soak:12 v2 correction`.
  public var description: String { "\(id) v\(version) \(kind)" }
}

/// A record that is written.
public struct SoakRecord: Sendable, Hashable {
  /// What it says.
  public enum Content: Sendable, Hashable {
    case article(version: Int, categories: [Category], status: Article.Status, embargo: Duration?)
    case tombstone
    /// Is to be put aside under this number.
    case poison(Int, [UInt8]?)
  }

  /// Nil where it has none.
  public let key: String?
  /// What it says.
  public let content: Content
  /// Whose readers are told of it as soon as it is read.
  public let told: [Category]

  /// The record's value when it is written at this time.
  public func value(at now: Timestamp) -> [UInt8]? {
    switch content {
    case .tombstone: return nil
    case .poison(_, let value): return value
    case .article(let version, let categories, let status, let embargo):
      let id = key ?? ""
      let text = Article.Text(
        headline: "Story \(id), version \(version)", summary: String(repeating: "It was told so. ", count: 30))
      var article = Article(id: id, version: Int64(version), text: text)
      article.language = "en"
      article.categories = categories
      article.status = status
      article.embargoed = embargo.map { now + $0 }
      return Array(article.json.text().utf8)
    }
  }
}

/// What happens to a story.
public enum SoakStory: Sendable, Hashable, CaseIterable {
  /// It is told, and that is all.
  case told
  /// A correction, or two, come later.
  case corrected
  /// It comes twice, and once more in a version that is outdated by then.
  case repeated
  /// It is withheld at first.
  case withheld
  /// Its embargo ends while the soak goes on.
  case released
  /// A later version has no embargo any more.
  case lifted
  /// It is cancelled, or its key withdrawn, under its embargo.
  case cancelled
  /// It is withdrawn after it was told.
  case retracted
  /// It cannot be read.
  case poison

  fileprivate static func any(using generator: inout SeededGenerator) -> SoakStory {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<72: .told
    case 72..<82: .corrected
    case 82..<87: .repeated
    case 87..<89: .withheld
    case 89..<91: .released
    case 91..<93: .lifted
    case 93..<95: .cancelled
    case 95..<98: .retracted
    default: .poison
    }
  }
}

/// Stories as they are written.
private struct Writing {
  var placed: [(place: Int, turn: Int, record: SoakRecord)] = []
  var expected: [Category: [SoakDelivery]] = [:]
  var poison: [Int: String] = [:]
  var stories: [SoakStory: Int] = [:]

  /// A story's later records come so many stories after the one before: near enough to meet it under way, far enough to
  /// find it done.
  private static let gap = 1...400
  /// An embargo that ends while the soak goes on, and one that does not.
  private static let short = Duration.seconds(2)
  private static let long = Duration.seconds(7 * 24 * 3600)

  mutating func add(_ number: Int, of count: Int, using generator: inout SeededGenerator) {
    let story = SoakStory.any(using: &generator)
    stories[story, default: 0] += 1
    let id = "urn:soak:\(number)"
    var place = number
    var categories = [Category.allCases.randomElement(using: &generator)!]
    if Int.random(in: 0..<10, using: &generator) == 0 {
      let other = Category.allCases.randomElement(using: &generator)!
      if other != categories[0] { categories.append(other) }
    }

    func write(_ content: SoakRecord.Content, key: String? = id, told: [Category] = []) {
      placed.append((place, placed.count, SoakRecord(key: key, content: content, told: told)))
      place += Int.random(in: Self.gap, using: &generator)
    }
    func version(
      _ version: Int, _ status: Article.Status = .usable, embargo: Duration? = nil, told: Bool = false
    ) {
      write(
        .article(version: version, categories: categories, status: status, embargo: embargo),
        told: told ? categories : [])
    }
    func expect(_ version: Int, _ kind: String = "alert") {
      let delivery = SoakDelivery(id: id, version: version, kind: kind)
      for category in categories { expected[category, default: []].append(delivery) }
    }
    func tell(_ number: Int, _ kind: String = "alert") {
      version(number, told: true)
      expect(number, kind)
    }

    switch story {
    case .told:
      tell(1)
    case .corrected:
      tell(1)
      for number in 2...Int.random(in: 2...3, using: &generator) { tell(number, "correction") }
    case .repeated:
      tell(2)
      version(2)
      version(1)
    case .withheld:
      version(1, .withheld)
      tell(2)
    case .released:
      version(1, embargo: Self.short)
      expect(1)
    case .lifted:
      version(1, embargo: Self.long)
      tell(2)
    case .cancelled:
      version(1, embargo: Self.long)
      if Bool.random(using: &generator) { write(.tombstone) } else { version(2, .canceled) }
    case .retracted:
      tell(1)
      write(.tombstone)
    case .poison:
      let (value, stage): ([UInt8]?, String) =
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: ([0xFF, 0x00], "parse")
        case 1: (Array(#"{"id": 7}"#.utf8), "decode")
        case 2: (Array(#"{"id": "w", "headline": "h", "categories": ["Weather"]}"#.utf8), "decode")
        case 3: (Array(#"{"id": "t", "headline": "h", "translations": {"fr": {"headline": ""}}}"#.utf8), "decode")
        default: (nil, "record")
        }
      poison[number] = stage
      write(.poison(number, value), key: value == nil ? nil : id)
    }
  }
}
