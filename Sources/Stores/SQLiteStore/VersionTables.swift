import SQLite

extension Migration {
  /// What orders an article's versions and tells their contents apart. What is held was held for a feed before.
  static let articleVersions: SQL = """
    ALTER TABLE decision ADD COLUMN digest INTEGER;
    ALTER TABLE publication ADD COLUMN digest INTEGER;
    ALTER TABLE held ADD COLUMN trust TEXT NOT NULL DEFAULT 'feed';
    """
}
