public import News
public import Time

/// Says whether an article deserves a push now. Pure: time is an argument.
public struct PushPolicy: Sendable, Hashable {
  /// An article older than this when it was first seen is no news.
  public var maxAge: Duration
  /// A publication date this far ahead is a clock that is set wrong, no plan.
  public static let clockSkewMax = Duration.seconds(5 * 60)

  /// How long what was told is known: nobody can say of what came before whether readers have heard of it. A day less
  /// than the ledger keeps, because clocks differ.
  public static let memory = LedgerUpkeep.retentionDefault - .seconds(24 * 3600)

  /// What becomes of an editor's later version of what was told.
  public var corrections: Corrections

  /// What becomes of an editor's later version of what was told.
  public enum Corrections: String, Sendable, Hashable, CaseIterable {
    /// It is noted and not sent: where a device's template does not replace the first alert, it would ring again.
    case ignore
    /// It is sent.
    case send
  }

  /// What becomes of an article of which nobody can say what it is about.
  public var undecided: Undecided

  /// What becomes of an article of which nobody can say what it is about.
  public enum Undecided: String, Sendable, Hashable, CaseIterable {
    /// It is not told.
    case drop
    /// It waits until a later version says.
    case hold
  }

  /// A policy that tells nothing older than `maxAge`.
  public init(maxAge: Duration, corrections: Corrections = .ignore, undecided: Undecided = .drop) {
    self.maxAge = maxAge
    self.corrections = corrections
    self.undecided = undecided
  }

  /// What is to be done with an article.
  public enum Verdict: Sendable, Hashable {
    /// Tell it now.
    case push
    /// Not yet: judge it again at that time, or with its next version where there is no time.
    case hold(until: Timestamp?, reason: String)
    /// Never.
    case drop(reason: String)
    /// Not any more: what has not left stays.
    case withdraw(reason: String)
  }

  /// Judges an article that was first seen at a time and is about something.
  public func judge(
    _ article: Article, classification: Classification, firstSeen: Timestamp, now: Timestamp
  ) -> Verdict {
    switch article.status {
    case .canceled: return .withdraw(reason: "canceled by its editor")
    case .withheld: return .hold(until: nil, reason: "withheld by its editor until a later version")
    case .usable: break
    }
    if let expires = article.expires, expires <= now {
      return .drop(reason: "expired at \(expires)")
    }
    let came = max(firstSeen, article.embargoed ?? firstSeen, article.published ?? firstSeen)
    if came.distance(to: now) > Self.memory {
      return .drop(reason: "it came at \(firstSeen): whether it was told is remembered for \(Self.memory.inWords)")
    }
    if let embargoed = article.embargoed, embargoed > now {
      return .hold(until: embargoed, reason: "embargoed until \(embargoed)")
    }
    if let published = article.published {
      if published > now + Self.clockSkewMax {
        return .hold(until: published, reason: "dated ahead, to \(published)")
      }
      // An embargo's end is when such an article becomes news, whatever date it carries.
      let became = max(published, article.embargoed ?? published)
      if became.distance(to: firstSeen) > maxAge {
        return .drop(reason: "published at \(published), more than \(maxAge.inWords) before it was first seen")
      }
    }
    guard !classification.abstained else {
      let reason = "nobody can say what it is about"
      return undecided == .hold ? .hold(until: nil, reason: reason) : .drop(reason: reason)
    }
    return .push
  }
}
