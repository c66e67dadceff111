internal import Time

// Publishers give several items one guid ("1", the address of the site) or one link. What several items are called by
// tells none of them from the others, and each is to be told once.
extension FeedDocument {
  /// Notes which items have a guid, or for want of one a link, that others have too.
  ///
  /// An item that stands twice in a document stays one.
  mutating func noteSharedNames() {
    let format = format
    for place in shared(by: \.guid, unless: { $0.isRevision(of: $1, in: format) }) { items[place].sharesGuid = true }
    let links = shared(by: { $0.guid == nil || $0.sharesGuid ? $0.link : nil }, unless: { $0.tells(the: $1) })
    for place in links { items[place].sharesLink = true }
  }

  /// The places of items whose name belongs to different items.
  private func shared(by name: (FeedItem) -> String?, unless areSame: (FeedItem, FeedItem) -> Bool) -> [Int] {
    var first: [String: Int] = [:]
    var ambiguous: Set<String> = []
    for (place, item) in items.enumerated() {
      guard let name = name(item) else { continue }
      guard let earlier = first[name] else {
        first[name] = place
        continue
      }
      if !ambiguous.contains(name), !areSame(item, items[earlier]) { ambiguous.insert(name) }
    }
    guard !ambiguous.isEmpty else { return [] }
    return items.indices.filter { name(items[$0]).map(ambiguous.contains) == true }
  }
}

extension FeedItem {
  /// What it says first: the title, else the summary.
  var headline: String? { title ?? summary }

  /// Whether items of one guid are one item that stands twice in the document.
  fileprivate func isRevision(of other: FeedItem, in format: FeedFormat) -> Bool {
    // Atom has a feed keep an entry's revisions under one id (RFC 4287, 4.1.1).
    if format == .atom10, let link, link == other.link { return true }
    guard headline == other.headline else { return false }
    return link == other.link || (published ?? updated) == (other.published ?? other.updated)
  }

  /// Whether items of one link say the same, at the same time as far as they are dated.
  fileprivate func tells(the other: FeedItem) -> Bool {
    guard headline == other.headline else { return false }
    guard let date = published ?? updated, let theirs = other.published ?? other.updated else { return true }
    return date == theirs
  }
}
