public import Publish
import Push
import SQLite
import Time

/// The ledger's word on an article's versions.
extension SQLiteStore {
  /// How far an article's versions have come.
  public func standing(of articleID: String) async throws -> ArticleStanding {
    try await database.read { db in try db.standing(of: articleID) }
  }

  /// Withdraws an article.
  public func withdraw(_ withdrawal: Withdrawal) async throws -> WithdrawalAnswer {
    let row = DecisionRow(withdrawal.decision)
    return try await database.write { db in
      let articleID = withdrawal.decision.articleID
      let standing = try db.standing(of: articleID)
      let version = withdrawal.version ?? standing.latest ?? 0
      if let refusal = standing.refusal(of: version) { return .refused(refusal) }
      var row = row
      row.decision.version = version
      let alert = try db.stopAlert(of: articleID, time: row.decision.time)
      row.decision.storyID = alert?.storyID
      row.decision.notificationID = alert?.notificationID.description
      try db.conclude(row)
      return .withdrawn(row.decision, alert: alert)
    }
  }
}

extension Connection {
  /// How far an article's versions have come.
  func standing(of articleID: String) throws -> ArticleStanding {
    try first(
      "SELECT max(version), max(version) FILTER (WHERE action = 'withdraw') FROM decision WHERE article = ?1", articleID
    ) { row in
      ArticleStanding(latest: try row[0], withdrawnThrough: try row[1])
    } ?? ArticleStanding(latest: nil, withdrawnThrough: nil)
  }

  /// Ends a claim of the article that nobody has settled; the alert that has been told by the article, or may have.
  fileprivate func stopAlert(of articleID: String, time: Timestamp) throws -> Publication? {
    guard let story = try story(of: articleID), let (publication, outcome) = try publication(of: story, kind: .alert),
      publication.articleID == articleID
    else { return nil }
    switch outcome {
    case nil:
      try execute(
        """
        UPDATE publication SET outcome = 'refused', reason = 'withdrawn before it left', settled = ?2
        WHERE story = ?1 AND kind = 'alert'
        """, story.id, time)
      return nil
    case "refused": return nil
    default: return publication
    }
  }
}
