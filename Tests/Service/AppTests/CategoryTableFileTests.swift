import Classify
import Files
import News
import Testing

@testable import App

@Suite struct CategoryTableFileTests {
  private static let file = MemoryConsole.packageRoot + "/config/categories.yaml"
  private static let shipped = Result { try CategoryTable(file: file) }

  @Test(
    "The table that ships knows the six in English, French, German and Chinese",
    arguments: [
      ("World", Category.world), ("International", .world), ("Monde", .world), ("Ausland", .world), ("国际", .world),
      ("國際", .world), ("News/World/Europe", .world), ("Politik/Ausland", .world),
      ("Politics", .politics), ("UK Politics", .politics), ("Politique", .politics), ("Innenpolitik", .politics),
      ("时政", .politics), ("Business", .business), ("Économie", .business), ("ECONOMIE", .business),
      ("Wirtschaft", .business), ("财经", .business), ("money/personal-finance", .business),
      ("Technology", .technology), ("high-tech", .technology), ("Netzwelt", .technology), ("科技", .technology),
      ("Science", .science), ("Sciences", .science), ("Wissenschaft", .science), ("科学", .science),
      ("Science & Environment", .science), ("Sport", .sports), ("Fußball", .sports), ("fussball", .sports),
      ("sport/bundesliga", .sports), ("体育", .sports), ("體育", .sports), ("Formule 1", .sports),
      ("medtop:04000000", .business), ("medtop:11000000", .politics), ("medtop:13000000", .science),
      ("medtop:15000000", .sports), ("medtop:16000000", .world), ("medtop:20000756", .technology),
      ("subj:15054000", .sports),
    ])
  func shipped(term: String, category: Category) throws {
    var article = Article(id: "a", text: .init(headline: "Headline"))
    article.terms = [CategoryTerm(term)]
    let classification = HintClassifier(table: try Self.shipped.get()).classify(article, subscribed: nil)
    #expect(classification.categories == [category])
  }

  @Test("Evidence names the place of the row in the file")
  func evidence() throws {
    var article = Article(id: "a", text: .init(headline: "Headline"))
    article.terms = [CategoryTerm("World")]
    let classification = HintClassifier(table: try Self.shipped.get()).classify(article, subscribed: nil)
    let detail = try #require(classification.evidence.first?.detail)
    #expect(detail.contains("World (World, \(Self.file):"))
  }

  @Test("What is wrong with a table is told with its place, all of it")
  func problems() throws {
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    let file = "\(directory)/t.yaml"
    func problems(_ text: String) throws -> [String] {
      try FileSystem.write(Array(text.utf8), to: file)
      do throws(Problems) {
        _ = try CategoryTable(file: file)
        return []
      } catch { return error.all.map { String("\($0)".dropFirst(directory.count + 1)) } }
    }
    #expect(
      try problems("World: [a, A, {b: c}]\nWrold: [x]\nSports: y\nBusiness:\n- a\n") == [
        "t.yaml:1:15: a term should stand here; quote it if it has : or {",
        "t.yaml:2:1: there is no category \"Wrold\"; did you mean \"World\"?",
        "t.yaml:3:9: a list of terms should stand here",
        "t.yaml:1:12: the term \"A\" stands already at \(file):1:9, as \"a\"; remove one of them",
        "t.yaml:5:3: the term \"a\" stands already under World at \(file):1:9, as \"a\"; remove one of them",
      ])
    #expect(
      try problems("[]") == [
        "t.yaml:1:1: a mapping should stand here; its keys are World, Politics, Business, Technology, Science, Sports"
      ])
    #expect(try problems("a: b: c").count == 1)
  }
}
