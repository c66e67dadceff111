internal import News
internal import Time

/// By what an item is known again when its publisher has given it another guid. Hashes of 64 bits, each nil where the
/// item lacks what it is made of.
public struct ItemKeys: Sendable, Hashable {
  /// The guid, where it is an address: without scheme, case of the host, tracking parameters.
  public var guid: Int64?
  /// The link, in the same form.
  public var link: Int64?
  /// The title.
  public var title: Int64?
  /// When it was published, in milliseconds since 1970.
  public var published: Int64?

  /// Keys as a store read them.
  public init(guid: Int64?, link: Int64?, title: Int64?, published: Int64?) {
    self.guid = guid
    self.link = link
    self.title = title
    self.published = published
  }

  /// The keys of an article; its guid's is its document's to know.
  init(_ article: Article, guid: Int64?) {
    self.init(
      guid: guid, link: Self.key(ofAddress: article.url), title: Self.hash(article.text.headline),
      published: article.published?.millisecondsSince1970)
  }

  /// The key of an address; nil if it is none, or a bare host, which many items may name.
  static func key(ofAddress address: String?) -> Int64? { CanonicalLink(address).map { hash($0.key) } }

  /// FNV-1a: the same in every run, for stores.
  private static func hash(_ text: String) -> Int64 {
    Int64(bitPattern: text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
  }

  /// Whether items with these keys are one, whatever the rest of their documents: the rungs of the ladder below the
  /// guid itself. A link and a title are not enough where both items are dated and the dates differ: a page of one
  /// address may tell of many faults.
  func agree(with other: ItemKeys) -> Bool {
    if let guid, guid == other.guid { return true }
    guard title == other.title, title != nil else { return false }
    if let published, let theirs = other.published { return published == theirs }
    return link != nil && link == other.link
  }
}

extension FeedDocument {
  /// The keys of guids that are addresses, by the identities of their items.
  func guidKeys(feed address: String, itemsMax: Int) -> [String: Int64] {
    var keys: [String: Int64] = [:]
    // A guid that several items of the document share tells none of them apart.
    for item in items.prefix(itemsMax) where !item.sharesGuid {
      if let key = ItemKeys.key(ofAddress: item.guid) { keys[item.identity(feed: address)] = key }
    }
    return keys
  }
}
