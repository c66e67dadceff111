import News
public import Publish
import Push
import Synchronization
public import Time

/// A ledger that forgets with the process.
public final class MemoryLedger: PublicationLedger {
  fileprivate struct Place: Hashable {
    let storyID: String
    let kind: PublicationKind

    init(storyID: String, kind: PublicationKind) {
      self.storyID = storyID
      self.kind = kind
    }

    init(_ publication: Publication) { self.init(storyID: publication.storyID, kind: publication.kind) }
  }

  fileprivate struct Entry {
    let articleID: String
    var claim: Claim
    var outcome: PublicationOutcome?
    /// In the order in which they left first.
    var parts: [PublicationPart] = []
  }

  fileprivate struct Story {
    var lastClaim: Timestamp
    var categories: [News.Category] = []
    /// What it is recognised by, until its window closes.
    var sketch: (sketch: StorySketch, until: Timestamp)?
  }

  fileprivate struct State {
    var stories: [String: Story] = [:]
    var storyOfArticle: [String: String] = [:]
    var likenesses: [String: StoryLikeness] = [:]
    var storyOfLink: [String: String] = [:]
    var publications: [Place: Entry] = [:]
    var decisions: [Decision] = []
    /// In the order in which they were held first.
    var held: [HeldArticle] = []
  }

  private let state = Mutex(State())

  /// An empty ledger.
  public init() {}

  /// All decisions, in the order in which they were made.
  public var decisions: [Decision] { state.withLock { $0.decisions } }

  /// What became of the claimed publication of a story; nil while nothing is noted.
  public func outcome(of storyID: String, _ kind: PublicationKind = .alert) -> PublicationOutcome? {
    state.withLock { $0.publications[Place(storyID: storyID, kind: kind)]?.outcome }
  }

  /// What is known of the parts of a story's publication.
  public func parts(ofStory storyID: String, _ kind: PublicationKind = .alert) -> [PublicationPart] {
    state.withLock { $0.publications[Place(storyID: storyID, kind: kind)]?.parts ?? [] }
  }

  /// All articles that wait.
  public var held: [HeldArticle] { state.withLock { $0.held } }

  /// Claims the right to tell a story.
  public func claim(_ claim: Claim) async throws -> ClaimAnswer {
    state.withLock { state in
      if let refusal = state.standing(of: claim.articleID).refusal(of: claim.version) { return .refused(refusal) }
      let storyID = state.join(claim)
      let place = Place(storyID: storyID, kind: claim.kind)
      if var entry = state.publications[place] {
        guard entry.articleID == claim.articleID, entry.outcome == nil else {
          let publication = state.publication(entry, at: place)
          return state.likenesses[claim.articleID].map { .retold(publication, $0) } ?? .told(publication)
        }
        entry.claim.version = claim.version
        entry.claim.digest = claim.digest
        state.publications[place] = entry
        return .resumed(state.publication(entry, at: place))
      }
      let entry = Entry(articleID: claim.articleID, claim: claim)
      state.publications[place] = entry
      return .claimed(state.publication(entry, at: place))
    }
  }

  /// Notes what became of a claim.
  public func settle(_ publication: Publication, as outcome: PublicationOutcome, decision: Decision) async throws {
    state.withLock { state in
      let place = Place(publication)
      if case .sent? = state.publications[place]?.outcome {} else { state.publications[place]?.outcome = outcome }
      state.conclude(decision)
    }
  }

  /// What is known of a publication's parts.
  public func parts(of publication: Publication) async throws -> [PublicationPart] {
    state.withLock { $0.publications[Place(publication)]?.parts ?? [] }
  }

  /// Asks whether a part may leave, and notes that it does.
  public func depart(
    for outlet: String, of publication: Publication, after departures: Int
  ) async throws -> Departure {
    state.withLock { state in
      guard let entry = state.publications[Place(publication)] else {
        return .settled(.refused(reason: "its story is forgotten"))
      }
      if let outcome = entry.outcome { return .settled(outcome) }
      let part = state.part(for: outlet, of: publication) ?? PublicationPart(outlet: outlet, departures: 0)
      guard part.departures == departures, part.outcome == nil else { return .inHand }
      state.put(PublicationPart(outlet: outlet, departures: departures + 1), of: publication)
      return .granted
    }
  }

