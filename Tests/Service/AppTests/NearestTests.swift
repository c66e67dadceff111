import Testing

@testable import App

@Suite struct NearestTests {
  private let known = ["interval", "url", "userAgent", "file", "list", "tls", "page", "port", "proxy", "World"]

  @Test(
    "A slip finds the name that was meant, a stranger finds none",
    arguments: [
      ("intervall", "interval"), ("itnerval", "interval"), ("INTERVAL", "interval"), ("user-agent", "userAgent"),
      ("useragent", "userAgent"), ("fiel", "file"), ("prot", "port"), ("tsl", "tls"), ("pages", "page"),
      ("world", "World"), ("ulr", "url"), ("kafka", nil), ("x", nil), ("", nil), ("headquarters", nil),
    ])
  func nearest(written: String, meant: String?) {
    #expect(known.nearest(to: written) == meant)
  }

  @Test("Without a near name all are told")
  func suggestion() {
    #expect(["a1", "b2"].suggestion(for: "zzzz") == "known are a1, b2")
    #expect(["alpha"].suggestion(for: "alhpa") == "did you mean \"alpha\"?")
  }
}
