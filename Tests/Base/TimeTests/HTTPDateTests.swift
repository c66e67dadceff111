import Testing
import Time

@Suite("HTTP dates")
struct HTTPDateTests {
  static let now = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!

  @Test(
    "All three forms of RFC 9110 are read",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
      ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
      ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"),
      ("Mon, 30 Nov 2026 12:00:20 GMT", "2026-11-30T12:00:20Z"),
      ("Tuesday, 01-Jan-30 00:00:00 GMT", "2030-01-01T00:00:00Z"),
      ("Saturday, 31-Dec-77 23:59:59 GMT", "1977-12-31T23:59:59Z"),
      ("Thursday, 31-Dec-76 23:59:59 GMT", "2076-12-31T23:59:59Z"),
    ])
  func reads(text: String, moment: String) {
    #expect(Timestamp(httpDate: text, now: Self.now)?.rfc3339 == moment)
  }

  @Test(
    "Anything else is no date",
    arguments: [
      "", "120", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 2026 08:49:37 GMT",
      "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 94 08:49 GMT", "Sunday, 06-Nov 08:49:37 GMT",
    ])
  func refuses(text: String) {
    #expect(Timestamp(httpDate: text, now: Self.now) == nil)
  }
}
