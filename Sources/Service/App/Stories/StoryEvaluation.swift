internal import JSON
internal import Publish

/// How well near-duplicates are told from stories that only look alike, on pairs that somebody has labelled.
struct StoryEvaluation: Sendable {
  /// Pairs that are one story and were found to be.
  private(set) var found = 0
  /// Pairs that are one story and were not found to be.
  private(set) var missed = 0
  /// Pairs that are two stories and were taken for one, by their places.
  private(set) var mistaken: [String] = []
  /// Pairs that are two stories and were left apart.
  private(set) var apart = 0

  /// Judges every pair as a store does: candidates share a band, and the sketches are alike.
  init(of pairs: LabelledPairs, by matching: StoryMatching) {
    for pair in pairs.all {
      switch (pair.isOneStory, Self.isOneStory(pair, by: matching)) {
      case (true, true): found += 1
      case (true, false): missed += 1
      case (false, true): mistaken.append(pair.place)
      case (false, false): apart += 1
      }
    }
  }

  private static func isOneStory(_ pair: LabelledPairs.Pair, by matching: StoryMatching) -> Bool {
    guard let first = pair.first.sketch, let second = pair.second.sketch,
      !Set(first.bands).isDisjoint(with: second.bands)
    else { return false }
    return matching.likeness(of: second, to: first) != nil
  }

  /// Of what was taken for one story, the part that is.
  var precision: Double { Double(found) / Double(max(found + mistaken.count, 1)) }
  /// Of what is one story, the part that was found.
  var recall: Double { Double(found) / Double(max(found + missed, 1)) }

  /// For a program to read.
  func json(matching: StoryMatching) -> JSONValue {
    [
      "pairs": .number(JSONNumber(found + missed + mistaken.count + apart)),
      "oneStory": ["found": .number(JSONNumber(found)), "missed": .number(JSONNumber(missed))],
      "twoStories": ["mistaken": .array(mistaken.map { .string($0) }), "apart": .number(JSONNumber(apart))],
      "likeness": .number(JSONNumber(matching.likeness)),
      "precision": Self.rounded(precision), "recall": Self.rounded(recall),
    ]
  }

  private static func rounded(_ part: Double) -> JSONValue {
    JSONNumber((part * 10_000).rounded() / 10_000).map { .number($0) } ?? .null
  }
}
