import Curl
import Files
import TestKit
import Testing

@Suite struct URLReferenceTests {
  @Test(
    "RFC 3986, section 5.4, holds",
    arguments: [
      ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
      ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
      (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
      ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
      ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
      ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
      ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
      ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
      ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
      ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
      ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
      ("g#s/../x", "http://a/b/c/g#s/../x"),
    ])
  func standardExamples(reference: String, expected: String) {
    #expect(URLReference.resolve(reference, against: "http://a/b/c/d;p?q") == expected)
  }

  @Test(
    "What stands in feeds becomes absolute and right",
    arguments: [
      ("\n\t http://example.org/a \n", "http://example.org/a"),
      ("http://example.org/a b.html", "http://example.org/a%20b.html"),
      ("/search?q=two words", "https://news.example/search?q=two%20words"),
      ("http://example.org/a\n  b", "http://example.org/a%20%20b"),
      ("//cdn.example/i.png", "https://cdn.example/i.png"),
      ("HTTP://EXAMPLE.org/Path", "http://example.org/Path"),
      ("http:/example.org/x", "http://example.org/x"),
      ("http:///example.org/x", "http://example.org/x"),
      ("http:\\\\example.org\\x", "http://example.org/x"),
      ("http://bücher.example/ä?ö#ü", "http://xn--bcher-kva.example/%C3%A4?%C3%B6#%C3%BC"),
      ("http://example.org/100%", "http://example.org/100%"),
      ("http://example.org/%2e%2e/x", "http://example.org/%2e%2e/x"),
      ("http://user:pa:ss@BÜCHER.example:8080", "http://user:pa:ss@xn--bcher-kva.example:8080"),
      ("http://example.org", "http://example.org"),
      ("http://example.org?a=1", "http://example.org?a=1"),
      ("http://user@EXAMPLE.org:8080/x", "http://user@example.org:8080/x"),
      ("http://[2001:DB8::1]:80/x", "http://[2001:db8::1]:80/x"),
      ("mailto:desk@example.org", "mailto:desk@example.org"),
      ("urn:uuid:1225c695-cfb8-4ebb-aaaa-80da344efa6a", "urn:uuid:1225c695-cfb8-4ebb-aaaa-80da344efa6a"),
      ("日本.html", "https://news.example/world/%E6%97%A5%E6%9C%AC.html"),
    ])
  func feedLinks(reference: String, expected: String) {
    #expect(URLReference.resolve(reference, against: "https://news.example/world/index.xml") == expected)
  }

  @Test("A relative reference without a base is none", arguments: ["/a", "a b", "//host/x", "?q", "#f", ""])
  func noBase(reference: String) {
    #expect(URLReference.resolve(reference) == nil)
  }

  @Test("A web URL without a host is none", arguments: ["http://", "https:///", "http:", "http://a b/", "http://?x"])
  func noHost(reference: String) {
    #expect(URLReference.resolve(reference, against: "http://example.org/") == nil)
  }

  @Test("A base that has no path completes only a fragment")
  func opaqueBase() {
    #expect(URLReference.resolve("#f", against: "mailto:a@b") == "mailto:a@b#f")
    #expect(URLReference.resolve("x", against: "mailto:a@b") == nil)
    #expect(URLReference.resolve("x", against: "http://example.org") == "http://example.org/x")
  }
}

@Suite struct WebURLTests {
  @Test(
    "A URL has one canonical text",
    arguments: [
      ("http://Example.com", "http://example.com/"),
      ("http://example.com:80/a", "http://example.com/a"),
      ("https://example.com:443/a?b#c", "https://example.com/a?b#c"),
      ("https://example.com:8443", "https://example.com:8443/"),
      ("http://0x7f.1/", "http://127.0.0.1/"),
      ("http://2130706433/", "http://127.0.0.1/"),
      ("http://0177.0.0.1/", "http://127.0.0.1/"),
      ("http://[::1]:8/x", "http://[::1]:8/x"),
      ("http://user:secret@example.com/x", "http://example.com/x"),
    ])
  func canonical(text: String, expected: String) throws {
    #expect(try WebURL(text).text == expected)
  }

  @Test(
    "What no request can be sent to says why",
    arguments: [
      ("file:///etc/passwd", "the scheme must be http or https, not file"),
      ("ftp://example.org/x", "the scheme must be http or https, not ftp"),
      ("/feed.xml", "an absolute URL is needed, such as https://example.org/feed.xml"),
      ("http://example.org:99999/", "port number"),
    ])
  func refused(text: String, reason: String) {
    let error = #expect(throws: MalformedURL.self) { try WebURL(text) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test("A host that has no punycode leaves no memory behind")
  func leavesNothing() {
    let text = "http://\(String(repeating: "\u{2028}", count: 100))/"
    #expect(!keepsMemory(times: 15_000) { #expect(throws: MalformedURL.self) { try WebURL(text) } })
  }

  @Test("A host longer than any name is refused at once")
  func endlessHost() {
    let start = ResourceUsage.now.processorTime
    let host = String(repeating: "é", count: 200_000)
    #expect(URLReference.resolve("http://\(host)/") == nil)
    #expect(throws: MalformedURL.self) { try WebURL("http://\(host)/") }
    // libidn2 needs more than a minute for it.
    #expect(ResourceUsage.now.processorTime - start < .seconds(10))
  }

  @Test("A password shows nowhere")
  func secret() throws {
    let url = try WebURL("https://user:hunter2@example.org/feed")
    #expect(!"\(url) \(String(reflecting: url)) \(url.text)".contains("hunter2"))
    #expect(url.hasLogin)
  }

  @Test("A redirect keeps the login only where it was meant for")
  func redirects() throws {
    let url = try WebURL("https://user:hunter2@example.org/feed")
    #expect(try url.redirected(to: "/other").hasLogin)
    #expect(try url.redirected(to: "https://example.org:443/other").hasLogin)
    #expect(try !url.redirected(to: "http://example.org/other").hasLogin)
    #expect(try !url.redirected(to: "//example.com/other").hasLogin)
    #expect(try url.redirected(to: "b c").text == "https://example.org/b%20c")
    #expect(throws: MalformedURL.self) { try url.redirected(to: "file:///etc/passwd") }
  }
}