  /// Notes that a part was not taken.
  public func postpone(for outlet: String, of publication: Publication) async throws {
    state.withLock { state in
      guard var part = state.part(for: outlet, of: publication), part.departures > 0 else { return }
      part.departures -= 1
      state.put(part, of: publication)
    }
  }

  /// Notes what became of a part.
  public func settle(
    for outlet: String, of publication: Publication, as outcome: PublicationOutcome
  ) async throws {
    state.withLock { state in
      var part = state.part(for: outlet, of: publication) ?? PublicationPart(outlet: outlet, departures: 0)
      if case .sent? = part.outcome { return }
      part.outcome = outcome
      state.put(part, of: publication)
    }
  }

  /// Notes a decision that sends nothing.
  public func record(_ decision: Decision) async throws { state.withLock { $0.conclude(decision) } }

  /// Keeps an article until its time comes.
  public func hold(_ held: HeldArticle, decision: Decision) async throws {
    state.withLock { state in
      state.decisions.append(decision)
      guard let place = state.held.firstIndex(where: { $0.article.id == held.article.id }) else {
        state.held.append(held)
        return
      }
      if held.article.version >= state.held[place].article.version { state.held[place] = held }
    }
  }

  /// Held articles whose time has come.
  public func heldArticles(due now: Timestamp, limit: Int) async throws -> [HeldArticle] {
    state.withLock { state in
      let due = state.held.enumerated().compactMap { place, held in
        held.until.flatMap { $0 <= now ? (until: $0, place: place, held: held) : nil }
      }
      return due.sorted { ($0.until, $0.place) < ($1.until, $1.place) }.prefix(limit).map(\.held)
    }
  }

  /// When the next held article's time comes.
  public func nextRelease() async throws -> Timestamp? { state.withLock { $0.held.compactMap(\.until).min() } }

  /// Lets go of a held article.
  public func release(_ held: HeldArticle) async throws {
    state.withLock { state in
      state.held.removeAll {
        $0.article.id == held.article.id && $0.article.version == held.article.version && $0.until == held.until
      }
    }
  }

  /// How far an article's versions have come.
  public func standing(of articleID: String) async throws -> ArticleStanding {
    state.withLock { $0.standing(of: articleID) }
  }

  /// Withdraws an article.
  public func withdraw(_ withdrawal: Withdrawal) async throws -> WithdrawalAnswer {
    state.withLock { state in
      let articleID = withdrawal.decision.articleID
      let standing = state.standing(of: articleID)
      let version = withdrawal.version ?? standing.latest ?? 0
      if let refusal = standing.refusal(of: version) { return .refused(refusal) }
      var decision = withdrawal.decision
      decision.version = version
      let alert = state.stopAlert(of: articleID)
      decision.storyID = alert?.storyID
      decision.notificationID = alert?.notificationID.description
      state.conclude(decision)
      return .withdrawn(decision, alert: alert)
    }
  }

  /// The latest decision about an article.
  public func decision(articleID: String) async throws -> Decision? {
    state.withLock { $0.decisions.last { $0.articleID == articleID } }
  }

  /// Whether an article has been told with this content.
  public func wasTold(articleID: String, digest: Int64) async throws -> Bool {
    state.withLock { state in
      state.decisions.contains { $0.articleID == articleID && $0.digest == digest && $0.action == .push }
    }
  }

  /// Forgets what is older than the retention.
  public func forget(before: Timestamp, limit: Int) async throws -> Int {
    state.withLock { state in
      let old = state.stories.filter { $0.value.lastClaim < before }.sorted { $0.value.lastClaim < $1.value.lastClaim }
      let stories = Set(old.prefix(limit).map(\.key))
      for story in stories { state.stories[story] = nil }
      state.storyOfArticle = state.storyOfArticle.filter { !stories.contains($0.value) }
      state.storyOfLink = state.storyOfLink.filter { !stories.contains($0.value) }
      state.publications = state.publications.filter { !stories.contains($0.key.storyID) }
      var left = limit - stories.count
      state.decisions.removeAll { decision in
        guard left > 0, decision.time < before else { return false }
        left -= 1
        return true
      }
      state.held.removeAll { held in
        guard left > 0, held.until == nil, held.firstSeen < before else { return false }
        left -= 1
        return true
      }
      return limit - left
    }
  }
}

