/// How much two sketches are alike, and whether that makes them one story. Pure.
public struct StoryLikeness: Sendable, Hashable {
  /// The part of the headlines' words and pairs that both have (Jaccard), in per cent.
  public let headline: Int
  /// The same of the summaries, by a sample; nil where one has none.
  public let summary: Int?

  /// A likeness as a store read it.
  public init(headline: Int, summary: Int?) {
    self.headline = headline
    self.summary = summary
  }
}

extension StoryLikeness: CustomStringConvertible {
  /// For the decision's reason: `headlines alike by 78 %, summaries by 64 %`.
  public var description: String {
    "headlines alike by \(headline) %" + (summary.map { ", summaries by \($0) %" } ?? "")
  }
}

/// When articles of different sources are one story.
public struct StoryMatching: Sendable, Hashable {
  /// So long after its first article a story takes in what is like it.
  public var window: Duration
  /// The likeness of headlines, in per cent, from which on two articles may be one story.
  public var likeness: Int

  /// What the evaluation in the README was made with.
  public static let standard = StoryMatching(window: .seconds(2 * 86_400), likeness: 50)

  /// A window and a likeness.
  public init(window: Duration, likeness: Int) {
    self.window = window
    self.likeness = likeness
  }

  /// Where one headline only says more than the other it may be about another thing: by so much more they must be alike.
  private static let extensionMargin = 10
  /// Summaries alike by so much bear out headlines that differ in a word each.
  private static let supportingSummary = 20
  /// Summaries alike by so much were copied: one agency's text under the headlines of two desks.
  private static let copiedSummary = 50
  /// Headlines over a copied text are alike by so much at least; a house's boilerplate stands under any.
  private static let headlineOverCopy = 30

  /// How much two articles are alike if they are one story; nil if they are not, or nobody can know.
  ///
  /// Never one story are articles of one source (what it changes is a new version, what it does not is a series), of
  /// two languages, or with figures, days or months that contradict each other. Headlines of which both have a word that
  /// the other lacks ("Barcelona beat Madrid", "Bayern beat Madrid") need summaries that bear them out.
  public func likeness(of sketch: StorySketch, to other: StorySketch) -> StoryLikeness? {
    guard sketch.source != other.source || sketch.source == 0,
      sketch.language == other.language || sketch.language == 0 || other.language == 0
    else { return nil }
    let headline = Overlap(sketch.headline, other.headline)
    guard headline.percent >= min(likeness, Self.headlineOverCopy) else { return nil }
    let figures = Overlap(sketch.figures, other.figures)
    guard figures.onlyFirst == 0 || figures.onlySecond == 0 else { return nil }

    let hasSummaries = !sketch.summary.isEmpty && !other.summary.isEmpty
    let summary = hasSummaries ? Overlap.sampled(sketch.summary, other.summary) : nil
    let found = StoryLikeness(headline: headline.percent, summary: summary)
    let isExtension = headline.contentOnlyFirst == 0 || headline.contentOnlySecond == 0
    let haveEqualFigures = figures.onlyFirst == 0 && figures.onlySecond == 0
    if isExtension, haveEqualFigures, headline.percent >= likeness + Self.extensionMargin { return found }
    if headline.percent >= likeness, let summary, summary >= Self.supportingSummary { return found }
    if let summary, summary >= Self.copiedSummary, headline.percent >= Self.headlineOverCopy { return found }
    return nil
  }
}

/// What two ascending lists have in common.
private struct Overlap {
  private(set) var both = 0
  private(set) var onlyFirst = 0
  private(set) var onlySecond = 0
  private(set) var contentOnlyFirst = 0
  private(set) var contentOnlySecond = 0

  init(_ first: [UInt32], _ second: [UInt32]) {
    Self.walk(first, second) { value, isInFirst, isInSecond in
      let isContent = value & StorySketch.Kind.mask == StorySketch.Kind.content
      switch (isInFirst, isInSecond) {
      case (true, true): both += 1
      case (true, false):
        onlyFirst += 1
        contentOnlyFirst += isContent ? 1 : 0
      default:
        onlySecond += 1
        contentOnlySecond += isContent ? 1 : 0
      }
      return true
    }
  }

  /// Jaccard's index in per cent.
  var percent: Int { both * 100 / max(both + onlyFirst + onlySecond, 1) }

  /// The index of two sets of which the smallest members are known: that of the smallest of their union.
  static func sampled(_ first: [UInt32], _ second: [UInt32]) -> Int {
    let sizeMax = min(max(first.count, second.count), 32)
    var seen = 0
    var both = 0
    walk(first, second) { _, isInFirst, isInSecond in
      seen += 1
      both += isInFirst && isInSecond ? 1 : 0
      return seen < sizeMax
    }
    return both * 100 / max(seen, 1)
  }

  private static func walk(
    _ first: [UInt32], _ second: [UInt32], _ visit: (_ value: UInt32, _ isInFirst: Bool, _ isInSecond: Bool) -> Bool
  ) {
    var (i, j) = (0, 0)
    while i < first.count || j < second.count {
      let a = i < first.count ? first[i] : .max
      let b = j < second.count ? second[j] : .max
      guard visit(min(a, b), a <= b, b <= a) else { return }
      if a <= b { i += 1 }
      if b <= a { j += 1 }
    }
  }
}
