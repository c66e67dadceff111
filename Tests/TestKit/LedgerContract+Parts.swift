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
      #expect(try await ledger.depart(for: "news", of: publication, after: 0))
      #expect(try await open().parts(of: publication) == [PublicationPart(outlet: "news", departures: 1)])
      try await ledger.postpone(for: "news", of: publication)
      #expect(try await open().parts(of: publication).allSatisfy { $0.departures == 0 && $0.outcome == nil })
      #expect(try await ledger.depart(for: "news", of: publication, after: 0))
      #expect(try await ledger.depart(for: "news", of: publication, after: 1))
      #expect(try await ledger.parts(of: publication).map(\.departures) == [2])
    },
    LedgerContract("Of many that send one part at once, one may") { open in
      let ledgers = [try await open(), try await open()]
      let publication = try await ledgers[0].claim(Claim("a")).claimed
      let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
        for place in 0..<20 {
          group.addTask { try await ledgers[place % 2].depart(for: "news", of: publication, after: 0) }
        }
        var answers: [Bool] = []
        for try await answer in group { answers.append(answer) }
        return answers
      }
      #expect(answers.count { $0 } == 1)
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
        #expect(try await ledger.depart(for: outlet, of: publication, after: 0))
        try await ledger.settle(for: outlet, of: publication, as: outcome)
      }
      try await ledger.settle(for: "apple", of: publication, as: .unknown(reason: "late"))
      let parts = try await open().parts(of: publication)
      #expect(Dictionary(uniqueKeysWithValues: parts.map { ($0.outlet, $0.outcome) }) == outcomes)
      #expect(parts.allSatisfy { $0.departures == 1 })
      #expect(try await ledger.depart(for: "apple", of: publication, after: 1) == false)
      // A part may be settled without having left: it expired, say.
      try await ledger.settle(for: "browser", of: publication, as: .refused(reason: "expired"))
      #expect(try await ledger.parts(of: publication).first { $0.outlet == "browser" }?.departures == 0)
    },
    LedgerContract("Parts belong to one story and one kind, and are forgotten with it") { open in
      let ledger = try await open()
      let alert = try await ledger.claim(Claim("a")).claimed
      let correction = try await ledger.claim(Claim("a", kind: .correction(version: 2))).claimed
      let other = try await ledger.claim(Claim("b")).claimed
      #expect(try await ledger.depart(for: "news", of: alert, after: 0))
      #expect(try await ledger.parts(of: correction) == [])
      #expect(try await ledger.parts(of: other) == [])
      #expect(try await ledger.depart(for: "news", of: correction, after: 0))
      _ = try await ledger.forget(before: .distantFuture, limit: 10)
      #expect(try await ledger.parts(of: alert) == [])
      let again = try await ledger.claim(Claim("a")).claimed
      #expect(try await ledger.parts(of: again) == [])
    },
  ]
}
