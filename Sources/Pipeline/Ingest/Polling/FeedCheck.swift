internal import Curl
internal import News
public import Time

/// One look at a feed, as the poller takes it: fetch, parse, decide. Writes nothing.
public struct FeedCheck: Sendable {
  private let fetcher: FeedFetcher
  private let rhythm: CheckRhythm
  private let itemsMax: Int

  /// - Parameter itemsMax: items read of one document; an archive in a feed is no news.
  public init(fetcher: FeedFetcher, rhythm: CheckRhythm, itemsMax: Int = 1000) {
    self.fetcher = fetcher
    self.rhythm = rhythm
    self.itemsMax = itemsMax
  }

  /// What a look has found.
  public struct Look: Sendable {
    /// Whose.
    public let feed: FollowedFeed
    /// The way to the document.
    public let fetch: Fetch
    /// The feed; nil if it is unchanged or could not be had.
    public internal(set) var document: FeedDocument?
    /// Why there is nothing new to know; nil if the feed was read or is unchanged.
    public internal(set) var problem: Problem?
  }

  /// Why a feed could not be read.
  public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no document.
    case fetch(FetchError)
    /// The document is no feed, or broken.
    case document(FeedDocumentError)

    /// What is wrong, and what would help.
    public var description: String {
      switch self {
      case .fetch(let error): error.description
      case .document(let error): error.description
      }
    }
  }

  /// Fetches and parses the feed, unless it is the one that `state` knows.
  public func look(at feed: FollowedFeed, state: FeedState?) async throws(CancellationError) -> Look {
    let fetch = try await fetcher.fetch(
      feed.url, validators: state?.validators ?? FeedValidators(), headers: feed.headers)
    var look = Look(feed: feed, fetch: fetch)
    switch fetch.result {
    case .failure(let error): look.problem = .fetch(error)
    case .success(.unchanged): break
    case .success(.document(let document, _)):
      do {
        look.document = try FeedDocument.parse(
          document.bytes, contentType: document.contentType, baseURL: fetch.finalURL.text)
      } catch {
        look.problem = .document(error)
      }
    }
    return look
  }

  /// What is to be stored of a look: the feed's new state and its articles.
  ///
  /// - Parameters:
  ///   - state: what was known before; nil at the first look.
  ///   - now: the `firstSeen` of what is new.
  ///   - generator: dice for the jitter of the next check.
  public func poll(
    from look: Look, state: FeedState?, now: Timestamp, using generator: inout some RandomNumberGenerator
  ) -> Poll {
    let followed = look.feed.subscription
    var next = state ?? FeedState(url: followed.url, nextCheck: now, nextCheckReason: "new")
    let isBaseline = next.lastSuccess == nil
    next.lastAttempt = now
    var articles: [Article] = []
    if let problem = look.problem {
      next.failures += 1
      next.lastError = problem.description
      var cause: FetchError?
      if case .fetch(let error) = problem { cause = error }
      next.schedule(
        rhythm.afterFailure(cause, own: followed.interval, failures: next.failures, now: now, using: &generator))
    } else {
      next.failures = 0
      next.lastError = nil
      next.lastSuccess = now
      var hints = look.document?.hints ?? []
      switch try? look.fetch.result.get() {
      case .unchanged(let validators, let freshFor):
        next.validators = validators
        hints += freshFor.map { [PublisherHint(source: "Cache-Control", wait: $0)] } ?? []
      case .document(let document, let freshFor):
        next.validators = document.validators
        hints += freshFor.map { [PublisherHint(source: "Cache-Control", wait: $0)] } ?? []
      case nil: break
      }
      if let document = look.document {
        next.title = document.title
        articles = document.articles(for: followed, itemsMax: itemsMax)
      }
      next.schedule(rhythm.afterSuccess(own: followed.interval, hints: hints, now: now, using: &generator))
    }
    return Poll(state: next, articles: articles, subscribed: followed.category, time: now, isBaseline: isBaseline)
  }
}

extension FeedState {
  /// What to ask the server with.
  var validators: FeedValidators {
    get { FeedValidators(entityTag: entityTag, lastModified: lastModified, contentHash: contentHash) }
    set {
      entityTag = newValue.entityTag
      lastModified = newValue.lastModified
      contentHash = newValue.contentHash
    }
  }

  mutating func schedule(_ check: NextCheck) {
    nextCheck = check.time
    nextCheckReason = check.reason
  }
}
