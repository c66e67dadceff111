import News
import Publish
import SQLite
import Time

// Stories that another source tells in nearly the same words. All of this is part of a claim's transaction, so that two
// processes that see two sources at once agree which of them was the first.

extension Connection {
  /// The oldest story of which the article is a near-duplicate: alike by its sketch, with a category in common.
  func alikeStory(_ claim: Claim) throws -> StoryRow? {
    guard let recognition = claim.recognition, recognition.mayJoin, claim.kind == .alert else { return nil }
    let bands = recognition.sketch.bands
    // A sketch without a summary has no bands for one; its first band stands in for them.
    let keys = bands + Array(repeating: bands[0], count: Self.bandsMax - bands.count)
    let candidates = try rows(
      """
      SELECT story.id, story.name, story.categories, sketch FROM story_sketch JOIN story ON story.id = story_sketch.story
      WHERE story_sketch.story IN (SELECT story FROM story_band WHERE band IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8))
        AND until > ?9
      ORDER BY story.id LIMIT ?10
      """, keys[0], keys[1], keys[2], keys[3], keys[4], keys[5], keys[6], keys[7], claim.time,
      Recognition.candidatesMax
    ) { row in
      (story: try StoryRow(row), sketch: StorySketch(bytes: try row[3]))
    }
    for candidate in candidates {
      guard let sketch = candidate.sketch,
        let likeness = recognition.matching.likeness(of: recognition.sketch, to: sketch),
        !Set(candidate.story.categories.list).isDisjoint(with: claim.categories)
      else { continue }
      var story = candidate.story
      story.likeness = likeness
      return story
    }
    return nil
  }

  /// Keeps what others recognise a new story by, until its window closes, and takes away what is over: more than comes,
  /// so that the rows are bounded by the window.
  func keepSketch(of claim: Claim, as story: StoryRow) throws {
    guard let recognition = claim.recognition, claim.kind == .alert else { return }
    try forgetSketches(until: claim, limit: 2)
    try execute(
      "INSERT INTO story_sketch (story, until, sketch) VALUES (?1, ?2, ?3)", story.id,
      claim.time + recognition.matching.window, recognition.sketch.bytes)
    for band in recognition.sketch.bands {
      try execute("INSERT INTO story_band (band, story) VALUES (?1, ?2) ON CONFLICT DO NOTHING", band, story.id)
    }
  }

  /// The bands of a sketch with a summary.
  private static var bandsMax: Int { 8 }

  private func forgetSketches(until claim: Claim, limit: Int) throws {
    let over = try rows(
      "SELECT story, sketch FROM story_sketch WHERE until <= ?1 ORDER BY until LIMIT ?2", claim.time, limit
    ) { row in (story: try row[0] as Int64, sketch: StorySketch(bytes: try row[1])) }
    for (story, sketch) in over {
      for band in sketch?.bands ?? [] {
        try execute("DELETE FROM story_band WHERE band = ?1 AND story = ?2", band, story)
      }
      try execute("DELETE FROM story_sketch WHERE story = ?1", story)
    }
  }
}
