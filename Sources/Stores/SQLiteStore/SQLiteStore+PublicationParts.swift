import News
public import Publish
import Push
import SQLite

/// What became of a publication at each outlet.
extension SQLiteStore {
  /// What is known of a publication's parts.
  public func parts(of publication: Publication) async throws -> [PublicationPart] {
    try await database.read { db in
      try db.rows(
        """
        SELECT outlet, departures, outcome, reason, receipt, matched FROM publication_part
        WHERE story = (SELECT id FROM story WHERE name = ?1) AND kind = ?2
        """, publication.storyID, publication.kind.key
      ) { row in try PublicationPart(row) }
    }
  }

  /// Asks whether a part may leave, and notes that it does.
  public func depart(
    for outlet: String, of publication: Publication, after departures: Int
  ) async throws -> Departure {
    try await database.write { db in
      switch try db.outcome(of: publication) {
      case .none: return .settled(.refused(reason: "its story is forgotten"))
      case .some(let outcome?): return .settled(outcome)
      case .some(nil): break
      }
      let changes = try db.execute(
        """
        INSERT INTO publication_part (story, kind, outlet, departures)
        SELECT id, ?2, ?3, 1 FROM story WHERE name = ?1
        ON CONFLICT DO UPDATE SET departures = departures + 1 WHERE departures = ?4 AND outcome IS NULL
        """, publication.storyID, publication.kind.key, outlet, departures)
      return changes > 0 ? .granted : .inHand
    }
  }

  /// Notes that a part was not taken.
  public func postpone(for outlet: String, of publication: Publication) async throws {
    try await database.write { db in
      try db.execute(
        """
        UPDATE publication_part SET departures = departures - 1
        WHERE story = (SELECT id FROM story WHERE name = ?1) AND kind = ?2 AND outlet = ?3 AND departures > 0
        """, publication.storyID, publication.kind.key, outlet)
    }
  }

  /// Notes what became of a part.
  public func settle(
    for outlet: String, of publication: Publication, as outcome: PublicationOutcome
  ) async throws {
    let columns = OutcomeColumns(outcome)
    try await database.write { db in
      try db.execute(
        """
        INSERT INTO publication_part (story, kind, outlet, departures, outcome, reason, receipt, matched)
        SELECT id, ?2, ?3, 0, ?4, ?5, ?6, ?7 FROM story WHERE name = ?1
        ON CONFLICT DO UPDATE SET
          outcome = excluded.outcome, reason = excluded.reason, receipt = excluded.receipt, matched = excluded.matched
        WHERE outcome IS NOT 'sent'
        """, publication.storyID, publication.kind.key, outlet, columns.name, columns.reason,
        columns.receipt?.notificationID, columns.receipt?.matched)
    }
  }
}

/// An outcome as the ledger's tables spell it.
struct OutcomeColumns: Sendable {
  let name: String
  let reason: String?
  let receipt: Receipt?

  init(_ outcome: PublicationOutcome) {
    (name, reason, receipt) =
      switch outcome {
      case .sent(let receipt): ("sent", nil, receipt)
      case .refused(let reason): ("refused", reason, nil)
      case .unknown(let reason): ("unknown", reason, nil)
      }
  }
}

extension Connection {
  /// What became of a publication, itself nil where nobody has noted that; none for a publication that is not there.
  fileprivate func outcome(of publication: Publication) throws -> PublicationOutcome?? {
    try first(
      """
      SELECT outcome, reason, receipt, matched FROM publication
      WHERE story = (SELECT id FROM story WHERE name = ?1) AND kind = ?2
      """, publication.storyID, publication.kind.key
    ) { row in try PublicationOutcome(row, from: 0) }
  }
}

extension PublicationOutcome {
  /// The outcome in the columns outcome, reason, receipt and matched from `column` on; nil where there is none yet.
  fileprivate init?(_ row: borrowing Row, from column: Int) throws {
    let name: String? = try row[column]
    switch name {
    case nil: return nil
    case "sent": self = .sent(Receipt(notificationID: try row[column + 2] ?? "", matched: try row[column + 3]))
    case "refused": self = .refused(reason: try row[column + 1] ?? "")
    case "unknown": self = .unknown(reason: try row[column + 1] ?? "")
    case let other?: throw ColumnError(description: "no outcome: \(other)")
    }
  }
}

extension PublicationPart {
  fileprivate init(_ row: borrowing Row) throws {
    self.init(outlet: try row[0], departures: try row[1], outcome: try PublicationOutcome(row, from: 2))
  }
}
