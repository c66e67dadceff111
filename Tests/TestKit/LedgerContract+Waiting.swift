import News
import Publish
import Push
import Testing
import Time

extension LedgerContract {
  static let settlements = [
    LedgerContract(
      "What is settled is told, whatever became of it: to its own article as to others"
    ) { open in
      let outcomes: [PublicationOutcome] = [
        .sent(Receipt(notificationID: "receipt", matched: 3)), .refused(reason: "too large"),
        .unknown(reason: "no answer came"),
      ]
      let ledger = try await open()
      for (place, outcome) in outcomes.enumerated() {
        let (id, link) = ("article-\(place)", "//news.example/\(place)")
        let publication = try await ledger.claim(Claim(id, link: link)).claimed
        try await ledger.settle(publication, as: outcome, decision: decision(id, .push))
        #expect(try await open().claim(Claim(id, link: link)).told == publication)
        #expect(try await ledger.claim(Claim("other-\(place)", link: link)).told == publication)
      }
    },
    LedgerContract("Settling notes the decision with it, and settling again does no harm") { open in
      let ledger = try await open()
      let publication = try await ledger.claim(Claim("a")).claimed
      var pushed = decision("a", .push)
      pushed.storyID = publication.storyID
      pushed.notificationID = publication.notificationID.description
      try await ledger.settle(publication, as: .sent(Receipt(notificationID: "receipt")), decision: pushed)
      #expect(try await open().decision(articleID: "a") == pushed)
      try await ledger.settle(publication, as: .unknown(reason: "late"), decision: pushed)
      #expect(try await ledger.claim(Claim("a")).told == publication)
    },
    LedgerContract("The latest decision about an article is found with all that was said") { open in
      let ledger = try await open()
      #expect(try await ledger.decision(articleID: "a") == nil)
      try await ledger.record(decision("a", .drop))
      try await ledger.record(decision("b", .merge))
      var last = decision("a", .merge)
      last.source = nil
      last.storyID = "b"
      last.notificationID = "NH-1"
      last.classification = Classification(categories: [], evidence: [])
      try await ledger.record(last)
      #expect(try await open().decision(articleID: "a") == last)
      #expect(try await ledger.decision(articleID: "b") == decision("b", .merge))
    },
    LedgerContract("It is known with which contents an article was told") { open in
      let ledger = try await open()
      for (digest, action) in [(1, .push), (2, .drop), (3, .push), (4, .merge)] as [(Int64, Decision.Action)] {
        var told = decision("a", action)
        told.digest = digest
        try await ledger.record(told)
      }
      let told = try await open()
      for (digest, wasTold) in [(1, true), (2, false), (3, true), (4, false)] as [(Int64, Bool)] {
        #expect(try await told.wasTold(articleID: "a", digest: digest) == wasTold)
      }
      #expect(try await !told.wasTold(articleID: "b", digest: 1))
    },
  ]

  static let held = [
    LedgerContract("A held article comes back whole when its time has come, not earlier") { open in
      let ledger = try await open()
      let waiting = HeldArticle(
        article: .complete, subscribed: .sports, firstSeen: noon, until: noon + .milliseconds(60_001))
      try await ledger.hold(waiting, decision: decision(waiting.article.id, .hold))
      #expect(try await ledger.heldArticles(due: noon + .milliseconds(60_000), limit: 10) == [])
      #expect(try await open().heldArticles(due: noon + .milliseconds(60_001), limit: 10) == [waiting])
      #expect(try await ledger.decision(articleID: waiting.article.id)?.action == .hold)
    },
    LedgerContract("Held articles are due in the order of their times, and the next time is known") { open in
      let ledger = try await open()
      #expect(try await ledger.nextRelease() == nil)
      for (id, seconds) in [("c", 30), ("a", 10), ("e", 50), ("b", 10), ("never", nil)] as [(String, Int?)] {
        try await ledger.hold(
          waiting(id, until: seconds.map { noon + .seconds($0) }), decision: decision(id, .hold))
      }
      #expect(try await ledger.nextRelease() == noon + .seconds(10))
      let due = try await ledger.heldArticles(due: noon + .seconds(30), limit: 10)
      #expect(due.map(\.article.id) == ["a", "b", "c"])
      #expect(try await ledger.heldArticles(due: noon + .seconds(30), limit: 2) == Array(due.prefix(2)))
      for held in due { try await ledger.release(held) }
      #expect(try await ledger.nextRelease() == noon + .seconds(50))
      #expect(try await ledger.heldArticles(due: .distantFuture, limit: 10).map(\.article.id) == ["e"])
    },
    LedgerContract("A held article is replaced by a version that is at least as high, never by a lower one") { open in
      let ledger = try await open()
      let second = waiting("a", version: 2, until: noon + .seconds(20))
      try await ledger.hold(second, decision: decision("a", .hold))
      try await ledger.hold(waiting("a", version: 1, until: noon), decision: decision("a", .hold))
      #expect(try await ledger.heldArticles(due: .distantFuture, limit: 10) == [second])
      let moved = waiting("a", version: 2, until: noon + .seconds(30))
      try await ledger.hold(moved, decision: decision("a", .hold))
      #expect(try await ledger.heldArticles(due: .distantFuture, limit: 10) == [moved])
      try await ledger.hold(waiting("a", version: 3, until: nil), decision: decision("a", .hold))
      #expect(try await ledger.heldArticles(due: .distantFuture, limit: 10) == [])
      #expect(try await ledger.nextRelease() == nil)
    },
    LedgerContract("Releasing twice does no harm, and what was held anew meanwhile stays") { open in
      let ledger = try await open()
      let first = waiting("a", version: 1, until: noon)
      try await ledger.hold(first, decision: decision("a", .hold))
      let later = waiting("a", version: 1, until: noon + .seconds(10))
      try await ledger.hold(later, decision: decision("a", .hold))
      try await ledger.release(first)
      #expect(try await ledger.heldArticles(due: .distantFuture, limit: 10) == [later])
      let second = waiting("a", version: 2, until: noon + .seconds(10))
      try await ledger.hold(second, decision: decision("a", .hold))
      try await ledger.release(later)
      #expect(try await open().heldArticles(due: .distantFuture, limit: 10) == [second])
      try await ledger.release(second)
      try await ledger.release(second)
      #expect(try await ledger.heldArticles(due: .distantFuture, limit: 10) == [])
    },
    LedgerContract("A decision lets go of the versions up to it: a cancelled article never leaves its embargo") {
      open in
      let ledger = try await open()
      let first = waiting("a", version: 1, until: noon)
      try await ledger.hold(first, decision: decision("a", .hold))
      try await ledger.record(decision("b", version: 9, .drop))
      try await ledger.record(decision("a", version: 0, .drop))
      #expect(try await ledger.heldArticles(due: noon, limit: 10) == [first])
      try await ledger.record(decision("a", version: 2, .drop))
      #expect(try await ledger.heldArticles(due: noon, limit: 10) == [])

      try await ledger.hold(waiting("c", version: 1, until: nil), decision: decision("c", .hold))
      let publication = try await ledger.claim(Claim("c", version: 2)).claimed
      let receipt = Receipt(notificationID: "receipt")
      try await ledger.settle(publication, as: .sent(receipt), decision: decision("c", version: 2, .push))
      let anew = waiting("c", version: 1, until: noon)
      try await ledger.hold(anew, decision: decision("c", .hold))
      #expect(try await ledger.heldArticles(due: noon, limit: 10) == [anew])
    },
  ]

