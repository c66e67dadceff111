import News
import Publish
import Testing
import Time

@Suite("PushPolicy")
struct PushPolicyTests {
  static let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!
  static let sports = Classification(categories: [.sports], evidence: [])

  struct Case: Sendable {
    var name: String
    var expected: PushPolicy.Verdict
    var change: @Sendable (inout Article) -> Void
  }

  static let cases: [Case] = [
    Case(name: "fresh", expected: .push) { $0.published = noon - .seconds(60) },
    Case(name: "undated, newly seen", expected: .push) { _ in },
    Case(name: "six hours old", expected: .push) { $0.published = noon - .seconds(6 * 3600) },
    Case(
      name: "older than that",
      expected: .drop(reason: "published at 2026-11-30T05:59:59Z, more than 6 h before it was first seen")
    ) { $0.published = noon - .seconds(6 * 3600 + 1) },
    Case(name: "a clock five minutes ahead", expected: .push) { $0.published = noon + .seconds(300) },
    Case(
      name: "dated ahead",
      expected: .hold(until: noon + .seconds(301), reason: "dated ahead, to 2026-11-30T12:05:01Z")
    ) { $0.published = noon + .seconds(301) },
    Case(
      name: "embargoed",
      expected: .hold(until: noon + .seconds(1), reason: "embargoed until 2026-11-30T12:00:01Z")
    ) { $0.embargoed = noon + .seconds(1) },
    Case(name: "an old text whose embargo has just ended", expected: .push) {
      $0.published = noon - .seconds(86_400)
      $0.embargoed = noon
    },
    Case(name: "expired", expected: .drop(reason: "expired at 2026-11-30T12:00:00Z")) { $0.expires = noon },
    Case(name: "expired before its embargo ends", expected: .drop(reason: "expired at 2026-11-30T12:00:00Z")) {
      $0.expires = noon
      $0.embargoed = noon + .seconds(60)
    },
    Case(
      name: "withheld", expected: .hold(until: nil, reason: "withheld by its editor until a later version")
    ) { $0.status = .withheld },
    Case(name: "canceled", expected: .withdraw(reason: "canceled by its editor")) { $0.status = .canceled },
  ]

  @Test("Every article is pushed, held or dropped for a reason", arguments: cases)
  func judges(_ example: Case) {
    var article = Article(id: "a", text: .init(headline: "Headline"))
    example.change(&article)
    let verdict = PushPolicy(maxAge: .seconds(6 * 3600)).judge(
      article, classification: Self.sports, firstSeen: Self.noon, now: Self.noon)
    #expect(verdict == example.expected, "\(example.name)")
  }

  @Test(
    "What came before the ledger's memory begins is not told, unless it became news later",
    arguments: [(88, nil, true), (90, nil, false), (90, 1, true), (200, 100, false)] as [(Int, Int?, Bool)])
  func memory(daysAgo: Int, embargoedDaysAgo: Int?, isTold: Bool) {
    let day = Duration.seconds(86_400)
    var article = Article(id: "a", text: .init(headline: "Headline"))
    article.embargoed = embargoedDaysAgo.map { Self.noon - day * $0 }
    let verdict = PushPolicy(maxAge: .seconds(6 * 3600)).judge(
      article, classification: Self.sports, firstSeen: Self.noon - day * daysAgo, now: Self.noon)
    if isTold {
      #expect(verdict == .push)
    } else {
      let came = (Self.noon - day * daysAgo).rfc3339
      #expect(verdict == .drop(reason: "it came at \(came): whether it was told is remembered for 89 d"))
    }
  }

  @Test(
    "What nobody can classify is dropped or waits, as the newsroom wants",
    arguments: [
      (PushPolicy.Undecided.drop, PushPolicy.Verdict.drop(reason: "nobody can say what it is about")),
      (.hold, .hold(until: nil, reason: "nobody can say what it is about")),
    ])
  func undecided(policy: PushPolicy.Undecided, verdict: PushPolicy.Verdict) {
    let article = Article(id: "a", text: .init(headline: "Headline"))
    let nothing = Classification(categories: [], evidence: [])
    #expect(
      PushPolicy(maxAge: .seconds(3600), undecided: policy)
        .judge(article, classification: nothing, firstSeen: Self.noon, now: Self.noon) == verdict)
  }

  @Test("Age is judged when an article was first seen, however long it was held since")
  func ageWhenFirstSeen() {
    var article = Article(id: "a", text: .init(headline: "Headline"))
    article.published = Self.noon - .seconds(3600)
    let verdict = PushPolicy(maxAge: .seconds(6 * 3600)).judge(
      article, classification: Self.sports, firstSeen: Self.noon, now: Self.noon + .seconds(86_400))
    #expect(verdict == .push)
  }

  @Test("What nobody can classify is not told")
  func abstains() {
    let verdict = PushPolicy(maxAge: .seconds(60)).judge(
      Article(id: "a", text: .init(headline: "Headline")), classification: .init(categories: [], evidence: []),
      firstSeen: Self.noon, now: Self.noon)
    #expect(verdict == .drop(reason: "nobody can say what it is about"))
  }
}
