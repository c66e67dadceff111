import Testing
import Time

@Suite struct DurationWordsTests {
  @Test(
    "Durations read as people write them",
    arguments: [
      (0, "0 s"), (400, "0 s"), (500, "1 s"), (45_000, "45 s"), (60_000, "1 min"), (90_000, "1 min 30 s"),
      (5_400_000, "1 h 30 min"), (90_061_000, "1 d 1 h"), (-5000, "0 s"),
    ])
  func words(milliseconds: Int, words: String) {
    #expect(Duration.milliseconds(milliseconds).inWords == words)
  }
}