  static let retention = [
    LedgerContract("A story older than the retention is forgotten with its articles and links") { open in
      let ledger = try await open()
      let old = try await ledger.claim(Claim("a", link: "//news.example/1")).claimed
      _ = try await ledger.claim(Claim("b", link: "//news.example/1"))
      #expect(try await ledger.forget(before: noon, limit: 10) == 0)
      #expect(try await ledger.forget(before: noon + .milliseconds(1), limit: 10) == 1)
      let link = Claim("b", link: "//news.example/1", time: noon + .seconds(1))
      #expect(try await ledger.claim(link).claimed.storyID == "b")
      let again = Claim("a", time: noon + .seconds(1))
      #expect(try await ledger.claim(again).claimed.notificationID != old.notificationID)
    },
    LedgerContract("A story lives as long as somebody claims it") { open in
      let ledger = try await open()
      _ = try await ledger.claim(Claim("a", link: "//news.example/1"))
      _ = try await ledger.claim(Claim("b", link: "//news.example/1", time: noon + .seconds(60)))
      _ = try await ledger.claim(Claim("c", link: "//news.example/1", time: noon + .seconds(30)))
      #expect(try await ledger.forget(before: noon + .seconds(60), limit: 10) == 0)
      #expect(try await ledger.claim(Claim("d", link: "//news.example/1")).told?.storyID == "a")
    },
    LedgerContract("Forgetting takes so many steps at a time, and leaves what waits for a time") { open in
      let ledger = try await open()
      for id in ["a", "b"] { _ = try await ledger.claim(Claim(id)) }
      for id in ["a", "b", "c"] { try await ledger.record(decision(id, .drop)) }
      try await ledger.hold(waiting("timed", until: noon), decision: decision("timed", .hold))
      try await ledger.hold(waiting("untimed", until: nil), decision: decision("untimed", .hold))
      var late = decision("a", .merge)
      late.time = noon + .seconds(60)
      try await ledger.record(late)

      var counts: [Int] = []
      repeat {
        counts.append(try await ledger.forget(before: noon + .seconds(60), limit: 3))
      } while counts.last == 3
      // Two stories, five decisions, one article held without an end.
      #expect(counts == [3, 3, 2])
      #expect(try await ledger.decision(articleID: "a") == late)
      #expect(try await ledger.decision(articleID: "b") == nil)
      #expect(try await ledger.heldArticles(due: .distantFuture, limit: 10).map(\.article.id) == ["timed"])
      // Only where nothing is held a lower version is taken.
      let lower = waiting("untimed", version: 0, until: noon)
      try await ledger.hold(lower, decision: decision("untimed", .hold))
      #expect(try await ledger.heldArticles(due: .distantFuture, limit: 10).last == lower)
    },
  ]
}

private let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!

func waiting(_ id: String, version: Int64 = 1, until: Timestamp?) -> HeldArticle {
  HeldArticle(
    article: Article(id: id, version: version, text: Article.Text(headline: "Headline of \(id)")), subscribed: nil,
    firstSeen: noon, until: until)
}

func decision(_ id: String, version: Int64 = 1, _ action: Decision.Action) -> Decision {
  Decision(
    articleID: id, version: version, source: "newsroom", headline: "Headline of \(id) \u{1F30F}", time: noon,
    classification: Classification(
      categories: [.science, .world],
      evidence: [Classification.Evidence(origin: "terms", detail: "the item's term \"quake\"")]),
    action: action, reason: "because \(action.rawValue)", storyID: nil, notificationID: nil)
}
