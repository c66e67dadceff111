import News
import Publish
import Push
import Testing
import Time

extension LedgerContract {
  static let parts = [
    LedgerContract("A part that left is known to have left, after a restart too, until it is postponed") { open in
      let ledger = try await open()
      let publication = try await ledger.claim(Claim("a")).claimed
      #expect(try await ledger.parts(of: publication) == [])
      #expect(try await ledger.depart(for: "news", of: publication, after: 0) == .granted)
      #expect(try await open().parts(of: publication) == [PublicationPart(outlet: "news", departures: 1)])
      try await ledger.postpone(for: "news", of: publication)
      #expect(try await open().parts(of: publication).allSatisfy { $0.departures == 0 && $0.outcome == nil })
      #expect(try await ledger.depart(for: "news", of: publication, after: 0) == .granted)
      #expect(try await ledger.depart(for: "news", of: publication, after: 1) == .granted)
      #expect(try await ledger.parts(of: publication).map(\.departures) == [2])
    },
    LedgerContract("Of many that send one part at once, one may") { open in
      let ledgers = [try await open(), try await open()]
      let publication = try await ledgers[0].claim(Claim("a")).claimed
      let answers = try await withThrowingTaskGroup(of: Departure.self) { group in
        for place in 0..<20 {
          group.addTask { try await ledgers[place % 2].depart(for: "news", of: publication, after: 0) }
        }
        var answers: [Departure] = []
        for try await answer in group { answers.append(answer) }
        return answers
      }
      #expect(answers.count { $0 == .granted } == 1)
    },
    LedgerContract("Each part has an outcome of its own, and what is sent stays sent and does not leave again") {
      open in
      let ledger = try await open()
      let publication = try await ledger.claim(Claim("a")).claimed
      let outcomes: [String: PublicationOutcome] = [
        "apple": .sent(Receipt(notificationID: "receipt", matched: 3)), "gcm": .refused(reason: "no credentials"),
        "windows": .unknown(reason: "no answer came"), "fcmv1": .sent(Receipt(notificationID: "other")),
      ]
      for (outlet, outcome) in outcomes {
        #expect(try await ledger.depart(for: outlet, of: publication, after: 0) == .granted)
        try await ledger.settle(for: outlet, of: publication, as: outcome)
      }
      try await ledger.settle(for: "apple", of: publication, as: .unknown(reason: "late"))
      let parts = try await open().parts(of: publication)
      #expect(Dictionary(uniqueKeysWithValues: parts.map { ($0.outlet, $0.outcome) }) == outcomes)
      #expect(parts.allSatisfy { $0.departures == 1 })
      #expect(try await ledger.depart(for: "apple", of: publication, after: 1) == .inHand)
      // A part may be settled without having left: it expired, say.
      try await ledger.settle(for: "browser", of: publication, as: .refused(reason: "expired"))
      #expect(try await ledger.parts(of: publication).first { $0.outlet == "browser" }?.departures == 0)
    },
    LedgerContract("What was settled or withdrawn meanwhile does not leave any more") { open in
      let ledger = try await open()
      let sent = try await ledger.claim(Claim("a")).claimed
      let receipt = Receipt(notificationID: "receipt", matched: 2)
      try await ledger.settle(sent, as: .sent(receipt), decision: decision("a", .push))
      #expect(try await open().depart(for: "news", of: sent, after: 0) == .settled(.sent(receipt)))
      let withdrawn = try await ledger.claim(Claim("b")).claimed
      _ = try await open().withdraw(Withdrawal(version: 1, decision: decision("b", .withdraw)))
      guard case .settled(.refused) = try await ledger.depart(for: "news", of: withdrawn, after: 0) else {
        Issue.record("what was withdrawn leaves")
        return
      }
    },
    LedgerContract("Parts belong to one story and one kind, and are forgotten with it") { open in
      let ledger = try await open()
      let alert = try await ledger.claim(Claim("a")).claimed
      let correction = try await ledger.claim(Claim("a", kind: .correction(version: 2))).claimed
      let other = try await ledger.claim(Claim("b")).claimed
      #expect(try await ledger.depart(for: "news", of: alert, after: 0) == .granted)
      #expect(try await ledger.parts(of: correction) == [])
      #expect(try await ledger.parts(of: other) == [])
      #expect(try await ledger.depart(for: "news", of: correction, after: 0) == .granted)
      _ = try await ledger.forget(before: .distantFuture, limit: 10)
      #expect(try await ledger.parts(of: alert) == [])
      let again = try await ledger.claim(Claim("a")).claimed
      #expect(try await ledger.parts(of: again) == [])
    },
  ]
}
