import OpenSSL
import Time

extension FeedItem {
  /// The `Article.id` that this item has in the feed at that address: derived once, when the item is first seen.
  ///
  /// A digest of the feed's address and the first of these that is the item's alone in its document: its guid, its link,
  /// its title (else its summary) and date.
  public func identity(feed address: String) -> String {
    let digest = SHA256.digest(of: Array((address + "\n" + ownIdentity).utf8))
    return "feed:" + Base64.url.encode(Array(digest.prefix(Self.digestBytes)))
  }

  /// 128 bits: no two items of one installation ever share them by chance.
  private static let digestBytes = 16

  private var ownIdentity: String {
    if let guid, !sharesGuid { return guid }
    if let link, !sharesLink { return link }
    return (headline ?? "") + "\n" + (published ?? updated).map(\.rfc3339).orEmpty
  }
}

extension String? {
  fileprivate var orEmpty: String { self ?? "" }
}
