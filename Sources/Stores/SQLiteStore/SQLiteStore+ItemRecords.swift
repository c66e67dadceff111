import Ingest
import News
import SQLite

// What is remembered of the items of a feed: read and written in the transaction that stores a document.

extension Connection {
  /// Reads articles of a feed against what it has held, and remembers them; also the identities that its latest document
  /// held and these do not.
  func recollect(
    _ articles: [Article], guidKeys: [String: Int64], feed: Int64
  ) throws -> (document: Recollection, missing: [String]) {
    var known = try itemRecords(
      """
      SELECT article, origin, version, words, guid_key, link_key, title_key, published, absent_since IS NULL
      FROM feed_identity WHERE feed = ?1 AND absent_since IS NULL
      """, feed)
    let present = known.keys
    // What was held long ago is asked for only where an item is not among the latest.
    if !articles.allSatisfy({ known[$0.id] != nil }) {
      known = try itemRecords(
        """
        SELECT article, origin, version, words, guid_key, link_key, title_key, published, absent_since IS NULL
        FROM feed_identity WHERE feed = ?1
        """, feed)
    }
    let document = Recollection(of: articles, guidKeys: guidKeys, known: known)
    for record in document.records where known[record.identity] != record { try write(record, feed: feed) }
    let held = Set(document.records.map(\.identity))
    return (document, present.filter { !held.contains($0) })
  }

  private func itemRecords(_ query: SQL, _ feed: Int64) throws -> [String: ItemRecord] {
    var records: [String: ItemRecord] = [:]
    try scan(query, feed) { row in
      let record = try ItemRecord(row)
      records[record.identity] = record
      return true
    }
    return records
  }

  private func write(_ record: ItemRecord, feed: Int64) throws {
    try execute(
      """
      INSERT INTO feed_identity (feed, article, origin, version, words, guid_key, link_key, title_key, published)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      ON CONFLICT (feed, article) DO UPDATE SET
        absent_since = NULL, origin = excluded.origin, version = excluded.version, words = excluded.words,
        guid_key = excluded.guid_key, link_key = excluded.link_key, title_key = excluded.title_key,
        published = excluded.published
      """, feed, record.identity, record.article == record.identity ? nil : record.article, record.version,
      record.words, record.keys.guid, record.keys.link, record.keys.title, record.keys.published)
  }
}

extension ItemRecord {
  fileprivate init(_ row: borrowing Row) throws {
    let identity: String = try row[0]
    let origin: String? = try row[1]
    self.init(
      identity: identity, article: origin ?? identity, version: try row[2], words: try row[3],
      keys: ItemKeys(guid: try row[4], link: try row[5], title: try row[6], published: try row[7]),
      isPresent: try row[8])
  }
}
