import News
import Publish
import Push
import Testing
import Time

extension LedgerContract {
  static let likeness = [
    LedgerContract("A near-duplicate of another source is of the first one's story, and the answer says how alike") {
      open in
      let ledger = try await open()
      let first = try await ledger.claim(Claim("a", retelling: quake, from: "Echo")).claimed
      let second = Claim(
        "b", retelling: "Strong earthquake of magnitude 7.1 strikes off Hokkaido, officials", from: "Star")
      guard case .retold(first, let likeness) = try await ledger.claim(second) else {
        Issue.record("not retold")
        return
      }
      #expect(likeness.headline > 50)
      // After a crash the answer is the same.
      #expect(try await open().claim(second) == .retold(first, likeness))
    },
    LedgerContract("Who is like a story's first article joins it; who is like a later one only does not") { open in
      let ledger = try await open()
      _ = try await ledger.claim(Claim("a", link: "//news.example/1", retelling: quake, from: "Echo"))
      let other = "Harbour towns count the damage after a night of aftershocks"
      let linked = Claim("b", link: "//news.example/1", retelling: other, from: "Star")
      #expect(try await ledger.claim(linked).told?.storyID == "a")
      #expect(try await ledger.claim(Claim("c", retelling: other, from: "Sun")).claimed.storyID == "c")
    },
    LedgerContract("Stories that have no category in common stay two: their readers are not the same") { open in
      let ledger = try await open()
      _ = try await ledger.claim(Claim("a", retelling: quake, from: "Echo", categories: [.world, .science]))
      let business = Claim("b", retelling: quake, from: "Star", categories: [.business])
      #expect(try await ledger.claim(business).claimed.storyID == "b")
      let science = Claim("c", retelling: quake, from: "Sun", categories: [.science])
      #expect(try await ledger.claim(science).retold?.storyID == "a")
    },
    LedgerContract("A story takes in what is like it until its window closes, and what is over is forgotten") { open in
      let ledger = try await open()
      _ = try await ledger.claim(Claim("a", retelling: quake, from: "Echo"))
      let late = noon + StoryMatching.standard.window
      let before = Claim("b", retelling: quake, from: "Star", time: late - .milliseconds(1))
      #expect(try await ledger.claim(before).retold?.storyID == "a")
      let after = Claim("c", retelling: quake, from: "Sun", time: late)
      #expect(try await ledger.claim(after).claimed.storyID == "c")
      let next = Claim("d", retelling: quake, from: "Mirror", time: late)
      #expect(try await ledger.claim(next).retold?.storyID == "c")
    },
    LedgerContract("An editor's article is told though a feed has said the like, and others join it") { open in
      let ledger = try await open()
      var editor = Claim("a", retelling: quake, from: "newsroom")
      editor.recognition?.mayJoin = false
      #expect(try await ledger.claim(editor).claimed.storyID == "a")
      #expect(try await ledger.claim(Claim("b", retelling: quake, from: "Echo")).retold?.storyID == "a")
      editor.articleID = "c"
      #expect(try await ledger.claim(editor).claimed.storyID == "c")
    },
    LedgerContract("Of sources that tell one story at once one is the first, whoever asks") { open in
      let ledgers = [try await open(), try await open()]
      let claims = (0..<40).map { Claim("article-\($0)", retelling: quake, from: "source-\($0)") }
      let answers = try await claimAtOnce(ledgers, claims)
      #expect(answers.count { $0.claimedOrNil != nil } == 1)
      #expect(Set(answers.compactMap { ($0.claimedOrNil ?? $0.retold)?.storyID }).count == 1)
      #expect(answers.count { $0.retold != nil } == 39)
    },
  ]

  private static let quake = "Strong earthquake of magnitude 7.1 strikes off Hokkaido"
}

extension Claim {
  /// A claim of an article by its words.
  fileprivate init(
    _ articleID: String, link: String? = nil, retelling headline: String, from source: String,
    categories: [News.Category] = [.world], time: Timestamp = noon
  ) {
    self.init(articleID, link: link, categories: categories, time: time)
    let sketch = StorySketch(headline: headline, summary: nil, source: source, language: "en")
    recognition = sketch.map { Recognition($0, matching: .standard, mayJoin: true) }
  }
}

extension ClaimAnswer {
  /// The publication, where its story was told in another source's words.
  var retold: Publication? { if case .retold(let publication, _) = self { publication } else { nil } }
}

private let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!
