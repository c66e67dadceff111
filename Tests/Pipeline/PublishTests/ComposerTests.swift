import News
import Publish
import Push
import Testing
import Time

@Suite("Composer")
struct ComposerTests {
  static let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!

  static func locale(_ name: String, _ language: String, _ phrase: String, _ world: String, skip: Bool = false)
    -> Locale
  {
    try! Locale(
      name: name, language: language, phrase: Phrase(parsing: phrase), categoryNames: [.world: world],
      untranslated: skip ? .skip : .phrase)
  }

  static let locales = [
    locale("English", "en", "Breaking {category} News: {headline}", "World"),
    locale("French", "fr", "Flash {category} : {headline}", "Monde"),
    locale("Mandarin", "zh", "{category}快讯：{headline}", "国际"),
  ]

  static func composer(_ locales: [Locale] = locales, routing: String = "{category}") throws -> Composer {
    Composer(locales: locales, routing: try Routing(parsing: routing), lifetime: .seconds(3600))
  }

  static func publication(story: String = "a") -> Publication {
    Publication(
      storyID: story, kind: .alert, articleID: "a", categories: [.world],
      notificationID: NotificationID("NH-20261130120000000-00000000000000000000000000000000-01")!, time: noon)
  }

  @Test("Every language gets the article's own text, else its phrase around the original headline")
  func fillsLanguages() throws {
    var article = Article(id: "a", text: .init(headline: "Strong quake"), language: "en-GB")
    article.translations = ["fr": .init(headline: "Fort séisme")]
    article.url = "https://x.test/q"
    let sent = try #require(
      try Self.composer().compose(article, categories: [.world], as: Self.publication()))
    #expect(
      sent.properties == [
        "messageParam": "Strong quake", "News_English": "Strong quake", "News_French": "Fort séisme",
        "News_Mandarin": "国际快讯：Strong quake", "category": "World", "title": "Strong quake", "articleId": "a",
        "storyId": "a", "version": "1", "kind": "alert", "collapseId": "a", "expires": "2026-11-30T13:00:00Z",
        "url": "https://x.test/q", "breaking": "false",
      ])
    #expect(sent.audience == .matching(try TagExpression(parsing: "World")))
    #expect(sent.id == Self.publication().notificationID)
    #expect(sent.expires == Self.noon + .seconds(3600))
  }

  @Test("An article in no known language is told by every phrase, the default one included")
  func unknownLanguage() throws {
    let article = Article(id: "a", text: .init(headline: "Sterk skjelv"), language: nil)
    let sent = try #require(
      try Self.composer().compose(article, categories: [.world], as: Self.publication()))
    #expect(sent.properties["messageParam"] == "Breaking World News: Sterk skjelv")
    #expect(sent.properties["News_French"] == "Flash Monde : Sterk skjelv")
  }

  @Test("A headline that looks like a placeholder stays a headline")
  func singlePass() throws {
    let article = Article(id: "a", text: .init(headline: "{category} {headline} $(title)"))
    let sent = try #require(
      try Self.composer().compose(article, categories: [.world], as: Self.publication()))
    #expect(sent.properties["News_French"] == "Flash Monde : {category} {headline} $(title)")
  }

  @Test("Readers of a locale that skips are left out by their tag, unless the article speaks their language")
  func skips() throws {
    let locales = [Self.locales[0], Self.locale("French", "fr", "{headline}", "Monde", skip: true)]
    var article = Article(id: "a", text: .init(headline: "Strong quake"), language: "en")
    let composer = try Self.composer(locales)
    #expect(
      try composer.compose(article, categories: [.world, .science], as: Self.publication())?.audience
        == .matching(try TagExpression(parsing: "(World || Science) && !French")))
    article.translations = ["fr": .init(headline: "Fort séisme")]
    #expect(
      try composer.compose(article, categories: [.world], as: Self.publication())?.audience
        == .matching(try TagExpression(parsing: "World")))
  }

  @Test("Who writes in one language at a time writes to those who bear its tag, or to nobody")
  func narrows() throws {
    let french = Self.locale("French", "fr", "{headline}", "Monde", skip: true)
    let composer = Composer(
      locales: [french], routing: try Routing(parsing: "{category}"), lifetime: .seconds(60), readers: .ofItsLocales)
    var article = Article(id: "a", text: .init(headline: "Strong quake"), language: "en")
    #expect(try composer.compose(article, categories: [.world], as: Self.publication()) == nil)
    article.translations = ["fr": .init(headline: "Fort séisme")]
    let sent = try composer.compose(article, categories: [.world, .science], as: Self.publication())
    #expect(sent?.audience == .matching(try TagExpression(parsing: "(World || Science) && French")))
    #expect(sent?.properties["messageParam"] == "Fort séisme")
    #expect(sent?.properties["News_English"] == nil)
  }

  @Test(
    "A text is one line, cut between graphemes within its bytes",
    arguments: [
      ("  a\n\tb  ", "a b"),
      (String(repeating: "👨‍👩‍👧", count: 100), String(repeating: "👨‍👩‍👧", count: 56) + "…"),
      (String(repeating: "强", count: 400), String(repeating: "强", count: 340) + "…"),
      (String(repeating: "x", count: 1021), String(repeating: "x", count: 1021)),
      ("no\u{A0}break", "no break"), ("thin\u{2009}space", "thin space"), ("line\u{2028}end", "line end"),
      ("wide\u{3000}space", "wide space"), ("next\u{85}line", "next line"), ("ogham\u{1680}mark", "ogham mark"),
      ("narrow\u{202F}one", "narrow one"), ("math\u{205F}one", "math one"), ("two  spaces", "two spaces"),
      ("l’eau — 「快讯」。", "l’eau — 「快讯」。"), ("Ů…€", "Ů…€"), (" before", "before"), ("after ", "after"),
    ])
  func clips(headline: String, shown: String) throws {
    let composed = try Self.composer().compose(
      Article(id: "a", text: .init(headline: headline), language: "en"), categories: [.world],
      as: Self.publication())
    let sent = try #require(composed)
    #expect(sent.properties["title"] == shown)
    #expect(sent.properties["title"]!.utf8.count <= Composer.textBytesMax)
  }

  @Test("A story's id that is long or may not stand in a header still collapses one story only")
  func collapses() throws {
    let long = String(repeating: "s", count: 100)
    let ids = try [long + "a", long + "b", "séisme", "two words", "line\nbreak", "urn:newsroom:1"].map { story in
      let sent = try Self.composer().compose(
        Article(id: "a", text: .init(headline: "H")), categories: [.world], as: Self.publication(story: story))
      return try #require(sent?.properties["collapseId"])
    }
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.utf8.count <= Composer.collapseIDBytesMax })
    #expect(ids.joined().utf8.allSatisfy { (0x21...0x7E).contains($0) })
    #expect(ids.last == "urn:newsroom:1")
  }
}

