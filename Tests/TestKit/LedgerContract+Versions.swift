import News
import Publish
import Push
import Testing
import Time

extension LedgerContract {
  static let versions = [
    LedgerContract("An article's standing is its highest decided version, and how far it is withdrawn") { open in
      let ledger = try await open()
      #expect(try await ledger.standing(of: "a") == ArticleStanding(latest: nil, withdrawnThrough: nil))
      try await ledger.record(decision("a", version: 3, .drop))
      try await ledger.record(decision("a", version: 2, .drop))
      #expect(try await ledger.standing(of: "a") == ArticleStanding(latest: 3, withdrawnThrough: nil))
      _ = try await ledger.withdraw(Withdrawal(version: nil, decision: decision("a", version: 0, .withdraw)))
      try await ledger.record(decision("a", version: 5, .drop))
      #expect(try await open().standing(of: "a") == ArticleStanding(latest: 5, withdrawnThrough: 3))
      #expect(try await ledger.standing(of: "b").latest == nil)
    },
    LedgerContract("A version below the highest one seen claims nothing") { open in
      let ledger = try await open()
      try await ledger.record(decision("a", version: 3, .drop))
      #expect(try await ledger.claim(Claim("a", version: 2)) == .refused(.outdated(by: 3)))
      #expect(try await ledger.claim(Claim("a", version: 3)).claimed.version == 3)
    },
    LedgerContract("What is withdrawn is let go where it was held, and claims nothing; a higher version may") { open in
      let ledger = try await open()
      let held = waiting("a", version: 2, until: noon)
      try await ledger.hold(held, decision: decision("a", version: 2, .hold))
      let answer = try await ledger.withdraw(Withdrawal(version: nil, decision: decision("a", version: 0, .withdraw)))
      guard case .withdrawn(let noted, let alert) = answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(noted.version == 2)
      #expect(alert == nil)
      #expect(try await ledger.decision(articleID: "a") == noted)
      #expect(try await open().heldArticles(due: .distantFuture, limit: 10) == [])
      #expect(try await open().claim(Claim("a", version: 2)) == .refused(.withdrawn(through: 2)))
      #expect(try await ledger.claim(Claim("a", version: 3)).claimed.version == 3)
    },
    LedgerContract("Withdrawing again, or in a version below the highest, has no effect") { open in
      let ledger = try await open()
      try await ledger.record(decision("a", version: 4, .drop))
      let early = Withdrawal(version: 3, decision: decision("a", version: 3, .withdraw))
      #expect(try await ledger.withdraw(early) == .refused(.outdated(by: 4)))
      let now = Withdrawal(version: 4, decision: decision("a", version: 4, .withdraw))
      guard case .withdrawn = try await ledger.withdraw(now) else {
        Issue.record("refused")
        return
      }
      #expect(try await ledger.withdraw(now) == .refused(.withdrawn(through: 4)))
      let all = Withdrawal(version: nil, decision: decision("a", version: 0, .withdraw))
      #expect(try await ledger.withdraw(all) == .refused(.withdrawn(through: 4)))
    },
    LedgerContract("An article that nobody knows is withdrawn without harm to its first version") { open in
      let ledger = try await open()
      _ = try await ledger.withdraw(Withdrawal(version: nil, decision: decision("a", version: 0, .withdraw)))
      #expect(try await ledger.claim(Claim("a", version: 1)).claimed.version == 1)
    },
    LedgerContract("A claim that is not settled ends with its article's withdrawal, and is not resumed") { open in
      let ledger = try await open()
      _ = try await ledger.claim(Claim("a", link: "//news.example/1"))
      let answer = try await ledger.withdraw(Withdrawal(version: 1, decision: decision("a", .withdraw)))
      guard case .withdrawn(_, alert: nil) = answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(try await open().claim(Claim("a")) == .refused(.withdrawn(through: 1)))
      #expect(try await ledger.claim(Claim("b", link: "//news.example/1")).told?.articleID == "a")
    },
    LedgerContract("A withdrawal that comes after the alert tells which one it was") { open in
      let outcomes: [PublicationOutcome] = [
        .sent(Receipt(notificationID: "receipt", matched: 3)), .unknown(reason: "no answer came"),
      ]
      let ledger = try await open()
      for (place, outcome) in outcomes.enumerated() {
        let id = "article-\(place)"
        let publication = try await ledger.claim(Claim(id)).claimed
        try await ledger.settle(publication, as: outcome, decision: decision(id, .push))
        let answer = try await ledger.withdraw(Withdrawal(version: nil, decision: decision(id, version: 0, .withdraw)))
        guard case .withdrawn(let noted, let alert) = answer else {
          Issue.record("\(answer)")
          return
        }
        #expect(alert == publication)
        #expect(noted.storyID == publication.storyID)
        #expect(noted.notificationID == publication.notificationID.description)
      }
    },
    LedgerContract("A higher version takes over the claim of a lower one that is not settled") { open in
      let ledger = try await open()
      let first = try await ledger.claim(Claim("a", digest: 1)).claimed
      let second = try await ledger.claim(Claim("a", version: 2, digest: 2)).resumed
      #expect(second?.version == 2)
      #expect(second?.digest == 2)
      #expect(second?.notificationID == first.notificationID)
      try await ledger.settle(
        try #require(second), as: .sent(Receipt(notificationID: "r")), decision: decision("a", version: 2, .push))
      let told = try await open().claim(Claim("a", version: 3)).told
      #expect(told?.version == 2)
      #expect(told?.digest == 2)
    },
    LedgerContract("How far a held article's source is believed is kept with it") { open in
      let ledger = try await open()
      var held = waiting("a", until: noon)
      held.trust = .editor
      try await ledger.hold(held, decision: decision("a", .hold))
      #expect(try await open().heldArticles(due: noon, limit: 1).map(\.trust) == [.editor])
    },
  ]
}

private let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!
