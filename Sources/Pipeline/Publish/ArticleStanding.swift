/// How far an article's versions have come: what orders corrections and stops what is withdrawn.
public struct ArticleStanding: Sendable, Hashable {
  /// The highest version that anything was decided about.
  public var latest: Int64?
  /// The article is withdrawn in all versions up to this one.
  public var withdrawnThrough: Int64?

  /// How far an article's versions have come.
  public init(latest: Int64?, withdrawnThrough: Int64?) {
    self.latest = latest
    self.withdrawnThrough = withdrawnThrough
  }

  /// Why a version has no effect; nil where it may have one.
  public func refusal(of version: Int64) -> ArticleRefusal? {
    if let withdrawnThrough, version <= withdrawnThrough { return .withdrawn(through: withdrawnThrough) }
    if let latest, version < latest { return .outdated(by: latest) }
    return nil
  }
}

/// Why a version of an article has no effect.
public enum ArticleRefusal: Sendable, Hashable, CustomStringConvertible {
  /// A higher version was there before.
  case outdated(by: Int64)
  /// Its editor has withdrawn it.
  case withdrawn(through: Int64)

  /// The reason, in words.
  public var description: String {
    switch self {
    case .outdated(let latest): "version \(latest) is known already"
    case .withdrawn(let version): "withdrawn by its editor through version \(version)"
    }
  }
}

/// The wish that an article is told no more.
public struct Withdrawal: Sendable {
  /// The version that says so and all before it; nil for all versions seen so far.
  public var version: Int64?
  /// What is noted; its version, story and notification are the ledger's to fill in.
  public var decision: Decision

  /// The wish that an article is told no more.
  public init(version: Int64?, decision: Decision) {
    self.version = version
    self.decision = decision
  }
}

/// What a withdrawal was answered.
public enum WithdrawalAnswer: Sendable, Hashable {
  /// What was held is let go and nothing of it will be claimed. `alert` is what had been told, or may have been.
  case withdrawn(Decision, alert: Publication?)
  /// It has no effect.
  case refused(ArticleRefusal)
}
