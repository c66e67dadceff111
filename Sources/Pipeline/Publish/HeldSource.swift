public import News
public import Runtime
internal import Synchronization
public import Time

/// Gives held articles again when their time has come.
public final class HeldSource: ArticleSource {
  private let ledger: any PublicationLedger
  private let clock: any WallClock
  private let heldAnew: Wakeup
  /// Given and not yet released: these are not given twice, and not for ever forgotten if releasing them fails.
  private let given = Mutex<Set<String>>([])

  /// What another process holds is noticed after so long.
  private static let lookAgain = Duration.seconds(5)

  /// A source of what the ledger holds. `heldAnew` rings when this process holds something.
  public init(ledger: any PublicationLedger, heldAnew: Wakeup, clock: any WallClock) {
    self.ledger = ledger
    self.heldAnew = heldAnew
    self.clock = clock
  }

  /// Its name in log lines and decisions.
  public var name: String { "held" }

  /// Waits until held articles are due and returns them.
  public func next(limit: Int) async throws -> [Inbound]? {
    while true {
      let due = try await ledger.heldArticles(due: clock.now, limit: limit)
      let fresh = given.withLock { given in due.filter { given.insert($0.article.id).inserted } }
      guard fresh.isEmpty else { return fresh.map(inbound) }
      let soon = clock.now + Self.lookAgain
      // What is due but given already is being told: there is nothing to hurry for.
      let next = due.isEmpty ? try await ledger.nextRelease() : nil
      try await heldAnew.wait(until: min(next ?? soon, soon), clock: clock)
    }
  }

  private func inbound(_ held: HeldArticle) -> Inbound {
    Inbound(article: held.article, subscribed: held.subscribed, trust: held.trust, firstSeen: held.firstSeen) {
      defer { self.given.withLock { _ = $0.remove(held.article.id) } }
      try await self.ledger.release(held)
    }
  }
}
