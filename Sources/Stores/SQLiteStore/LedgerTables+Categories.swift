import SQLite

extension Migration {
  /// A story's categories move into its row: names with a space between, in the order in which they came. An article by
  /// which a story is named is found by that name, without a row in story_article; rows of older versions do no harm.
  static let storyCategories: SQL = """
    ALTER TABLE story ADD COLUMN categories TEXT NOT NULL DEFAULT '';
    UPDATE story SET categories = coalesce((
      SELECT group_concat(category, ' ') FROM (
        SELECT category FROM story_category WHERE story = story.id ORDER BY position)), '');
    DROP TABLE story_category;
    """
}
