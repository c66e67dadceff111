import Testing

@testable import Topics

@Suite struct PlaceReaderTests {
  private func places(_ title: String) -> [String] {
    var reader = FeatureReader(places: Places(SmallModel.places))
    reader.read(title: title, summary: "", language: nil, home: nil)
    return reader.placeNames.map { "\($0.name) \($0.country)" }
  }

  @Test(
    "A place is found by its names, whatever their case and endings",
    arguments: [
      ("FRANCE wins", ["france FR"]), ("The French vote", ["french FR"]), ("In New York today", ["newyork US"]),
      ("New ideas", []), ("US tells us", ["us US"]), ("России и россиян", ["россии RU", "россиян RU"]),
      ("法国大选", ["法国 FR"]), ("Victoria", []), ("", []),
    ])
  func names(title: String, expected: [String]) {
    #expect(places(title) == expected)
  }

  @Test("A home that is known, one that the language suggests and none give different features")
  func homes() {
    var reader = FeatureReader(places: Places(SmallModel.places))
    func features(_ language: String?, _ home: String?) -> Set<Int> {
      reader.read(
        title: "France votes", summary: "In France.", language: language, home: home.flatMap { CountryCode($0) })
      return Set(reader.placeFeatures)
    }
    let known = features("en", "FR")
    let suggested = features("fr", nil)
    let unknown = features("en", nil)
    #expect(known.isDisjoint(with: suggested) && known.isDisjoint(with: unknown) && suggested.isDisjoint(with: unknown))
    #expect(features("en", "US") != known)
    #expect(features("fr-CA", nil) == suggested)
    #expect((known.union(suggested).union(unknown).max() ?? 0) < PlaceReader.featureCount)
  }

  @Test(
    "A language is known by its frequent words",
    arguments: [
      ("Le président de la République est dans la rue", "fr"), ("Der Minister ist nicht im Amt", "de"),
      ("Il governo e la crisi della scuola", "it"), ("Het kabinet is niet op de hoogte", "nl"),
      ("Президент не знает, что это на самом деле", "ru"), ("女篮加时险胜", "zh"), ("The end of the affair", "en"),
      ("Zzz", nil), ("", nil),
    ])
  func languages(text: String, language: String?) {
    var reader = TokenReader()
    reader.read(title: text, summary: "")
    #expect(LanguageGuess.language(of: reader) == language)
  }
}