extension MemoryLedger.State {
  fileprivate func part(for outlet: String, of publication: Publication) -> PublicationPart? {
    publications[MemoryLedger.Place(publication)]?.parts.first { $0.outlet == outlet }
  }

  fileprivate mutating func put(_ part: PublicationPart, of publication: Publication) {
    let place = MemoryLedger.Place(publication)
    guard let index = publications[place]?.parts.firstIndex(where: { $0.outlet == part.outlet }) else {
      publications[place]?.parts.append(part)
      return
    }
    publications[place]?.parts[index] = part
  }

  /// The id of the story that an article belongs to, with the article, its link and its categories in it.
  fileprivate mutating func join(_ claim: Claim) -> String {
    let storyID =
      storyOfArticle[claim.articleID] ?? claim.canonicalLink.flatMap { storyOfLink[$0] } ?? alikeStory(claim)
      ?? claim.articleID
    storyOfArticle[claim.articleID] = storyID
    if let link = claim.canonicalLink, storyOfLink[link] == nil { storyOfLink[link] = storyID }
    var story = stories[storyID] ?? MemoryLedger.Story(lastClaim: claim.time)
    if stories[storyID] == nil, claim.kind == .alert, let recognition = claim.recognition {
      story.sketch = (recognition.sketch, claim.time + recognition.matching.window)
    }
    story.lastClaim = max(story.lastClaim, claim.time)
    for category in claim.categories where !story.categories.contains(category) { story.categories.append(category) }
    stories[storyID] = story
    return storyID
  }

  /// The oldest story of which the article is a near-duplicate.
  fileprivate mutating func alikeStory(_ claim: Claim) -> String? {
    guard let recognition = claim.recognition, recognition.mayJoin, claim.kind == .alert else { return nil }
    var found: (storyID: String, likeness: StoryLikeness, until: Timestamp)?
    for (storyID, story) in stories {
      guard let (sketch, until) = story.sketch, until > claim.time, found.map({ until < $0.until }) ?? true,
        !Set(story.categories).isDisjoint(with: claim.categories),
        let likeness = recognition.matching.likeness(of: recognition.sketch, to: sketch)
      else { continue }
      found = (storyID, likeness, until)
    }
    likenesses[claim.articleID] = found?.likeness
    return found?.storyID
  }

  fileprivate func publication(_ entry: MemoryLedger.Entry, at place: MemoryLedger.Place) -> Publication {
    Publication(
      storyID: place.storyID, kind: place.kind, articleID: entry.articleID, version: entry.claim.version,
      digest: entry.claim.digest, categories: stories[place.storyID]?.categories ?? [],
      notificationID: entry.claim.notificationID, time: entry.claim.time)
  }

  fileprivate func standing(of articleID: String) -> ArticleStanding {
    let known = decisions.filter { $0.articleID == articleID }
    return ArticleStanding(
      latest: known.map(\.version).max(),
      withdrawnThrough: known.filter { $0.action == .withdraw }.map(\.version).max())
  }

  /// Ends a claim that is not settled; the alert that has been told, or may have been.
  fileprivate mutating func stopAlert(of articleID: String) -> Publication? {
    guard let story = storyOfArticle[articleID] else { return nil }
    let place = MemoryLedger.Place(storyID: story, kind: .alert)
    guard var entry = publications[place], entry.articleID == articleID else { return nil }
    switch entry.outcome {
    case nil:
      entry.outcome = .refused(reason: "withdrawn before it left")
      publications[place] = entry
      return nil
    case .refused: return nil
    case .sent, .unknown: return publication(entry, at: place)
    }
  }

  fileprivate mutating func conclude(_ decision: Decision) {
    held.removeAll { $0.article.id == decision.articleID && $0.article.version <= decision.version }
    decisions.append(decision)
  }
}
