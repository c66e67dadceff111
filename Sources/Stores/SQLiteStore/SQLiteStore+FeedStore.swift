public import Ingest
import News
import SQLite
import Telemetry
public import Time

extension SQLiteStore: FeedStore {
  /// What is known of a feed.
  public func feedState(_ url: String) async throws -> FeedState? {
    try await database.read { db in
      try db.first(SQL(assembled: "\(FeedState.query) WHERE url = ?1"), url) { row in try FeedState(row) }
    }
  }

  /// What is known of all feeds.
  public func feedStates() async throws -> [FeedState] {
    try await database.read { db in
      try db.rows(SQL(assembled: "\(FeedState.query) ORDER BY url")) { row in try FeedState(row) }
    }
  }

  /// Stores a poll's outcome.
  public func commit(_ poll: Poll) async throws -> Int {
    let (new, renamed) = try await database.write { db in
      let feed = try db.store(poll.state)
      return try poll.articles.isEmpty ? (0, 0) : db.storeDocument(of: poll, feed: feed)
    }
    if renamed > 0 {
      logger.info("feed.renamed_items", ["feed": LogValue(poll.state.url), "items": LogValue(renamed)])
    }
    return new
  }

  /// The oldest articles of the inbox after a row. One that cannot be read, because another version wrote it, stays
  /// where it is and is passed over, so that the others flow.
  public func inbox(after row: Int64, limit: Int) async throws -> [InboxRow] {
    try await database.read { [logger] db in
      var found: [InboxRow] = []
      try db.scan(
        "SELECT id, article, subscribed, first_seen FROM inbox WHERE id > ?1 ORDER BY id", row
      ) { row in
        let number: Int64 = try row[0]
        do {
          found.append(
            InboxRow(row: number, article: try row[1], subscribed: try row[2], firstSeen: try row[3]))
        } catch let error where !(error is SQLiteError) {
          logger.error("inbox.unreadable", ["row": LogValue(number), "reason": LogValue(String(describing: error))])
        }
        return found.count < limit
      }
      return found
    }
  }

  /// Removes rows from the inbox.
  public func acknowledge(_ rows: [Int64]) async throws {
    try await database.write { db in
      for row in rows { try db.execute("DELETE FROM inbox WHERE id = ?1", row) }
    }
  }

  /// Forgets identities that no document holds any more.
  public func forgetIdentities(unseenSince: Timestamp, limit: Int) async throws -> Int {
    try await database.write { db in
      try db.execute(
        """
        DELETE FROM feed_identity WHERE (feed, article) IN (
          SELECT feed, article FROM feed_identity WHERE absent_since < ?1 ORDER BY absent_since LIMIT ?2)
        """, unseenSince, limit)
    }
  }
}

extension FeedState {
  fileprivate static let query: SQL = """
    SELECT url, entity_tag, last_modified, content_hash, next_check, next_check_reason, last_success, last_attempt,
      last_error, failures, title, address, moving_to, gone_count, disabled_reason, time_to_live, update_period,
      skip_hours, skip_days, item_gap
    FROM feed
    """

  fileprivate init(_ row: borrowing Row) throws {
    self.init(url: try row[0], nextCheck: try row[4], nextCheckReason: try row[5])
    entityTag = try row[1]
    lastModified = try row[2]
    contentHash = try row[3]
    lastSuccess = try row[6]
    lastAttempt = try row[7]
    lastError = try row[8]
    failures = try row[9]
    title = try row[10]
    address = try row[11]
    movingTo = try row[12]
    goneCount = try row[13]
    disabledReason = try row[14]
    wishes = PublisherWishes(
      timeToLive: try row[15], updatePeriod: try row[16], skipHours: Set(bits: try row[17]),
      skipDays: Set(bits: try row[18]), itemGap: try row[19])
  }
}

extension Set<Int> {
  /// The numbers of the bits that are set.
  fileprivate init(bits: Int64) { self = Set((0..<63).filter { bits >> $0 & 1 == 1 }) }

  /// The number whose bits these are; none is beyond 62.
  fileprivate var bits: Int64 { reduce(0) { $0 | 1 << Int64($1) } }
}

extension Connection {
  /// Stores what is known of a feed; its number.
  fileprivate func store(_ state: FeedState) throws -> Int64 {
    let feed = try first(
      """
      INSERT INTO feed (url, entity_tag, last_modified, content_hash, next_check, next_check_reason, last_success,
        last_attempt, last_error, failures, title, address, moving_to, gone_count, disabled_reason, time_to_live,
        update_period, skip_hours, skip_days, item_gap)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)
      ON CONFLICT (url) DO UPDATE SET
        entity_tag = excluded.entity_tag, last_modified = excluded.last_modified, content_hash = excluded.content_hash,
        next_check = excluded.next_check, next_check_reason = excluded.next_check_reason,
        last_success = excluded.last_success, last_attempt = excluded.last_attempt, last_error = excluded.last_error,
        failures = excluded.failures, title = excluded.title,
        address = excluded.address, moving_to = excluded.moving_to, gone_count = excluded.gone_count,
        disabled_reason = excluded.disabled_reason, time_to_live = excluded.time_to_live,
        update_period = excluded.update_period, skip_hours = excluded.skip_hours, skip_days = excluded.skip_days,
        item_gap = excluded.item_gap
      RETURNING id
      """, state.url, state.entityTag, state.lastModified, state.contentHash, state.nextCheck, state.nextCheckReason,
      state.lastSuccess, state.lastAttempt, state.lastError, state.failures, state.title,
      state.address, state.movingTo, state.goneCount, state.disabledReason, state.wishes.timeToLive,
      state.wishes.updatePeriod, state.wishes.skipHours.bits, state.wishes.skipDays.bits,
      state.wishes.itemGap
    ) { row in try row[0] as Int64 }
    guard let feed else { throw ColumnError(description: "a stored feed has no number") }
    return feed
  }

  /// Notes what a document holds and what it holds no more, and puts what is new or changed into the inbox; how many
  /// are new, and how many are known under other names.
  fileprivate func storeDocument(of poll: Poll, feed: Int64) throws -> (new: Int, renamed: Int) {
    let (document, missing) = try recollect(poll.articles, guidKeys: poll.guidKeys, feed: feed)
    if !poll.isBaseline {
      for articles in [document.new, document.updated] {
        try fillInbox(articles.suffix(poll.newItemsMax), subscribed: poll.subscribed, time: poll.time)
      }
    }
    for identity in missing {
      try execute(
        "UPDATE feed_identity SET absent_since = ?3 WHERE feed = ?1 AND article = ?2", feed, identity, poll.time)
    }
    return (document.new.count, document.renamed)
  }

  /// Puts articles into the inbox.
  func fillInbox(_ articles: some Sequence<Article>, subscribed: News.Category?, time: Timestamp) throws {
    for article in articles {
      try execute(
        "INSERT INTO inbox (article, subscribed, first_seen) VALUES (?1, ?2, ?3)", article.json, subscribed, time)
    }
  }
}
