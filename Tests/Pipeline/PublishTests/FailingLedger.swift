import Publish
import Synchronization
import Time

/// A ledger whose settlements fail a few times before it keeps them.
final class FailingLedger: PublicationLedger {
  private struct Failure: Error {}

  private let ledger: any PublicationLedger
  private let left: Mutex<Int>

  init(_ ledger: any PublicationLedger, failures: Int) {
    self.ledger = ledger
    left = Mutex(failures)
  }

  /// How often it is going to fail still.
  var failures: Int { left.withLock { $0 } }

  private func fail() throws {
    let isFailing = left.withLock { left in
      defer { left = max(0, left - 1) }
      return left > 0
    }
    if isFailing { throw Failure() }
  }

  func settle(_ publication: Publication, as outcome: PublicationOutcome, decision: Decision) async throws {
    try fail()
    try await ledger.settle(publication, as: outcome, decision: decision)
  }

  func settle(for outlet: String, of publication: Publication, as outcome: PublicationOutcome) async throws {
    try fail()
    try await ledger.settle(for: outlet, of: publication, as: outcome)
  }

  func claim(_ claim: Claim) async throws -> ClaimAnswer { try await ledger.claim(claim) }
  func parts(of publication: Publication) async throws -> [PublicationPart] {
    try await ledger.parts(of: publication)
  }
  func depart(for outlet: String, of publication: Publication, after departures: Int) async throws -> Departure {
    try await ledger.depart(for: outlet, of: publication, after: departures)
  }
  func postpone(for outlet: String, of publication: Publication) async throws {
    try await ledger.postpone(for: outlet, of: publication)
  }
  func record(_ decision: Decision) async throws { try await ledger.record(decision) }
  func hold(_ held: HeldArticle, decision: Decision) async throws { try await ledger.hold(held, decision: decision) }
  func heldArticles(due now: Timestamp, limit: Int) async throws -> [HeldArticle] {
    try await ledger.heldArticles(due: now, limit: limit)
  }
  func nextRelease() async throws -> Timestamp? { try await ledger.nextRelease() }
  func release(_ held: HeldArticle) async throws { try await ledger.release(held) }
  func standing(of articleID: String) async throws -> ArticleStanding { try await ledger.standing(of: articleID) }
  func withdraw(_ withdrawal: Withdrawal) async throws -> WithdrawalAnswer { try await ledger.withdraw(withdrawal) }
  func wasTold(articleID: String, digest: Int64) async throws -> Bool {
    try await ledger.wasTold(articleID: articleID, digest: digest)
  }
  func decision(articleID: String) async throws -> Decision? { try await ledger.decision(articleID: articleID) }
  func forget(before: Timestamp, limit: Int) async throws -> Int {
    try await ledger.forget(before: before, limit: limit)
  }
}
