internal import Curl
internal import News
public import Time

/// One look at a feed, as the poller takes it: fetch, parse, decide. Writes nothing.
public struct FeedCheck: Sendable {
  private let fetcher: FeedFetcher
  private let rhythm: CheckRhythm
  private let itemsMax: Int
  private let newItemsMax: Int

  /// - Parameters:
  ///   - itemsMax: items read of one document; an archive in a feed is no news.
  ///   - newItemsMax: new items told after one poll.
  public init(fetcher: FeedFetcher, rhythm: CheckRhythm, itemsMax: Int = 1000, newItemsMax: Int = 50) {
    self.fetcher = fetcher
    self.rhythm = rhythm
    self.itemsMax = itemsMax
    self.newItemsMax = newItemsMax
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
      feed.url(now: state), validators: state?.validators ?? FeedValidators(), headers: feed.headers, origin: feed.url)
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
  ///   - isPushed: whether a hub brings what is new, so that polls only look after it.
  ///   - now: the `firstSeen` of what is new.
  ///   - generator: dice for the jitter of the next check.
  public func poll(
    from look: Look, state: FeedState?, isPushed: Bool = false, now: Timestamp,
    using generator: inout some RandomNumberGenerator
  ) -> Poll {
    let followed = look.feed.subscription
    var next = state ?? FeedState(url: followed.url, nextCheck: now, nextCheckReason: "new")
    let isBaseline = next.lastSuccess == nil
    next.lastAttempt = now
    if let problem = look.problem {
      next.take(problem)
      var cause: FetchError?
      if case .fetch(let error) = problem { cause = error }
      next.schedule(
        rhythm.afterFailure(cause, own: followed.interval, failures: next.failures, now: now, using: &generator))
      if let reason = next.disabledReason { next.nextCheckReason = "never: \(reason)" }
    } else {
      let freshness = next.take(look, now: now)
      next.schedule(
        rhythm.afterSuccess(
          own: followed.interval, hints: freshness.map { [$0] } ?? [], wishes: next.wishes, isPushed: isPushed,
          now: now, using: &generator)
      )
    }
    var poll = Poll(
      state: next, articles: look.document?.articles(for: followed, itemsMax: itemsMax) ?? [],
      subscribed: followed.category, time: now, isBaseline: isBaseline, newItemsMax: newItemsMax)
    poll.guidKeys = look.document?.guidKeys(feed: followed.url, itemsMax: itemsMax) ?? [:]
    return poll
  }
}

extension FollowedFeed {
  /// Where it is fetched: at its address, or where its publisher has moved it for good.
  func url(now state: FeedState?) -> WebURL {
    // A login stays where scheme, host and port do.
    state?.address.flatMap { try? url.redirected(to: $0) } ?? url
  }
}

extension FeedState {
  /// A poll that went well. Returns how long its answer stays good.
  fileprivate mutating func take(_ look: FeedCheck.Look, now: Timestamp) -> PublisherHint? {
    failures = 0
    goneCount = 0
    lastError = nil
    lastSuccess = now
    if let document = look.document {
      title = document.title
      wishes = document.wishes
    }
    take(move: look.fetch.movedTo?.text)
    switch try? look.fetch.result.get() {
    case .unchanged(let seen, let freshFor):
      validators = seen
      return freshFor
    case .document(let document, let freshFor):
      validators = document.validators
      return freshFor
    case nil: return nil
    }
  }

  /// A permanent redirect is believed when the next poll finds it again: some are a mistake of an afternoon, or of a
  /// hotel's network.
  private mutating func take(move target: String?) {
    guard let target, target == movingTo else {
      movingTo = target
      return
    }
    address = target == url ? nil : target
    movingTo = nil
  }

  /// A poll that failed.
  fileprivate mutating func take(_ problem: FeedCheck.Problem) {
    failures += 1
    lastError = problem.description
    // Only an unbroken run confirms a move.
    movingTo = nil
    goneCount = problem == .fetch(.gone) ? goneCount + 1 : 0
    if goneCount >= Self.goneMax {
      disabledReason = "the publisher has said twice that the feed is gone (410)"
    } else if address != nil, failures >= Self.movedFailuresMax {
      // The next try is at the subscribed address, which may know a newer one.
      address = nil
      validators = FeedValidators()
    }
  }

  /// A server may say 410 by mistake once.
  private static let goneMax = 2
  /// Failures in a row at the address that a feed was moved to, before the subscribed one is asked again.
  private static let movedFailuresMax = 3
}

extension FeedState {
  /// The state of a feed that is to be asked again although its publisher has given it up.
  public func enabled(now: Timestamp) -> FeedState {
    var state = self
    state.disabledReason = nil
    state.goneCount = 0
    state.failures = 0
    state.schedule(NextCheck(time: now, reason: "taken up again"))
    return state
  }

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
