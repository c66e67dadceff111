import News
public import Publish
import Push
import SQLite
import Telemetry
public import Time

extension SQLiteStore: PublicationLedger {
  /// Claims the right to tell a story.
  public func claim(_ claim: Claim) async throws -> ClaimAnswer {
    try await database.write { db in
      let story = try db.joinStory(claim)
      if let (publication, isSettled) = try db.publication(of: story, kind: claim.kind) {
        let isMine = publication.articleID == claim.articleID
        return isMine && !isSettled ? .resumed(publication) : .told(publication)
      }
      try db.execute(
        """
        INSERT INTO publication (story, kind, article, version, notification, claimed)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        """, story.id, claim.kind.key, claim.articleID, claim.version, claim.notificationID.description, claim.time)
      return .claimed(
        Publication(
          storyID: story.name, kind: claim.kind, articleID: claim.articleID, categories: try db.categories(of: story),
          notificationID: claim.notificationID, time: claim.time))
    }
  }

  /// Notes what became of a claim.
  public func settle(_ publication: Publication, as outcome: PublicationOutcome, decision: Decision) async throws {
    let columns = OutcomeColumns(outcome)
    try await database.write { db in
      try db.execute(
        """
        UPDATE publication SET outcome = ?3, reason = ?4, receipt = ?5, matched = ?6, settled = ?7
        WHERE story = (SELECT id FROM story WHERE name = ?1) AND kind = ?2 AND outcome IS NOT 'sent'
        """, publication.storyID, publication.kind.key, columns.name, columns.reason, columns.receipt?.notificationID,
        columns.receipt?.matched, decision.time)
      try db.conclude(decision)
    }
  }

  /// Notes a decision that sends nothing.
  public func record(_ decision: Decision) async throws {
    try await database.write { db in try db.conclude(decision) }
  }

  /// Forgets what is older than the retention.
  public func forget(before: Timestamp, limit: Int) async throws -> Int {
    try await database.write { db in
      var count = try db.execute(
        "DELETE FROM story WHERE id IN (SELECT id FROM story WHERE last_claim < ?1 ORDER BY last_claim LIMIT ?2)",
        before, limit)
      count += try db.execute(
        "DELETE FROM decision WHERE id IN (SELECT id FROM decision WHERE time < ?1 ORDER BY time LIMIT ?2)", before,
        limit - count)
      count += try db.execute(
        """
        DELETE FROM held WHERE id IN (
          SELECT id FROM held WHERE until IS NULL AND first_seen < ?1 ORDER BY first_seen LIMIT ?2)
        """, before, limit - count)
      return count
    }
  }
}

/// A story's row.
private struct StoryRow {
  let id: Int64
  let name: String
}

extension Connection {
  /// The story that an article belongs to, with the article, its link and its categories in it.
  fileprivate func joinStory(_ claim: Claim) throws -> StoryRow {
    let story = try findStory(claim) ?? makeStory(claim)
    try execute("UPDATE story SET last_claim = max(last_claim, ?2) WHERE id = ?1", story.id, claim.time)
    try execute(
      "INSERT INTO story_article (article, story) VALUES (?1, ?2) ON CONFLICT DO NOTHING", claim.articleID, story.id)
    if let link = claim.canonicalLink {
      try execute("INSERT INTO story_link (link, story) VALUES (?1, ?2) ON CONFLICT DO NOTHING", link, story.id)
    }
    for category in claim.categories {
      try execute(
        """
        INSERT INTO story_category (story, category, position)
        VALUES (?1, ?2, (SELECT count(*) FROM story_category WHERE story = ?1)) ON CONFLICT DO NOTHING
        """, story.id, category)
    }
    return story
  }

  private func findStory(_ claim: Claim) throws -> StoryRow? {
    let byArticle = try first(
      "SELECT story.id, story.name FROM story_article JOIN story ON story.id = story WHERE article = ?1",
      claim.articleID
    ) { row in StoryRow(id: try row[0], name: try row[1]) }
    guard byArticle == nil, let link = claim.canonicalLink else { return byArticle }
    return try first(
      "SELECT story.id, story.name FROM story_link JOIN story ON story.id = story WHERE link = ?1", link
    ) { row in StoryRow(id: try row[0], name: try row[1]) }
  }

  private func makeStory(_ claim: Claim) throws -> StoryRow {
    try execute("INSERT INTO story (name, last_claim) VALUES (?1, ?2)", claim.articleID, claim.time)
    return StoryRow(id: lastInsertedRow, name: claim.articleID)
  }

  fileprivate func categories(of story: StoryRow) throws -> [News.Category] {
    try rows("SELECT category FROM story_category WHERE story = ?1 ORDER BY position", story.id) { row in try row[0] }
  }

  fileprivate func publication(
    of story: StoryRow, kind: PublicationKind
  ) throws -> (publication: Publication, isSettled: Bool)? {
    let categories = try categories(of: story)
    return try first(
      "SELECT article, notification, claimed, outcome FROM publication WHERE story = ?1 AND kind = ?2", story.id,
      kind.key
    ) { row in
      let name: String = try row[1]
      guard let notification = NotificationID(name) else {
        throw ColumnError(description: "no notification's id: \(name)")
      }
      let publication = Publication(
        storyID: story.name, kind: kind, articleID: try row[0], categories: categories, notificationID: notification,
        time: try row[2])
      return (publication, !row.isNull(3))
    }
  }

  /// Notes a decision after which the article does not wait any more.
  fileprivate func conclude(_ decision: Decision) throws {
    try execute("DELETE FROM held WHERE article = ?1 AND version <= ?2", decision.articleID, decision.version)
    try note(decision)
  }
}
