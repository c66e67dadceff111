import SQLite

extension Migration {
  /// What stories are recognised by in another source's words, while their window is open. Moments are milliseconds
  /// since 1970, UTC.
  static let storySketches: SQL = """
    -- The sketch of a story's first article. until is the end of its window.
    CREATE TABLE story_sketch (
      story INTEGER PRIMARY KEY REFERENCES story (id) ON DELETE CASCADE,
      until INTEGER NOT NULL,
      sketch BLOB NOT NULL
    ) STRICT;
    CREATE INDEX story_sketch_until ON story_sketch (until);

    -- Its bands: a row of another story's claim that shares one is a candidate. The sketch gives them again, so nothing
    -- but its story is needed to find them when they go.
    CREATE TABLE story_band (
      band INTEGER NOT NULL,
      story INTEGER NOT NULL,
      PRIMARY KEY (band, story)
    ) STRICT, WITHOUT ROWID;

    -- In per cent, where an article joined its story for it.
    ALTER TABLE story_article ADD COLUMN headline_likeness INTEGER;
    ALTER TABLE story_article ADD COLUMN summary_likeness INTEGER;
    """
}
