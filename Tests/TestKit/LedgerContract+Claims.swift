import News
import Publish
import Push
import Testing
import Time

extension LedgerContract {
  static let claims = [
    LedgerContract("A story is claimed once, under the id that its first claimant brought") { open in
      let ledger = try await open()
      let claim = Claim("a")
      let publication = try await ledger.claim(claim).claimed
      #expect(publication.storyID == "a")
      #expect(publication.articleID == "a")
      #expect(publication.kind == .alert)
      #expect(publication.categories == [.world])
      #expect(publication.notificationID == claim.notificationID)
      #expect(publication.time == claim.time)
      #expect(try await ledger.claim(Claim("b")).claimed.storyID == "b")
    },
    LedgerContract("Articles that share a canonical link are one story") { open in
      let ledger = try await open()
      let first = try await ledger.claim(Claim("a", link: "//news.example/1")).claimed
      #expect(try await ledger.claim(Claim("b", link: "//news.example/1")).told == first)
      #expect(try await ledger.claim(Claim("c", link: "//news.example/2")).claimed.storyID == "c")
      #expect(try await ledger.claim(Claim("d")).claimed.storyID == "d")
    },
    LedgerContract("An article stays in its story whatever its link becomes, and brings the new link along") { open in
      let ledger = try await open()
      _ = try await ledger.claim(Claim("a", link: "//news.example/1"))
      _ = try await ledger.claim(Claim("b", link: "//news.example/2"))
      let moved = Claim("a", version: 2, link: "//news.example/3", kind: .correction(version: 2))
      #expect(try await ledger.claim(moved).claimed.storyID == "a")
      #expect(try await ledger.claim(Claim("c", link: "//news.example/3")).told?.storyID == "a")
      // The link of another story is not taken from it.
      let taken = Claim("a", version: 3, link: "//news.example/2", kind: .correction(version: 3))
      #expect(try await ledger.claim(taken).claimed.storyID == "a")
      #expect(try await ledger.claim(Claim("d", link: "//news.example/2")).told?.storyID == "b")
    },
    LedgerContract("Who joined by a link is of the story by his id from then on") { open in
      let ledger = try await open()
      _ = try await ledger.claim(Claim("a", link: "//news.example/1"))
      _ = try await ledger.claim(Claim("b", link: "//news.example/1"))
      #expect(try await ledger.claim(Claim("b")).told?.storyID == "a")
    },
    LedgerContract("Each correction and the retraction are told once beside the alert") { open in
      let ledger = try await open()
      for kind in [.alert, .correction(version: 2), .correction(version: 3), .retraction] as [PublicationKind] {
        let publication = try await ledger.claim(Claim("a", kind: kind)).claimed
        #expect(publication.kind == kind)
        #expect(try await ledger.claim(Claim("a", kind: kind)).resumed == publication)
      }
    },
    LedgerContract("A claim that a crash cut off is resumed by its article, as the same notification") { open in
      let first = try await open().claim(Claim("a", link: "//news.example/1")).claimed
      let restarted = try await open()
      let again = Claim("a", link: "//news.example/1", time: noon + .seconds(60))
      #expect(try await restarted.claim(again).resumed == first)
      #expect(try await restarted.claim(Claim("b", link: "//news.example/1")).told == first)
      #expect(try await restarted.claim(again).resumed == first)
    },
    LedgerContract("The categories of later articles are the story's too, the first one's first") { open in
      let ledger = try await open()
      _ = try await ledger.claim(Claim("a", link: "//news.example/1", categories: [.world, .politics]))
      let joined = Claim("b", link: "//news.example/1", categories: [.business, .world])
      #expect(try await ledger.claim(joined).told?.categories == [.world, .politics, .business])
      let resumed = Claim("a", categories: [.world, .politics])
      #expect(try await open().claim(resumed).resumed?.categories == [.world, .politics, .business])
    },
    LedgerContract("Of many articles that claim one story at once, one wins and all others hear of it") { open in
      let ledgers = [try await open(), try await open()]
      let answers = try await claimAtOnce(ledgers, (0..<40).map { Claim("article-\($0)", link: "//news.example/1") })
      let winners = answers.compactMap(\.claimedOrNil)
      #expect(winners.count == 1)
      #expect(answers.count { $0.told?.articleID == winners.first?.articleID } == 39)
      #expect(Set(answers.compactMap { $0.told?.notificationID }) == Set(winners.map(\.notificationID)))
    },
    LedgerContract("Of one article's claims at once, one is the first and the others resume it") { open in
      let ledgers = [try await open(), try await open()]
      let answers = try await claimAtOnce(ledgers, (0..<20).map { _ in Claim("a") })
      let winners = answers.compactMap(\.claimedOrNil)
      #expect(winners.count == 1)
      #expect(answers.compactMap(\.resumed) == Array(repeating: winners[0], count: 19))
    },
    LedgerContract("Many stories claimed at once are each claimed") { open in
      let answers = try await claimAtOnce([try await open()], (0..<100).map { Claim("article-\($0)") })
      #expect(Set(answers.compactMap { $0.claimedOrNil?.storyID }).count == 100)
    },
  ]
}

func claimAtOnce(_ ledgers: [any PublicationLedger], _ claims: [Claim]) async throws -> [ClaimAnswer] {
  try await withThrowingTaskGroup(of: ClaimAnswer.self) { group in
    for (place, claim) in claims.enumerated() {
      group.addTask { try await ledgers[place % ledgers.count].claim(claim) }
    }
    var answers: [ClaimAnswer] = []
    for try await answer in group { answers.append(answer) }
    return answers
  }
}

private let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!

extension Claim {
  /// A claim as the desk makes it, with a notification's id of its own.
  init(
    _ articleID: String, version: Int64 = 1, digest: Int64? = nil, link: String? = nil, kind: PublicationKind = .alert,
    categories: [News.Category] = [.world], time: Timestamp = noon
  ) {
    self.init(
      articleID: articleID, version: version, digest: digest, canonicalLink: link, kind: kind, categories: categories,
      notificationID: NotificationID(at: time), time: time)
  }
}

extension ClaimAnswer {
  /// The publication, where it was claimed.
  var claimed: Publication {
    get throws { try #require(claimedOrNil) }
  }

  var claimedOrNil: Publication? { if case .claimed(let publication) = self { publication } else { nil } }

  /// The publication, where it was resumed.
  var resumed: Publication? { if case .resumed(let publication) = self { publication } else { nil } }

  /// The publication, where its story was told.
  var told: Publication? { if case .told(let publication) = self { publication } else { nil } }
}
