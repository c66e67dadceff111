import JSON
import News
import Testing
import Time

@Suite("Article")
struct ArticleTests {
  static let whole = """
    {"id":"urn:newsroom:quake","version":3,"status":"withheld","headline":"Strong quake off Hokkaido",
     "summary":"No warning.","language":"en","translations":{"fr":{"headline":"Fort séisme","summary":"Rien."},
     "zh-Hans":{"headline":"北海道近海强震"}},"categories":["World","sports","World"],"topics":["medtop:03000000"],
     "terms":[{"term":"quake","scheme":"https://x.test/s","label":"Quake"},"asia"],"urgency":1,
     "url":"https://x.test/q","image":"https://x.test/q.jpg","source":"newsroom","authors":["A. Writer"],
     "published":"2026-11-30T19:22:00Z","updated":"2026-11-30T19:23:00Z","embargoed":"2026-11-30T21:00:00+01:00",
     "expires":"2026-12-01T00:00:00Z","desk":"night"}
    """

  @Test("Every field of the format is read, unknown ones are ignored")
  func readsAll() throws {
    let article = try Article(json: JSONValue(parsing: Self.whole))
    #expect(article.id == "urn:newsroom:quake")
    #expect(article.version == 3)
    #expect(article.status == .withheld)
    #expect(article.text == .init(headline: "Strong quake off Hokkaido", summary: "No warning."))
    #expect(article.categories == [.world, .sports])
    #expect(article.terms.map(\.term) == ["medtop:03000000", "quake", "asia"])
    #expect(article.terms[1].label == "Quake")
    #expect(article.isBreaking)
    #expect(article.embargoed == Timestamp(rfc3339: "2026-11-30T20:00:00Z"))
  }

  @Test("An article written and read again is the same")
  func roundTrips() throws {
    let article = try Article(json: JSONValue(parsing: Self.whole))
    #expect(try Article(json: JSONValue(parsing: article.json.text())) == article)
  }

  @Test("A headline in one language is enough")
  func headlineInTranslation() throws {
    let article = try Article(json: JSONValue(parsing: #"{"id":"a","translations":{"fr":{"headline":"Séisme"}}}"#))
    #expect(article.text.headline == "Séisme")
    #expect(article.language == "fr")
    #expect(article.version == 1)
  }

  @Test(
    "What is wrong is named with its path",
    arguments: [
      (#"[]"#, "is an array, an article is an object"),
      (#"{"headline":"x"}"#, "id: is missing, every article has one"),
      (#"{"id":"a"}"#, "headline: is missing, an article has one in at least one language"),
      (#"{"id":"a","headline":"  "}"#, "headline: empty"),
      (#"{"id":7,"headline":"x"}"#, "id: is a number, it has to be a string"),
      (#"{"id":"a","translations":{"fr":{"headline":""}}}"#, "translations.fr.headline: empty"),
      (#"{"id":"a","translations":{"fr":"x"}}"#, "translations.fr: is a string, it has to be an object"),
      (#"{"id":"a","headline":"x","urgency":0}"#, "urgency: is 0, it has to be a whole number from 1 to 9"),
      (#"{"id":"a","headline":"x","version":-1}"#, "version: is -1, it has to be a whole number of at least 0"),
      (#"{"id":"a","headline":"x","url":"javascript:alert(1)"}"#, "url: has to be an absolute http or https address"),
      (
        #"{"id":"a","headline":"x","published":"yesterday"}"#,
        #"published: "yesterday" is no date-time of RFC 3339 such as 2026-11-30T19:22:00Z"#
      ),
      (
        #"{"id":"a","headline":"x","categories":["World","Weather"]}"#,
        #"categories[1]: "Weather" is none of World, Politics, Business, Technology, Science, Sports"#
      ),
      (#"{"id":"a","headline":"x","status":"gone"}"#, #"status: "gone" is none of usable, withheld, canceled"#),
      (#"{"id":"a","headline":"x","terms":[{"scheme":"s"}]}"#, "terms[0].term: is missing"),
    ])
  func namesPath(json: String, message: String) throws {
    let value = try JSONValue(parsing: json)
    do {
      _ = try Article(json: value)
      Issue.record("\(json) is no article")
    } catch {
      #expect(error.description == message)
    }
  }

  @Test(
    "A language is found by its primary subtag",
    arguments: [
      ("en", "Strong quake off Hokkaido"), ("en-GB", "Strong quake off Hokkaido"), ("fr", "Fort séisme"),
      ("fr-CA", "Fort séisme"), ("zh", "北海道近海强震"), ("de", nil),
    ] as [(String, String?)])
  func findsLanguage(language: String, headline: String?) throws {
    let article = try Article(json: JSONValue(parsing: Self.whole))
    #expect(article.text(in: language)?.headline == headline)
  }
}
