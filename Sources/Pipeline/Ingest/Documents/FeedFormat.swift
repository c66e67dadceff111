/// The formats that feeds come in.
public enum FeedFormat: String, Sendable, Hashable, CaseIterable {
  /// RSS 0.90, in RDF.
  case rss090
  /// RSS 0.91, Netscape's or Userland's.
  case rss091
  /// RSS 0.92, with 0.93 and 0.94, which hardly differ.
  case rss092
  /// RSS 1.0, in RDF.
  case rss10
  /// RSS 1.1, in RDF.
  case rss11
  /// RSS 2.0, and RSS that does not say which.
  case rss20
  /// Atom 0.3 and earlier drafts.
  case atom03
  /// Atom 1.0 (RFC 4287).
  case atom10
  /// The Channel Definition Format.
  case cdf
  /// JSON Feed 1.0.
  case jsonFeed10
  /// JSON Feed 1.1.
  case jsonFeed11

  /// The name as people write it.
  public var name: String {
    switch self {
    case .rss090: "RSS 0.90"
    case .rss091: "RSS 0.91"
    case .rss092: "RSS 0.92"
    case .rss10: "RSS 1.0"
    case .rss11: "RSS 1.1"
    case .rss20: "RSS 2.0"
    case .atom03: "Atom 0.3"
    case .atom10: "Atom 1.0"
    case .cdf: "CDF"
    case .jsonFeed10: "JSON Feed 1.0"
    case .jsonFeed11: "JSON Feed 1.1"
    }
  }
}
