import Classify
import News
import Testing

private func table() throws -> CategoryTable {
  try CategoryTable([
    .init(.world, "World", place: "t:1"), .init(.world, "Asia", place: "t:2"),
    .init(.world, "Politik/Ausland", place: "t:3"), .init(.world, "medtop:16000000", place: "t:4"),
    .init(.politics, "Politik", place: "t:5"), .init(.business, "Wirtschaft", place: "t:6"),
    .init(.business, "Économie", place: "t:7"), .init(.technology, "Tech", place: "t:8"),
    .init(.technology, "科技", place: "t:9"), .init(.science, "Science & Environment", place: "t:10"),
    .init(.science, "Science", place: "t:11"), .init(.sports, "subj:15000000", place: "t:12"),
    .init(.sports, "Sport", place: "t:13"), .init(.sports, "2. Bundesliga", place: "t:14"),
  ])
}

private func article(_ terms: [CategoryTerm]) -> Article {
  var article = Article(id: "a", text: .init(headline: "Headline"))
  article.terms = terms
  return article
}

@Suite struct HintClassifierTests {
  @Test(
    "A term means what its row says, whatever its spelling and its path",
    arguments: [
      ("Wirtschaft", [Category.business]), ("WIRTSCHAFT", [.business]), ("economie", [.business]),
      ("E\u{301}conomie", [.business]), ("科技", [.technology]), ("world-news", []), ("  World ", [.world]),
      ("news/world/europe", [.world]), ("News > World > Oceania", [.world]), ("World|Asia", [.world]),
      ("https://example.org/section/sport/tennis", [.sports]), ("topic:tech", [.technology]), ("#Sport", [.sports]),
      ("Science & Environment", [.science]), ("Science & Tech", [.science, .technology]),
      ("Wirtschaft und Politik", [.business, .politics]), ("Tech, Sport", [.technology, .sports]),
      ("Politik", [.politics]), ("news/politik/ausland/asien", [.world]), ("Politik/Inland", [.politics]),
      ("2. Bundesliga", [.sports]), ("2-Bundesliga", []), ("Sportlerin des Jahres", []), ("Technology", []), ("", []),
      ("/", []), ("&", []),
    ])
  func terms(term: String, categories: [Category]) throws {
    let classification = HintClassifier(table: try table()).classify(article([.init(term)]), subscribed: nil)
    #expect(classification.categories == categories)
    #expect(!classification.evidence.isEmpty)
  }

  @Test(
    "IPTC's codes are known in each of their forms",
    arguments: [
      (CategoryTerm("medtop:16000000"), Category.world), (CategoryTerm("MEDTOP:16000000"), .world),
      (CategoryTerm("http://cv.iptc.org/newscodes/mediatopic/16000000"), .world),
      (CategoryTerm("16000000", scheme: "https://cv.iptc.org/newscodes/mediatopic/"), .world),
      (CategoryTerm("subj:15054000"), .sports),
      (CategoryTerm("15000000", scheme: "http://cv.iptc.org/newscodes/subjectcode"), .sports),
      (CategoryTerm("16000000"), nil), (CategoryTerm("medtop:1600000"), nil), (CategoryTerm("medtop:20000999"), nil),
    ])
  func codes(term: CategoryTerm, category: Category?) throws {
    let classification = HintClassifier(table: try table()).classify(article([term]), subscribed: nil)
    #expect(classification.categories == (category.map { [$0] } ?? []))
  }

  @Test("A label is read where the term itself says nothing")
  func labels() throws {
    let classifier = HintClassifier(table: try table())
    let labelled = classifier.classify(article([.init("c-117", label: "Sport")]), subscribed: nil)
    #expect(labelled.categories == [.sports])
    let both = classifier.classify(article([.init("Tech", label: "Sport")]), subscribed: nil)
    #expect(both.categories == [.technology])
  }

  @Test("The editor outranks the subscription, the subscription the terms")
  func precedence() throws {
    let classifier = HintClassifier(table: try table())
    var filed = article([.init("Sport")])
    #expect(classifier.classify(filed, subscribed: .world).categories == [.world])
    #expect(classifier.classify(filed, subscribed: .world).evidence.map(\.origin) == ["subscription"])
    filed.categories = [.science, .business]
    #expect(classifier.classify(filed, subscribed: .world).categories == [.science, .business])
    #expect(classifier.classify(filed, subscribed: .world).evidence.map(\.origin) == ["editor"])
  }

  @Test("Evidence names the term, the row and its place")
  func evidence() throws {
    let classifier = HintClassifier(table: try table())
    let terms: [CategoryTerm] = [.init("Berlin"), .init("économie"), .init("wirtschaft"), .init("Sport")]
    let classification = classifier.classify(article(terms), subscribed: nil)
    #expect(classification.categories == [.business, .sports])
    #expect(
      classification.evidence.map(\.detail) == [
        "the item's term \"économie\" is listed as Business (Économie, t:7)",
        "the item's term \"Sport\" is listed as Sports (Sport, t:13)",
      ])
  }

  @Test("Where nobody said anything clear it abstains, and says why")
  func abstention() throws {
    let classifier = HintClassifier(table: try table())
    let silent = classifier.classify(article([]), subscribed: nil)
    #expect(silent.abstained && silent.evidence.map(\.detail) == ["the item has no terms"])
    let strange = classifier.classify(article((1...10).map { CategoryTerm("t\($0)") }), subscribed: nil)
    #expect(strange.abstained)
    #expect(
      strange.evidence.map(\.detail) == [
        #"none of the item's terms is listed: "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8" and 2 more"#
      ])
    let cloud = ["World", "Politik", "Tech", "Sport"].map { CategoryTerm($0) }
    #expect(classifier.classify(article(cloud), subscribed: nil).abstained)
    #expect(classifier.classify(article(Array(cloud.prefix(3))), subscribed: nil).categories.count == 3)
  }

  @Test("A term as long as a book costs no more than a section's name")
  func longTerms() throws {
    let classifier = HintClassifier(table: try table())
    let path = String(repeating: "a/", count: 500_000)
    #expect(classifier.classify(article([.init(path), .init("Sport")]), subscribed: nil).categories == [.sports])
  }

  @Test("A table that says one thing twice, or nothing, is refused with the places")
  func faults() {
    #expect {
      try CategoryTable([
        .init(.world, "World", place: "t:1"), .init(.business, "Welt", place: "t:2"),
        .init(.world, "WORLD", place: "t:3"), .init(.world, "welt", place: "t:4"), .init(.world, " - ", place: "t:5"),
      ])
    } throws: { error in
      (error as? CategoryTable.Faults)?.all.map { "\($0.row.place): \($0.message)" } == [
        "t:3: the term \"WORLD\" stands already at t:1, as \"World\"",
        "t:4: the term \"welt\" stands already under Business at t:2, as \"Welt\"",
        "t:5: the term \" - \" has no letters to match",
      ]
    }
  }
}
