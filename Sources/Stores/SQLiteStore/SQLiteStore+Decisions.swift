import JSON
import News
public import Publish
import SQLite
import Telemetry
public import Time

/// The ledger's other half: articles that wait, and what was decided about articles.
extension SQLiteStore {
  /// Keeps an article until its time comes.
  public func hold(_ held: HeldArticle, decision: Decision) async throws {
    let row = DecisionRow(decision)
    try await database.write { db in
      try db.execute(
        """
        INSERT INTO held (article, version, content, subscribed, first_seen, until, trust)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (article) DO UPDATE SET version = excluded.version, content = excluded.content,
          subscribed = excluded.subscribed, first_seen = excluded.first_seen, until = excluded.until,
          trust = excluded.trust
        WHERE excluded.version >= version
        """, held.article.id, held.article.version, held.article.json, held.subscribed, held.firstSeen, held.until,
        held.trust.rawValue)
      try db.note(row)
    }
  }

  /// Held articles whose time has come. One that cannot be read, because another version wrote it, stays where it is
  /// and is passed over.
  public func heldArticles(due now: Timestamp, limit: Int) async throws -> [HeldArticle] {
    try await database.read { [logger] db in
      var due: [HeldArticle] = []
      try db.scan(
        """
        SELECT article, content, subscribed, first_seen, until, trust FROM held
        WHERE until IS NOT NULL AND until <= ?1 ORDER BY until, id
        """, now
      ) { row in
        let id: String = try row[0]
        do {
          due.append(
            HeldArticle(
              article: try row[1], subscribed: try row[2], trust: Trust(rawValue: try row[5]) ?? .feed,
              firstSeen: try row[3], until: try row[4]))
        } catch let error where !(error is SQLiteError) {
          logger.error("held.unreadable", ["article": LogValue(id), "reason": LogValue(String(describing: error))])
        }
        return due.count < limit
      }
      return due
    }
  }

  /// When the next held article's time comes.
  public func nextRelease() async throws -> Timestamp? {
    try await database.read { db in
      try db.first("SELECT until FROM held WHERE until IS NOT NULL ORDER BY until LIMIT 1") { row in
        try row[0] as Timestamp
      }
    }
  }

  /// Lets go of a held article.
  public func release(_ held: HeldArticle) async throws {
    try await database.write { db in
      try db.execute(
        "DELETE FROM held WHERE article = ?1 AND version = ?2 AND until IS ?3", held.article.id, held.article.version,
        held.until)
    }
  }

  /// Whether an article has been told with this content.
  public func wasTold(articleID: String, digest: Int64) async throws -> Bool {
    try await database.read { db in
      try db.first(
        "SELECT 1 FROM decision WHERE article = ?1 AND digest = ?2 AND action = 'push' LIMIT 1", articleID, digest
      ) { row in try row[0] as Int64 } != nil
    }
  }

  /// The latest decision about an article.
  public func decision(articleID: String) async throws -> Decision? {
    try await database.read { db in
      try db.first(
        """
        SELECT article, version, source, headline, time, classification, action, reason, story, notification, digest
        FROM decision WHERE article = ?1 ORDER BY id DESC LIMIT 1
        """, articleID
      ) { row in try Decision(row) }
    }
  }
}

/// A decision with its columns, made before the writing thread has it: everybody waits for that one.
struct DecisionRow {
  var decision: Decision
  fileprivate let classification: String

  init(_ decision: Decision) {
    self.decision = decision
    classification = decision.classification.json.text()
  }
}

extension Connection {
  /// Adds a decision to its article's trail.
  func note(_ row: DecisionRow) throws {
    let decision = row.decision
    try execute(
      """
      INSERT INTO decision
        (article, version, source, headline, time, classification, action, reason, story, notification, digest)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """, decision.articleID, decision.version, decision.source, decision.headline, decision.time,
      row.classification, decision.action.rawValue, decision.reason, decision.storyID, decision.notificationID,
      decision.digest)
  }
}

extension Decision {
  fileprivate init(_ row: borrowing Row) throws {
    let name: String = try row[6]
    guard let action = Action(rawValue: name) else { throw ColumnError(description: "no action: \(name)") }
    self.init(
      articleID: try row[0], version: try row[1], digest: try row[10], source: try row[2], headline: try row[3],
      time: try row[4], classification: try Classification(json: row[5]), action: action, reason: try row[7],
      storyID: try row[8],
      notificationID: try row[9])
  }
}

extension Classification {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["categories": .array(categories.map { .string($0.rawValue) })]
    if !scores.isEmpty {
      object["scores"] = .object(
        JSONObject(
          scores.compactMap { score in
            JSONNumber(score.probability).map { (key: score.category.rawValue, value: .number($0)) }
          }))
    }
    object["evidence"] = .array(evidence.map { ["origin": .string($0.origin), "detail": .string($0.detail)] })
    return .object(object)
  }

  fileprivate init(json: JSONValue) throws {
    guard let categories = json["categories"]?.array, let evidence = json["evidence"]?.array else {
      throw ColumnError(description: "no classification: \(json.text())")
    }
    self.init(
      categories: categories.compactMap { $0.string.flatMap(News.Category.init(rawValue:)) },
      // Older records have none.
      scores: (json["scores"]?.object ?? [:]).compactMap { name, value in
        guard let category = News.Category(rawValue: name), let probability = value.double else { return nil }
        return Score(category, probability: probability)
      },
      evidence: evidence.map { Evidence(origin: $0["origin"]?.string ?? "", detail: $0["detail"]?.string ?? "") })
  }
}
