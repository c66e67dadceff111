import SQLite

extension Migration {
  /// What became of a publication at each outlet. departures counts the requests that may have reached a hub; outcome is
  /// null while nobody has noted one.
  static let partTables: SQL = """
    CREATE TABLE publication_part (
      story INTEGER NOT NULL,
      kind TEXT NOT NULL,
      outlet TEXT NOT NULL,
      departures INTEGER NOT NULL,
      outcome TEXT CHECK (outcome IN ('sent', 'refused', 'unknown')),
      reason TEXT,
      receipt TEXT,
      matched INTEGER,
      PRIMARY KEY (story, kind, outlet),
      FOREIGN KEY (story, kind) REFERENCES publication (story, kind) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    """
}