@Suite("Routing")
struct RoutingTests {
  @Test(
    "A pattern is filled for each category",
    arguments: [
      ("{category}", "World || Sports"),
      ("{category} && edition:uk", "World && edition:uk || Sports && edition:uk"),
      ("$UserId:{42} && {category}", "$UserId:{42} && World || $UserId:{42} && Sports"),
      ("everyone", "everyone"),
    ])
  func fills(pattern: String, expression: String) throws {
    let audience = try Routing(parsing: pattern).audience(of: [.world, .sports])
    #expect(audience == .matching(try TagExpression(parsing: expression)))
  }

  @Test(
    "What is no expression is refused at the start",
    arguments: [
      "", "{category} &&", "{categories}", "{category", "({category}", "a && b && c && d && e && f && {category}",
    ])
  func refuses(pattern: String) {
    #expect(throws: RoutingError.self) { try Routing(parsing: pattern) }
  }
}

@Suite("Phrase")
struct PhraseTests {
  @Test(
    "What is wrong with a phrase is said with its place",
    arguments: [
      ("{category}", "column 1: {headline} is missing: a reader would not learn what happened"),
      ("News: {headlin}", "column 7: {headlin} is not known; {category} and {headline} are"),
      ("{headline} }", "column 12: a brace without its partner; {category} and {headline} are known"),
      ("{headline} {", "column 12: a brace without its partner; {category} and {headline} are known"),
    ])
  func refuses(text: String, message: String) {
    do {
      _ = try Phrase(parsing: text)
      Issue.record("\(text) is no phrase")
    } catch {
      #expect(error.description == message)
    }
  }
}
