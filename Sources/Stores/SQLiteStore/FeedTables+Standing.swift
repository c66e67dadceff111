import SQLite

extension Migration {
  /// Where a feed is fetched, whether it still is, and what its last document says of its rhythm. Spans of time are
  /// milliseconds; hours and days to be skipped are the bits of a number, the lowest for 0 h and for Sunday.
  static let feedStanding: SQL = """
    ALTER TABLE feed ADD COLUMN address TEXT;
    ALTER TABLE feed ADD COLUMN moving_to TEXT;
    ALTER TABLE feed ADD COLUMN gone_count INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE feed ADD COLUMN disabled_reason TEXT;
    ALTER TABLE feed ADD COLUMN time_to_live INTEGER;
    ALTER TABLE feed ADD COLUMN update_period INTEGER;
    ALTER TABLE feed ADD COLUMN skip_hours INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE feed ADD COLUMN skip_days INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE feed ADD COLUMN item_gap INTEGER;
    """
}
