public import Time

/// One item of a feed, as the document tells it: cleaned and made absolute, nothing invented. What it does not tell is
/// nil or empty.
public struct FeedItem: Sendable, Hashable {
  /// The identity that the publisher gave it (RSS `guid`, Atom `id`, RDF `rdf:about`), without blanks around it.
  public var guid: String?
  /// Whether the guid is also the item's address.
  public var guidIsPermaLink = false
  /// Whether another item of its document has the guid too, so that it identifies neither.
  public internal(set) var sharesGuid = false
  /// Whether its link, for want of a guid of its own, would identify another item of its document too.
  public internal(set) var sharesLink = false
  /// The headline as plain text.
  public var title: String?
  /// The page about the item, absolute.
  public var link: String?
  /// When it was published, in UTC; nil also if the feed's date cannot be read.
  public var published: Timestamp?
  /// When it was last changed, in UTC.
  public var updated: Timestamp?
  /// Not to be shown before (`dcterms:available`).
  public var embargoed: Timestamp?
  /// Not to be shown after (`dcterms:valid`, `prism:expirationDate`, RSS 0.93 `expirationDate`).
  public var expires: Timestamp?
  /// Who wrote it; an entry of Atom without authors has its source's or its feed's.
  public var authors: [Person] = []
  /// Its subjects, in document order, no term twice.
  public var categories: [CategoryTerm] = []
  /// The language it says it is in, as written (BCP 47 mostly); else its feed's.
  public var language: String?
  /// A picture, absolute.
  public var image: String?
  /// Files that belong to it.
  public var enclosures: [Enclosure] = []
  /// What the feed gives as its summary; in RSS often the whole article.
  public var summaryContent: FeedContent?
  /// The article; where the feed has but an HTML summary, that.
  public var content: FeedContent?

  /// An item of which nothing is known yet.
  public init() {}

  /// The summary as plain text. Reckoned anew at each call, for it may be a whole article.
  public var summary: String? {
    guard let text = summaryContent?.plainText(), !text.isEmpty else { return nil }
    return text
  }

  /// Somebody who wrote something.
  public struct Person: Sendable, Hashable {
    /// The name.
    public var name: String?
    /// The e-mail address.
    public var email: String?
    /// A page about the person.
    public var uri: String?

    /// The name, else the address.
    public var display: String? { name ?? email ?? uri }

    /// A person of whom some of this is known.
    public init(name: String? = nil, email: String? = nil, uri: String? = nil) {
      self.name = name
      self.email = email
      self.uri = uri
    }
  }

  /// A subject.
  public struct CategoryTerm: Sendable, Hashable {
    /// The word or code.
    public var term: String
    /// Whose word it is: a URI or a domain.
    public var scheme: String?
    /// The word for people, where `term` is a code.
    public var label: String?

    /// A term, with what is known of it.
    public init(term: String, scheme: String? = nil, label: String? = nil) {
      self.term = term
      self.scheme = scheme
      self.label = label
    }
  }

  /// A file that belongs to an item.
  public struct Enclosure: Sendable, Hashable {
    /// Its address, absolute.
    public var url: String
    /// Its media type.
    public var type: String?
    /// Its length in bytes.
    public var length: Int?

    /// A file, with what is known of it.
    public init(url: String, type: String? = nil, length: Int? = nil) {
      self.url = url
      self.type = type
      self.length = length
    }
  }
}
