import Curl
import Time

/// What has been read of the feed itself.
struct FeedDraft {
  var title = Ranked<String>()
  var link = Ranked<LinkDraft>()
  var summary = Ranked<FeedContent>()
  var published = Ranked<Timestamp>()
  var updated = Ranked<Timestamp>()
  var image = Ranked<LinkDraft>()
  var language: String?
  var selfLink: LinkDraft?
  var hubLinks: [LinkDraft] = []
  var authors = AuthorsDraft()
  var refresh = FeedDocument.RefreshHints()
}

/// What has been read of an item.
struct ItemDraft {
  var guid = Ranked<GuidDraft>()
  /// `rdf:about` of an item in RDF.
  var about: String?
  var title = Ranked<String>()
  var link = Ranked<LinkDraft>()
  var summary = Ranked<FeedContent>()
  var content = Ranked<FeedContent>()
  var published = Ranked<Timestamp>()
  var updated = Ranked<Timestamp>()
  var embargoed: Timestamp?
  var expires: Timestamp?
  var authors = AuthorsDraft()
  var categories: [FeedItem.CategoryTerm] = []
  var language: String?
  var image = Ranked<LinkDraft>()
  var enclosures: [(link: LinkDraft, type: String?, length: Int?)] = []
  /// The `xml:base` that the item stands under.
  var base: String?
}

/// An identity as written, with the `xml:base` that it stood under.
struct GuidDraft {
  var text: String
  var isPermaLink: Bool
  var base: String?
}

/// A link as written, with the `xml:base` that it stood under.
struct LinkDraft {
  var reference: String
  var base: String?

  /// Longer links, which no server takes, and longer bases, which would be copied for each link, are none.
  static let bytesMax = 8192

  /// The reference, unless it is too long to be one.
  static func bounded(_ reference: String) -> String? { reference.utf8.count <= bytesMax ? reference : nil }

  /// The base that an `xml:base` under another one gives; as written where there is nothing to complete it.
  static func base(_ reference: String, under outer: String?) -> String? {
    bounded(reference).flatMap { bounded(URLReference.resolve($0, against: outer) ?? $0) }
  }
}

/// Authors of the best rank: the format's own outrank a module's.
struct AuthorsDraft {
  private(set) var people: [FeedItem.Person] = []
  private var rank = Rank.last

  mutating func offer(_ person: FeedItem.Person, _ newRank: Rank) {
    guard person.display != nil else { return }
    if people.isEmpty || newRank < rank {
      people = [person]
      rank = newRank
    } else if newRank == rank, !people.contains(person), people.count < Self.peopleMax {
      people.append(person)
    }
  }

  /// Papers of physics have thousands; nobody reads them on a phone.
  private static let peopleMax = 100
}
