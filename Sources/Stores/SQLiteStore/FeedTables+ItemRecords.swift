import SQLite

extension Migration {
  /// By what an item is known again under another guid, and what its words were. Keys are hashes of 64 bits; rows that
  /// are older than they have none until their item is read again.
  static let itemRecords: SQL = """
    -- The id of its article, where that is not this identity but an earlier one.
    ALTER TABLE feed_identity ADD COLUMN origin TEXT;
    ALTER TABLE feed_identity ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE feed_identity ADD COLUMN words INTEGER;
    ALTER TABLE feed_identity ADD COLUMN guid_key INTEGER;
    ALTER TABLE feed_identity ADD COLUMN link_key INTEGER;
    ALTER TABLE feed_identity ADD COLUMN title_key INTEGER;
    ALTER TABLE feed_identity ADD COLUMN published INTEGER;
    """
}
