import JSON
import News
import Testing
import Time

@Suite("ninjs")
struct NinjsTests {
  /// One story as the versions of ninjs write it.
  static let items: [(version: String, json: String)] = [
    (
      "1.4",
      """
      {"uri":"urn:agency:quake","type":"text","version":"3","versioncreated":"2026-11-30T19:30:00Z",
       "firstcreated":"2026-11-30T19:22:00Z","pubstatus":"usable","urgency":1,"language":"en",
       "headline":"Strong quake off Hokkaido","description_text":"No warning.","byline":"A. Writer",
       "body_html":"<p>…</p>","infosource":[{"name":"Agency"}],
       "subject":[{"name":"earthquake","scheme":"http://cv.iptc.org/newscodes/mediatopic/","code":"20000151"}],
       "associations":{"main":{"uri":"urn:p","type":"picture","renditions":{
         "original":{"href":"https://x.test/q.jpg","mimetype":"image/jpeg"}}}}}
      """
    ),
    (
      "2.1",
      """
      {"uri":"urn:agency:quake","type":"text","version":"3","versioncreated":"2026-11-30T19:30:00Z",
       "firstcreated":"2026-11-30T19:22:00Z","pubstatus":"usable","urgency":1,"language":"en",
       "headlines":[{"role":"social","value":"Shake!"},{"role":"main","value":"Strong quake off Hokkaido"}],
       "descriptions":[{"contenttype":"text/html","value":"<p>No warning.</p>"},{"role":"summary","value":"No warning."}],
       "by":"A. Writer","infosources":[{"name":"Agency"}],
       "subjects":[{"name":"earthquake","scheme":"http://cv.iptc.org/newscodes/mediatopic/","code":"20000151"}],
       "associations":[{"name":"main","uri":"urn:p","type":"picture","renditions":[
         {"name":"original","href":"https://x.test/q.jpg","contenttype":"image/jpeg"}]}]}
      """
    ),
    (
      "3.0",
      """
      {"uri":"urn:agency:quake","type":"text","version":"3","versionCreated":"2026-11-30T19:30:00Z",
       "firstCreated":"2026-11-30T19:22:00Z","pubStatus":"usable","urgency":1,"language":"en",
       "headlines":[{"role":"main","contentType":"text/plain","value":"Strong quake off Hokkaido"}],
       "descriptions":[{"role":"summary","contentType":"text/plain","value":"No warning."}],
       "by":"A. Writer","infoSources":[{"name":"Agency"}],
       "subjects":[{"name":"earthquake","scheme":"http://cv.iptc.org/newscodes/mediatopic/","code":"20000151"}],
       "associations":[{"name":"main","uri":"urn:p","type":"picture","renditions":[
         {"name":"original","href":"https://x.test/q.jpg","contentType":"image/jpeg"}]}]}
      """
    ),
  ]

  @Test("All versions say the same of one story", arguments: items.indices)
  func versions(index: Int) throws {
    let json = try JSONValue(parsing: Self.items[index].json)
    #expect(Article.isNinjs(json))
    let article = try Article(editors: json)
    var expected = Article(
      id: "urn:agency:quake", version: 3,
      text: .init(headline: "Strong quake off Hokkaido", summary: "No warning."), language: "en")
    expected.urgency = 1
    expected.terms = [
      CategoryTerm("20000151", scheme: "http://cv.iptc.org/newscodes/mediatopic/", label: "earthquake")
    ]
    expected.image = "https://x.test/q.jpg"
    expected.source = "Agency"
    expected.authors = ["A. Writer"]
    expected.published = Timestamp(rfc3339: "2026-11-30T19:22:00Z")
    expected.updated = Timestamp(rfc3339: "2026-11-30T19:30:00Z")
    #expect(article == expected)
  }

  @Test("What an item leaves out is unknown, and a version that is no number is the record's place")
  func sparse() throws {
    let article = try Article(
      editors: JSONValue(
        parsing:
          #"{"uri":"u","headline":"h","version":"draft-2","versioncreated":"2026-11-30T19:30:00Z","urgency":"2"}"#),
      defaultVersion: 42)
    #expect(article.version == 42)
    #expect(article.published == article.updated && article.published != nil)
    #expect(article.isBreaking)
    #expect(article.status == .usable)
  }

  @Test(
    "What is wrong is named with its path, in ninjs's own words",
    arguments: [
      (#"{"uri":"u"}"#, "headline: is missing, and so is a headline in headlines"),
      (#"{"uri":"u","headlines":[{"value":" "}]}"#, "headlines[0].value: empty"),
      (#"{"uri":"u","headlines":{"value":"h"}}"#, "headlines: is an object, it has to be an array"),
      (#"{"uri":7,"headline":"h"}"#, "uri: is a number, it has to be a string"),
      (#"{"uri":"u","headline":"h","type":"picture"}"#, "type: is \"picture\": only text and composite are told"),
      (#"{"uri":"u","headline":"h","pubstatus":"gone"}"#, "pubstatus: \"gone\" is none of usable, withheld, canceled"),
      (#"{"uri":"u","headline":"h","urgency":12}"#, "urgency: is 12, it has to be a number from 1 to 9"),
      (#"{"uri":"u","headline":"h","subject":["a"]}"#, "subject[0]: is a string, it has to be an object"),
      (
        #"{"uri":"u","headline":"h","versionCreated":"now"}"#,
        "versionCreated: \"now\" is no date-time of RFC 3339 such as 2026-11-30T19:22:00Z"
      ),
    ])
  func wrong(json: String, message: String) throws {
    let value = try JSONValue(parsing: json)
    let error = #expect(throws: ArticleError.self) { try Article(editors: value) }
    #expect(error?.description == message)
  }
}
