public import Ingest
import News
import SQLite
import Telemetry
import Time

extension Migration {
  /// Subscriptions at the hubs of feeds. The secret is what the hub signs with; the file is its owner's alone.
  static let hubSubscriptions: SQL = """
    CREATE TABLE hub_subscription (
      feed TEXT PRIMARY KEY,
      hub TEXT NOT NULL,
      topic TEXT NOT NULL,
      token TEXT NOT NULL,
      secret TEXT NOT NULL,
      phase TEXT NOT NULL,
      verified INTEGER,
      lease_end INTEGER,
      next_request INTEGER NOT NULL,
      failures INTEGER NOT NULL,
      missed INTEGER NOT NULL,
      last_delivery INTEGER,
      problem TEXT
    ) STRICT, WITHOUT ROWID;
    """
}

extension SQLiteStore: HubSubscriptionStore {
  /// All subscriptions, by feed.
  public func hubSubscriptions() async throws -> [HubSubscription] {
    try await database.read { db in
      try db.rows(
        """
        SELECT feed, hub, topic, token, secret, phase, verified, lease_end, next_request, failures, missed,
          last_delivery, problem
        FROM hub_subscription ORDER BY feed
        """
      ) { row in try HubSubscription(row) }
    }
  }

  /// Stores a subscription in place of the feed's former one.
  public func save(_ subscription: HubSubscription) async throws {
    try await database.write { db in
      try db.execute(
        """
        INSERT OR REPLACE INTO hub_subscription (feed, hub, topic, token, secret, phase, verified, lease_end,
          next_request, failures, missed, last_delivery, problem)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
        """, subscription.feed, subscription.hub, subscription.topic, subscription.token.reveal(),
        subscription.secret.reveal(), subscription.phase.rawValue, subscription.verified, subscription.leaseEnd,
        subscription.nextRequest, subscription.failures, subscription.missed, subscription.lastDelivery,
        subscription.problem)
    }
  }

  /// Removes a feed's subscription.
  public func removeHubSubscription(of feed: String) async throws {
    try await database.write { db in try db.execute("DELETE FROM hub_subscription WHERE feed = ?1", feed) }
  }

  /// Stores what a hub has brought.
  public func commit(_ delivery: Delivery) async throws -> Int {
    try await database.write { db in
      guard let feed = try db.first("SELECT id FROM feed WHERE url = ?1", delivery.feed, as: { try $0[0] as Int64 })
      else { return 0 }
      let (document, _) = try db.recollect(delivery.articles, guidKeys: delivery.guidKeys, feed: feed)
      for articles in [document.new, document.updated] {
        try db.fillInbox(
          articles.suffix(delivery.newItemsMax), subscribed: delivery.subscribed, time: delivery.time)
      }
      return document.new.count
    }
  }
}

extension HubSubscription {
  fileprivate init(_ row: borrowing Row) throws {
    self.init(
      feed: try row[0], hub: try row[1], topic: try row[2], token: Secret(try row[3]), secret: Secret(try row[4]),
      nextRequest: try row[8])
    let phase: String = try row[5]
    guard let known = Phase(rawValue: phase) else { throw ColumnError(description: "no phase: \(phase)") }
    self.phase = known
    verified = try row[6]
    leaseEnd = try row[7]
    failures = try row[9]
    missed = try row[10]
    lastDelivery = try row[11]
    problem = try row[12]
  }
}
