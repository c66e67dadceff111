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
      let (standing, found) = try db.standingAndStory(of: claim)
      if let refusal = standing.refusal(of: claim.version) { return .refused(refusal) }
      guard let story = found else { return .claimed(try db.tellNewStory(claim)) }
      try db.join(story, claim)
      if let (publication, outcome) = try db.publication(of: story, kind: claim.kind) {
        guard publication.articleID == claim.articleID, outcome == nil else { return .told(publication) }
        return .resumed(try db.takeOver(publication, of: story, claim))
      }
      return .claimed(try db.place(claim, in: story, categories: try db.categories(of: story)))
    }
  }

  /// Notes what became of a claim.
  public func settle(_ publication: Publication, as outcome: PublicationOutcome, decision: Decision) async throws {
    let columns = OutcomeColumns(outcome)
    let row = DecisionRow(decision)
    try await database.write { db in
      try db.execute(
        """
        UPDATE publication SET outcome = ?3, reason = ?4, receipt = ?5, matched = ?6, settled = ?7
        WHERE story = (SELECT id FROM story WHERE name = ?1) AND kind = ?2 AND outcome IS NOT 'sent'
        """, publication.storyID, publication.kind.key, columns.name, columns.reason, columns.receipt?.notificationID,
        columns.receipt?.matched, decision.time)
      try db.conclude(row)
    }
  }

  /// Notes a decision that sends nothing.
  public func record(_ decision: Decision) async throws {
    let row = DecisionRow(decision)
    try await database.write { db in try db.conclude(row) }
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
struct StoryRow {
  let id: Int64
  let name: String
}

extension Connection {
  /// Makes the story of an article that belongs to none, and takes its place in it. The usual case, so it asks for
  /// nothing that it knows.
  fileprivate func tellNewStory(_ claim: Claim) throws -> Publication {
    try execute("INSERT INTO story (name, last_claim) VALUES (?1, ?2)", claim.articleID, claim.time)
    let story = StoryRow(id: lastInsertedRow, name: claim.articleID)
    try execute("INSERT INTO story_article (article, story) VALUES (?1, ?2)", claim.articleID, story.id)
    if let link = claim.canonicalLink {
      try execute("INSERT INTO story_link (link, story) VALUES (?1, ?2)", link, story.id)
    }
    var categories: [News.Category] = []
    for category in claim.categories where !categories.contains(category) {
      try execute(
        "INSERT INTO story_category (story, category, position) VALUES (?1, ?2, ?3)", story.id, category,
        categories.count)
      categories.append(category)
    }
    return try place(claim, in: story, categories: categories)
  }

  /// Takes the place of a claim in its story, which is free.
  fileprivate func place(
    _ claim: Claim, in story: StoryRow, categories: [News.Category]
  ) throws -> Publication {
    try execute(
      """
      INSERT INTO publication (story, kind, article, version, digest, notification, claimed)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """, story.id, claim.kind.key, claim.articleID, claim.version, claim.digest, claim.notificationID.description,
      claim.time)
    return Publication(
      storyID: story.name, kind: claim.kind, articleID: claim.articleID, version: claim.version, digest: claim.digest,
      categories: categories, notificationID: claim.notificationID, time: claim.time)
  }

  /// Adds an article, its link and its categories to its story.
  fileprivate func join(_ story: StoryRow, _ claim: Claim) throws {
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
  }

  /// The story that an article has joined.
  func story(of articleID: String) throws -> StoryRow? {
    try first(
      "SELECT story.id, story.name FROM story_article JOIN story ON story.id = story WHERE article = ?1", articleID
    ) { row in StoryRow(id: try row[0], name: try row[1]) }
  }

  /// How far the article's versions have come, and its story: the one that it has joined, else the one of its link. In
  /// one statement, since every article asks.
  fileprivate func standingAndStory(of claim: Claim) throws -> (ArticleStanding, StoryRow?) {
    try first(
      """
      SELECT
        (SELECT max(version) FROM decision WHERE article = ?1),
        (SELECT max(version) FROM decision WHERE article = ?1 AND action = 'withdraw'),
        story.id, story.name
      FROM (SELECT coalesce(
        (SELECT story FROM story_article WHERE article = ?1), (SELECT story FROM story_link WHERE link = ?2)) AS id)
        AS known LEFT JOIN story ON story.id = known.id
      """, claim.articleID, claim.canonicalLink
    ) { row in
      let story = row.isNull(2) ? nil : StoryRow(id: try row[2], name: try row[3])
      return (ArticleStanding(latest: try row[0], withdrawnThrough: try row[1]), story)
    } ?? (ArticleStanding(latest: nil, withdrawnThrough: nil), nil)
  }

  fileprivate func categories(of story: StoryRow) throws -> [News.Category] {
    try rows("SELECT category FROM story_category WHERE story = ?1 ORDER BY position", story.id) { row in try row[0] }
  }

  /// The telling of a story, and how it ended; nil as outcome where it is claimed only.
  func publication(
    of story: StoryRow, kind: PublicationKind
  ) throws -> (publication: Publication, outcome: String?)? {
    let categories = try categories(of: story)
    return try first(
      """
      SELECT article, version, digest, notification, claimed, outcome FROM publication WHERE story = ?1 AND kind = ?2
      """, story.id, kind.key
    ) { row in
      let name: String = try row[3]
      guard let notification = NotificationID(name) else {
        throw ColumnError(description: "no notification's id: \(name)")
      }
      let publication = Publication(
        storyID: story.name, kind: kind, articleID: try row[0], version: try row[1], digest: try row[2],
        categories: categories, notificationID: notification, time: try row[4])
      return (publication, try row[5])
    }
  }

  /// Notes that a claim tells a later content of its article.
  fileprivate func takeOver(_ publication: Publication, of story: StoryRow, _ claim: Claim) throws -> Publication {
    guard publication.version != claim.version || publication.digest != claim.digest else { return publication }
    try execute(
      "UPDATE publication SET version = ?3, digest = ?4 WHERE story = ?1 AND kind = ?2", story.id, claim.kind.key,
      claim.version, claim.digest)
    return Publication(
      storyID: publication.storyID, kind: publication.kind, articleID: publication.articleID, version: claim.version,
      digest: claim.digest, categories: publication.categories, notificationID: publication.notificationID,
      time: publication.time)
  }

  /// Notes a decision after which the article does not wait any more.
  func conclude(_ row: DecisionRow) throws {
    try execute("DELETE FROM held WHERE article = ?1 AND version <= ?2", row.decision.articleID, row.decision.version)
    try note(row)
  }
}
