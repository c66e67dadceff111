import SQLite

extension Migration {
  /// What Ingest remembers. Moments are milliseconds since 1970, UTC.
  static let feedTables: SQL = """
    CREATE TABLE feed (
      id INTEGER PRIMARY KEY,
      url TEXT NOT NULL UNIQUE,
      entity_tag TEXT,
      last_modified TEXT,
      content_hash TEXT,
      next_check INTEGER NOT NULL,
      next_check_reason TEXT NOT NULL,
      last_success INTEGER,
      last_attempt INTEGER,
      last_error TEXT,
      failures INTEGER NOT NULL,
      title TEXT
    ) STRICT;

    -- Every identity that a feed has held. absent_since is null while its latest document holds it, so a poll writes
    -- only what has changed, and what may be forgotten is a short index.
    CREATE TABLE feed_identity (
      feed INTEGER NOT NULL REFERENCES feed (id) ON DELETE CASCADE,
      article TEXT NOT NULL,
      absent_since INTEGER,
      PRIMARY KEY (feed, article)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX feed_identity_present ON feed_identity (feed) WHERE absent_since IS NULL;
    CREATE INDEX feed_identity_absent ON feed_identity (absent_since) WHERE absent_since IS NOT NULL;

    -- AUTOINCREMENT: a number is never used again, so "after row 7" stays true when row 7 is gone.
    CREATE TABLE inbox (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      article TEXT NOT NULL,
      subscribed TEXT,
      first_seen INTEGER NOT NULL
    ) STRICT;
    -- Counting the inbox reads this index and no article.
    CREATE INDEX inbox_first_seen ON inbox (first_seen);
    """
}
