public import News

/// What a document is to a feed that has held others before: which of its items are new, which are known, under which
/// name, and which have changed. Pure; a store calls it inside the transaction that stores the document.
///
/// An item is known by its identity, else by an alias (see `ItemKeys`), else, where the publisher has renamed
/// everything, by its link or its title alone. A feed that replaces all its items with the next day's of the same
/// titles has renamed nothing: those are newer than anything it held.
public struct Recollection: Sendable {
  /// What is to be remembered of each item of the document, in its order.
  public private(set) var records: [ItemRecord] = []
  /// Articles that the feed has never held, in the document's order.
  public private(set) var new: [Article] = []
  /// Later versions of articles that it has held, under their first ids.
  public private(set) var updated: [Article] = []
  /// How many items it has held under other names only.
  public private(set) var renamed = 0

  /// Reads a document's articles against what is known: by identity, all of the feed's records.
  public init(of articles: [Article], guidKeys: [String: Int64], known: [String: ItemRecord]) {
    var seen: Set<String> = []
    let items = articles.filter { seen.insert($0.id).inserted }
      .map { Item(article: $0, keys: ItemKeys($0, guid: guidKeys[$0.id])) }
    let aliases = Aliases(of: items.filter { known[$0.article.id] == nil }, among: known, held: seen)
    for item in items {
      let earlier = known[item.article.id] ?? aliases.record(of: item)
      if earlier != nil, known[item.article.id] == nil { renamed += 1 }
      let words = item.article.wordsDigest
      var record = ItemRecord(
        identity: item.article.id, article: earlier?.article ?? item.article.id, version: earlier?.version ?? 1,
        words: words, keys: item.keys, isPresent: true)
      if let earlier, let before = earlier.words, before != words { record.version += 1 }
      records.append(record)
      guard let earlier else {
        new.append(item.article)
        continue
      }
      guard record.version > earlier.version else { continue }
      var article = item.article
      article.id = record.article
      article.version = record.version
      updated.append(article)
    }
  }

  fileprivate struct Item {
    let article: Article
    let keys: ItemKeys
  }
}

/// Items that a feed has held under other names.
private struct Aliases {
  private var byIdentity: [String: ItemRecord] = [:]

  func record(of item: Recollection.Item) -> ItemRecord? { byIdentity[item.article.id] }

  /// - Parameters:
  ///   - items: those whose identity is not known.
  ///   - held: the identities of all items of the document: who is there under its own name is nobody else.
  init(of items: [Recollection.Item], among known: [String: ItemRecord], held: Set<String>) {
    guard !items.isEmpty else { return }
    // What the latest document held comes first, then in a fixed order, so that two processes decide alike.
    var free = known.values.filter { !held.contains($0.identity) }
      .sorted { ($0.isPresent ? 0 : 1, $0.identity) < ($1.isPresent ? 0 : 1, $1.identity) }
    guard !free.isEmpty else { return }
    for item in items {
      guard let place = free.firstIndex(where: { item.keys.agree(with: $0.keys) }) else { continue }
      byIdentity[item.article.id] = free.remove(at: place)
    }
    guard items.count == held.count, items.count >= Self.renamedMin else { return }
    // No item is called what it was. By one key alone an item is known where no other has the same.
    let rest = items.filter { byIdentity[$0.article.id] == nil }
    let newest = free.filter(\.isPresent).compactMap(\.keys.published).max()
    var matches = Self.matches(of: rest, among: free, by: \.link) { !$0.isNewer(than: newest) }
    let left = rest.filter { matches[$0.article.id] == nil }
    let taken = Set(matches.values.map(\.identity))
    let open = free.filter { !taken.contains($0.identity) }
    let byTitle = Self.matches(of: left, among: open, by: \.title) {
      $0.hasTellingTitle || $0.keys.published != nil && !$0.isNewer(than: newest)
    }
    // So many titles of some length do not come again by chance, whatever their dates say now.
    let hasMoved = byTitle.count >= Self.movedMin && byTitle.count * 5 >= left.count * 4
    matches.merge(
      byTitle.filter { id, _ in hasMoved || left.contains { $0.article.id == id && !$0.isNewer(than: newest) } }
    ) { first, _ in first }
    guard (byIdentity.count + matches.count) * 2 >= items.count else { return }
    byIdentity.merge(matches) { first, _ in first }
  }

  private static func matches(
    of items: [Recollection.Item], among free: [ItemRecord], by key: KeyPath<ItemKeys, Int64?>,
    where isPossible: (Recollection.Item) -> Bool
  ) -> [String: ItemRecord] {
    let records = unique(free.filter(\.isPresent)) { $0.keys[keyPath: key] }
    var matches: [String: ItemRecord] = [:]
    for (value, item) in unique(items, by: { $0.keys[keyPath: key] }) where isPossible(item) {
      matches[item.article.id] = records[value]
    }
    return matches
  }

  /// Of fewer items nobody can say that everything was renamed.
  private static let renamedMin = 3
  /// Of fewer items nobody can say that everything was moved, with other dates.
  private static let movedMin = 5

  private static func unique<Value>(_ values: [Value], by key: (Value) -> Int64?) -> [Int64: Value] {
    var found: [Int64: Value?] = [:]
    for value in values { if let key = key(value) { found[key] = found[key] == nil ? .some(value) : .some(nil) } }
    return found.compactMapValues(\.self)
  }
}

extension Recollection.Item {
  /// Whether it is dated after everything that the feed held.
  fileprivate func isNewer(than newest: Int64?) -> Bool {
    guard let published = keys.published, let newest else { return false }
    return published > newest
  }

  /// Whether the title says what happened: not "Morning briefing", but a sentence of some words, or of some characters
  /// where words are not parted by spaces.
  fileprivate var hasTellingTitle: Bool {
    let headline = article.text.headline
    return headline.split(whereSeparator: \.isWhitespace).count >= 5
      || headline.unicodeScalars.count { $0.properties.isIdeographic } >= 10
  }
}

extension Article {
  /// Tells the words apart that readers see.
  fileprivate var wordsDigest: Int64 {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    // 0xFF is no UTF-8: it parts the two.
    for bytes in [Array(text.headline.utf8), [0xFF], Array((text.summary ?? "").utf8)] {
      for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return Int64(bitPattern: digest)
  }
}
