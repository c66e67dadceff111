import SQLite

extension Migration {
  /// What Publish remembers. Moments are milliseconds since 1970, UTC.
  static let ledgerTables: SQL = """
    -- What readers hear of once; its name is the id of the first article that joined it.
    CREATE TABLE story (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      last_claim INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX story_last_claim ON story (last_claim);

    CREATE TABLE story_article (
      article TEXT PRIMARY KEY,
      story INTEGER NOT NULL REFERENCES story (id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX story_article_story ON story_article (story);

    CREATE TABLE story_link (
      link TEXT PRIMARY KEY,
      story INTEGER NOT NULL REFERENCES story (id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX story_link_story ON story_link (story);

    CREATE TABLE story_category (
      story INTEGER NOT NULL REFERENCES story (id) ON DELETE CASCADE,
      category TEXT NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (story, category)
    ) STRICT, WITHOUT ROWID;

    -- One telling of a story; kind is alert, correction-3, retraction. outcome is null while it is claimed only.
    CREATE TABLE publication (
      story INTEGER NOT NULL REFERENCES story (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      article TEXT NOT NULL,
      version INTEGER NOT NULL,
      notification TEXT NOT NULL,
      claimed INTEGER NOT NULL,
      outcome TEXT CHECK (outcome IN ('sent', 'refused', 'unknown')),
      reason TEXT,
      receipt TEXT,
      matched INTEGER,
      settled INTEGER,
      PRIMARY KEY (story, kind)
    ) STRICT, WITHOUT ROWID;

    -- The trail of an article: a row for everything that was decided about it.
    CREATE TABLE decision (
      id INTEGER PRIMARY KEY,
      article TEXT NOT NULL,
      version INTEGER NOT NULL,
      source TEXT,
      headline TEXT NOT NULL,
      time INTEGER NOT NULL,
      classification TEXT NOT NULL,
      action TEXT NOT NULL,
      reason TEXT NOT NULL,
      story TEXT,
      notification TEXT
    ) STRICT;
    CREATE INDEX decision_article ON decision (article);
    CREATE INDEX decision_time ON decision (time);

    CREATE TABLE held (
      id INTEGER PRIMARY KEY,
      article TEXT NOT NULL UNIQUE,
      version INTEGER NOT NULL,
      content TEXT NOT NULL,
      subscribed TEXT,
      first_seen INTEGER NOT NULL,
      until INTEGER
    ) STRICT;
    CREATE INDEX held_until ON held (until) WHERE until IS NOT NULL;
    CREATE INDEX held_without_end ON held (first_seen) WHERE until IS NULL;
    """
}
