public import Curl

/// What came of fetching a feed's document, and the way there.
public struct Fetch: Sendable {
  /// One request of a fetch: the first, or one that a redirect led to.
  public struct Hop: Sendable, Hashable {
    /// Where it went.
    public var url: WebURL
    /// What was answered; nil if nothing was.
    public var status: Int?
  }

  /// What a server that answered properly has said.
  public enum Outcome: Sendable {
    /// The document is the one known already. The validators to ask with next time come along.
    case unchanged(FeedValidators, freshFor: PublisherHint?)
    /// A document. `freshFor` is how long caches may keep it (RFC 9111), where the server said so.
    case document(FetchedDocument, freshFor: PublisherHint?)
  }

  /// Where the fetch began.
  public let requested: WebURL
  /// All requests, in order; redirects are all but the last.
  public internal(set) var hops: [Hop] = []
  /// What came of it.
  public internal(set) var result: Result<Outcome, FetchError> = .failure(.empty)
  /// The time that all requests took together.
  public internal(set) var fetchTime = Duration.zero
  /// Bytes of all bodies as they came over the wire.
  public internal(set) var bytesReceived = 0

  /// The header fields `Link` of the last answer (RFC 8288).
  public internal(set) var linkFields: String?

  init(requested: WebURL) { self.requested = requested }

  /// The last answer's status; nil if there was none.
  public var status: Int? { hops.last?.status }

  /// Where the document was found: the base of its relative links.
  public var finalURL: WebURL { hops.last?.url ?? requested }

  /// Where the publisher says that the feed has moved for good (301, 308): the end of the unbroken run of permanent
  /// redirects, if what it leads to was answered well. A temporary hop ends the run.
  public var movedTo: WebURL? {
    guard case .success = result else { return nil }
    let run = hops.prefix { $0.status == 301 || $0.status == 308 }
    guard !run.isEmpty, run.count < hops.count else { return nil }
    return hops[run.count].url
  }
}

/// What tells a server which document is known already. Texts hold bytes as the characters of their numbers (ISO 8859-1),
/// so that they go back as they came.
public struct FeedValidators: Sendable, Hashable {
  /// `ETag`, weak mark and quotes included.
  public var entityTag: String?
  /// `Last-Modified`, whatever its form.
  public var lastModified: String?
  /// SHA-256 of the body in lower-case hex: for servers that know no validators, or whose lie.
  public var contentHash: String?

  /// Validators, as far as there are any.
  public init(entityTag: String? = nil, lastModified: String? = nil, contentHash: String? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.contentHash = contentHash
  }

  /// Whether a request with them may be answered by 304.
  var canBeAsked: Bool { entityTag != nil || lastModified != nil }

  /// A 304 may bring newer validators for the same document (RFC 9111, section 4.3.4).
  func updated(by headers: HTTPHeaders) -> FeedValidators {
    var updated = self
    if let tag = headers.exact("ETag") { updated.entityTag = tag }
    if let date = headers.exact("Last-Modified") { updated.lastModified = date }
    return updated
  }
}

/// A document as it was fetched.
public struct FetchedDocument: Sendable {
  /// The body, unpacked.
  public var bytes: [UInt8]
  /// The media type, with its charset, as the server named it.
  public var contentType: String?
  /// What to ask with next time.
  public var validators: FeedValidators
}
