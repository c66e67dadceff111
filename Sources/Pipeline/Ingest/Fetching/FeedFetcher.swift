public import Curl
internal import OpenSSL
public import Telemetry
public import Time

/// Gets a feed's document over HTTP: conditionally, hop by hop, within bounds. Never looks into it.
public struct FeedFetcher: Sendable {
  /// How every fetch is made.
  public struct Options: Sendable {
    /// Who asks, with an address to complain to: publishers block nameless readers.
    public var userAgent: String
    /// The time a fetch may take, each hop anew.
    public var timeouts: HTTPTimeouts
    /// How much a document may hold, as sent and unpacked.
    public var limits: HTTPLimits
    /// Redirects followed, as RFC 2068 suggested; longer chains are loops.
    public var redirectsMax: Int

    /// The usual bounds.
    public init(
      userAgent: String, timeouts: HTTPTimeouts = HTTPTimeouts(), limits: HTTPLimits = HTTPLimits(),
      redirectsMax: Int = 5
    ) {
      self.userAgent = userAgent
      self.timeouts = timeouts
      self.limits = limits
      self.redirectsMax = redirectsMax
    }
  }

  private let client: HTTPClient
  private let options: Options
  private let clock: any WallClock

  /// A fetcher that asks through `client`, whose address guard judges every hop.
  public init(client: HTTPClient, options: Options, clock: any WallClock) {
    self.client = client
    self.options = options
    self.clock = clock
  }

  /// Fetches the document at `url`, unless it is the one that `validators` describe.
  ///
  /// What goes wrong on the way is part of the result, with the hops made until then.
  ///
  /// - Parameters:
  ///   - headers: the operator's own for this feed.
  ///   - origin: the address that the operator gave: `headers` go nowhere else; nil for `url`.
  public func fetch(
    _ url: WebURL, validators: FeedValidators = FeedValidators(), headers: [FeedHeader] = [], origin: WebURL? = nil
  ) async throws(CancellationError) -> Fetch {
    let origin = origin ?? url
    var fetch = Fetch(requested: url)
    var target = url
    while true {
      let response: HTTPResponse
      do {
        response = try await client.send(request(target, origin: origin, validators, headers))
      } catch .cancelled {
        throw CancellationError()
      } catch {
        fetch.hops.append(Fetch.Hop(url: target, status: nil))
        fetch.result = .failure(.unreachable(error))
        return fetch
      }
      fetch.hops.append(Fetch.Hop(url: target, status: response.status))
      fetch.fetchTime += response.timings.total
      fetch.bytesReceived += response.bodyBytesReceived
      guard Self.redirects.contains(response.status), let location = response.headers["Location"] else {
        fetch.linkFields = response.headers.list("Link")
        fetch.result = judge(response, validators)
        return fetch
      }
      guard fetch.hops.count <= options.redirectsMax else {
        fetch.result = .failure(.tooManyRedirects(options.redirectsMax))
        return fetch
      }
      do {
        target = try target.redirected(to: location)
      } catch {
        fetch.result = .failure(.badRedirect(reason: error.description))
        return fetch
      }
    }
  }

  private static let redirects: Set<Int> = [301, 302, 303, 307, 308]

  private func request(
    _ url: WebURL, origin: WebURL, _ validators: FeedValidators, _ own: [FeedHeader]
  ) -> HTTPRequest {
    var headers = HTTPHeaders()
    headers.append("User-Agent", options.userAgent)
    headers.append("Accept", Self.accept)
    if let tag = validators.entityTag { headers.append("If-None-Match", exact: tag) }
    if let date = validators.lastModified { headers.append("If-Modified-Since", exact: date) }
    if url.origin == origin.origin {
      for header in own {
        headers.remove(header.name)
        headers.append(header.name, header.value.reveal())
      }
    }
    return HTTPRequest("GET", url, headers: headers, timeouts: options.timeouts, limits: options.limits)
  }

  /// Feeds first; some servers answer 406 to a reader that takes nothing else.
  private static let accept =
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, "
    + "application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.5"

  private func judge(_ response: HTTPResponse, _ validators: FeedValidators) -> Result<Fetch.Outcome, FetchError> {
    let headers = response.headers
    let freshness = CacheFreshness.lifetime(headers)
    switch response.status {
    case 304:
      // Without validators nobody asked whether anything changed.
      guard validators.canBeAsked else { return .failure(.refused(status: 304)) }
      return .success(.unchanged(validators.updated(by: headers), freshFor: freshness))
    case 200..<300:
      guard !response.body.isEmpty else { return .failure(.empty) }
      var seen = FeedValidators(entityTag: headers.exact("ETag"), lastModified: headers.exact("Last-Modified"))
      seen.contentHash = hexadecimal(SHA256.digest(of: response.body))
      if seen.contentHash == validators.contentHash { return .success(.unchanged(seen, freshFor: freshness)) }
      let document = FetchedDocument(bytes: response.body, contentType: headers["Content-Type"], validators: seen)
      return .success(.document(document, freshFor: freshness))
    case 410: return .failure(.gone)
    case 429, 503:
      let wait = headers["Retry-After"].flatMap { RetryAfter.wait($0, answeredAt: headers["Date"], now: clock.now) }
      return .failure(.throttled(status: response.status, retryAfter: wait))
    case let status: return .failure(.refused(status: status))
    }
  }
}

/// A header that the operator wants sent to a feed, such as `Authorization`.
public struct FeedHeader: Sendable, Hashable {
  /// As sent.
  public var name: String
  /// Never shown.
  public var value: Secret

  /// A header.
  public init(name: String, value: Secret) {
    self.name = name
    self.value = value
  }
}
