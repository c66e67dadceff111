import Testing

@testable import Publish

@Suite struct StoryMatchingTests {
  /// A headline with its summary, of a source in a language.
  struct Telling: Sendable {
    var headline: String
    var summary: String?
    var source: String?
    var language: String?

    init(_ headline: String, _ summary: String? = nil, source: String? = nil, language: String? = nil) {
      self.headline = headline
      self.summary = summary
      self.source = source
      self.language = language
    }

    func sketch(_ source: String) -> StorySketch? {
      StorySketch(headline: headline, summary: summary, source: self.source ?? source, language: language)
    }
  }

  private func likeness(_ first: Telling, _ second: Telling) -> StoryLikeness? {
    guard let first = first.sketch("Echo"), let second = second.sketch("Star") else { return nil }
    let found = StoryMatching.standard.likeness(of: first, to: second)
    #expect(StoryMatching.standard.likeness(of: second, to: first) == found)
    return found
  }

  static let retellings: [(Telling, Telling)] = [
    // The same words under another house's style.
    (Telling("Harbour strike ends as crews accept new rota"), Telling("HARBOUR STRIKE ENDS AS CREWS ACCEPT NEW ROTA")),
    (Telling("‘Don’t wait’: doctors warn of drug shortage"), Telling("'Don't wait' – doctors warn of drug shortage")),
    (
      Telling("Observatory finds a ring around distant dwarf planet"),
      Telling("Observatory finds a ring around distant dwarf planet, astronomers say")
    ),
    // One side says more.
    (Telling("Judge blocks the new harbour toll law"), Telling("Federal judge blocks the new harbour toll law")),
    // Words that differ, borne out by the summaries.
    (
      Telling(
        "Ferry company wins legal fight over island route",
        "The regional court ruled on Monday that the Northern Line may keep its island route for ten years."),
      Telling(
        "Ferry operator wins legal fight over island route",
        "The regional court ruled on Monday that Northern Line may keep the island route for ten more years.")
    ),
    // An agency's text under the headlines of two desks.
    (
      Telling(
        "Three whales seen in the bay again after decades",
        "Marine biologists have counted three humpback whales in the inner bay, the first since the old cannery closed."
      ),
      Telling(
        "After decades: three whales in the bay, and the town is thrilled",
        "Marine biologists have counted three humpback whales in the inner bay, the first since the old cannery closed."
      )
    ),
    (Telling("北海道近海发生强烈地震，气象厅发布海啸警报"), Telling("北海道近海发生强烈地震 气象厅发布海啸警报")),
    (
      Telling("Un juge suspend la loi sur les péages du port"),
      Telling("Un juge suspend la loi sur les péages du port : l’essentiel")
    ),
  ]

  @Test("One story in another source's words is recognised", arguments: retellings)
  func retold(_ pair: (Telling, Telling)) { #expect(likeness(pair.0, pair.1) != nil) }

  static let strangers: [(Telling, Telling)] = [
    // Series and templates.
    (
      Telling("Weather for Monday: sunny spells along the coast"),
      Telling("Weather for Tuesday: sunny spells along the coast")
    ),
    (
      Telling("Harbour diary, part 3: the keeper of the light"),
      Telling("Harbour diary, part 4: the keeper of the light")
    ),
    (Telling("Météo de lundi : soleil sur toute la côte"), Telling("Météo de mardi : soleil sur toute la côte")),
    (Telling("周一天气预报：沿海地区晴间多云"), Telling("周二天气预报：沿海地区晴间多云")),
    (Telling("Crown falls 9 cents to 81.30 in early trade"), Telling("Crown falls 7 cents to 80.11 in early trade")),
    // Pages that go on.
    (
      Telling("Live updates: storm reaches the northern coast"),
      Telling("Live updates: storm reaches the northern coast")
    ),
    (
      Telling("EN DIRECT. La tempête atteint la côte nord ce soir"),
      Telling("EN DIRECT. La tempête atteint la côte nord ce soir")
    ),
    // Another who, another what, another outcome.
    (Telling("Rovers beat Wanderers to reach the cup final"), Telling("United beat Wanderers to reach the cup final")),
    (
      Telling("Central bank raises its key interest rate again"),
      Telling("Central bank lowers its key interest rate again")
    ),
    (
      Telling("Minister says she will resign over harbour deal"),
      Telling("Minister says she will not resign over harbour deal")
    ),
    // Too short to tell anything apart.
    (Telling("Markets open higher"), Telling("Markets open higher")),
    // One source does not retell: what it repeats is a series, what it changes is a version.
    (
      Telling("Harbour strike ends as crews accept new rota", source: "Echo"),
      Telling("Harbour strike ends as crews accept new rota", source: "Echo")
    ),
    // Two languages that share their words.
    (
      Telling("Radio Noord 1 Sport Magazine Extra", language: "nl"),
      Telling("Radio Noord 1 Sport Magazine Extra", language: "de")
    ),
  ]

  @Test("Stories that only look alike stay apart", arguments: strangers)
  func apart(_ pair: (Telling, Telling)) { #expect(likeness(pair.0, pair.1) == nil) }

  @Test("Near-duplicates share a band, so that a store finds them", arguments: retellings)
  func bands(_ pair: (Telling, Telling)) throws {
    let first = try #require(pair.0.sketch("Echo"))
    let second = try #require(pair.1.sketch("Star"))
    #expect(!Set(first.bands).isDisjoint(with: second.bands))
  }

  @Test("A sketch survives its bytes, and other bytes are none")
  func bytes() throws {
    let telling = Telling(
      "Judge blocks the new harbour toll law for 30 days", "It was to begin in May.", language: "en-GB")
    let sketch = try #require(telling.sketch("Echo"))
    #expect(StorySketch(bytes: sketch.bytes) == sketch)
    for length in 0..<sketch.bytes.count { #expect(StorySketch(bytes: Array(sketch.bytes.prefix(length))) == nil) }
  }

  @Test("A sketch stays small, however long the article")
  func size() throws {
    let long = (0..<5000).map { "word\($0)" }.joined(separator: " ")
    let sketch = try #require(Telling(long, long).sketch("Echo"))
    #expect(sketch.bytes.count <= 1024)
    #expect(sketch.bands.count == 8)
  }
}
