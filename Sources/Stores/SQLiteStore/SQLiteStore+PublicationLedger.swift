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
      guard let known = try found ?? db.alikeStory(claim) else { return .claimed(try db.tellNewStory(claim)) }
      let story = try db.join(known, claim)
      if let (publication, outcome) = try db.publication(of: story, kind: claim.kind) {
        guard publication.articleID == claim.articleID, outcome == nil else {
          let likeness = try db.story(of: claim.articleID)?.likeness
          return likeness.map { .retold(publication, $0) } ?? .told(publication)
        }
        return .resumed(try db.takeOver(publication, of: story, claim))
      }
      return .claimed(try db.place(claim, in: story))
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
  var categories: StoryCategories
  /// How much the article in question is like the story's first, where it is of it for that.
  var likeness: StoryLikeness?

  init(id: Int64, name: String, categories: StoryCategories) {
    self.id = id
    self.name = name
    self.categories = categories
  }

  /// From the columns id, name and categories, which come first.
  init(_ row: borrowing Row) throws {
    self.init(id: try row[0], name: try row[1], categories: try StoryCategories(row[2]))
  }
}

/// What a story is about, in the order in which its articles said so; a column of names with a space between.
struct StoryCategories: SQLiteConvertible {
  private(set) var list: [News.Category] = []

  init(_ categories: [News.Category]) { add(categories) }

  init(_ column: String) throws {
    list = try column.split(separator: " ").map { name in
      guard let category = News.Category(rawValue: String(name)) else {
        throw ColumnError(description: "no category: \(name)")
      }
      return category
    }
  }

  mutating func add(_ categories: [News.Category]) {
    for category in categories where !list.contains(category) { list.append(category) }
  }

  var sqliteValue: SQLiteValue { .text(list.map(\.rawValue).joined(separator: " ")) }
}

extension Connection {
  /// Makes the story of an article that belongs to none, and takes its place in it. The usual case, so it asks for
  /// nothing that it knows, and the article that a story is named by has no row among those that joined it.
  fileprivate func tellNewStory(_ claim: Claim) throws -> Publication {
    let categories = StoryCategories(claim.categories)
    try execute(
      "INSERT INTO story (name, last_claim, categories) VALUES (?1, ?2, ?3)", claim.articleID, claim.time, categories)
    let story = StoryRow(id: lastInsertedRow, name: claim.articleID, categories: categories)
    if let link = claim.canonicalLink {
      try execute("INSERT INTO story_link (link, story) VALUES (?1, ?2)", link, story.id)
    }
    try keepSketch(of: claim, as: story)
    return try place(claim, in: story)
  }

  /// Takes the place of a claim in its story, which is free.
  fileprivate func place(_ claim: Claim, in story: StoryRow) throws -> Publication {
    try execute(
      """
      INSERT INTO publication (story, kind, article, version, digest, notification, claimed)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """, story.id, claim.kind.key, claim.articleID, claim.version, claim.digest, claim.notificationID.description,
      claim.time)
    return Publication(
      storyID: story.name, kind: claim.kind, articleID: claim.articleID, version: claim.version, digest: claim.digest,
      categories: story.categories.list, notificationID: claim.notificationID, time: claim.time)
  }

  /// Adds an article, its link and its categories to its story; the story as it is then.
  fileprivate func join(_ story: StoryRow, _ claim: Claim) throws -> StoryRow {
    var story = story
    story.categories.add(claim.categories)
    try execute(
      "UPDATE story SET last_claim = max(last_claim, ?2), categories = ?3 WHERE id = ?1", story.id, claim.time,
      story.categories)
    if claim.articleID != story.name {
      try execute(
        """
        INSERT INTO story_article (article, story, headline_likeness, summary_likeness) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO NOTHING
        """, claim.articleID, story.id, story.likeness?.headline, story.likeness?.summary)
    }
    if let link = claim.canonicalLink {
      try execute("INSERT INTO story_link (link, story) VALUES (?1, ?2) ON CONFLICT DO NOTHING", link, story.id)
    }
    return story
  }

  /// The story that an article has joined.
  func story(of articleID: String) throws -> StoryRow? {
    try first(
      """
      SELECT id, name, categories, headline_likeness, summary_likeness
      FROM story LEFT JOIN story_article ON story_article.article = ?1 AND story_article.story = id
      WHERE id = coalesce(
        (SELECT id FROM story WHERE name = ?1), (SELECT story FROM story_article WHERE article = ?1))
      """, articleID
    ) { row in
      var story = try StoryRow(row)
      if let headline: Int = try row[3] { story.likeness = StoryLikeness(headline: headline, summary: try row[4]) }
      return story
    }
  }

  /// How far the article's versions have come, and its story: the one that it has joined, else the one of its link. In
  /// one statement, since every article asks.
  fileprivate func standingAndStory(of claim: Claim) throws -> (ArticleStanding, StoryRow?) {
    try first(
      """
      SELECT story.id, story.name, story.categories,
        (SELECT max(version) FROM decision WHERE article = ?1),
        (SELECT max(version) FROM decision WHERE article = ?1 AND action = 'withdraw')
      FROM (SELECT coalesce(
        (SELECT id FROM story WHERE name = ?1), (SELECT story FROM story_article WHERE article = ?1),
        (SELECT story FROM story_link WHERE link = ?2)) AS id)
        AS known LEFT JOIN story ON story.id = known.id
      """, claim.articleID, claim.canonicalLink
    ) { row in
      (
        ArticleStanding(latest: try row[3], withdrawnThrough: try row[4]),
        row.isNull(0) ? nil : try StoryRow(row)
      )
    } ?? (ArticleStanding(latest: nil, withdrawnThrough: nil), nil)
  }

  /// The telling of a story, and how it ended; nil as outcome where it is claimed only.
  func publication(
    of story: StoryRow, kind: PublicationKind
  ) throws -> (publication: Publication, outcome: String?)? {
    try first(
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
        categories: story.categories.list, notificationID: notification, time: try row[4])
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
