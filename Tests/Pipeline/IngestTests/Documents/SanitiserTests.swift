import HTML
import Testing

@testable import Ingest

@Suite("Sanitiser") struct SanitiserTests {
  @Test(
    "What is harmless stays as it is",
    arguments: [
      "<p>One <b>two</b> <em>three</em></p>", "<ul><li>a</li><li>b</li></ul>", "<blockquote><p>q</p></blockquote>",
      "<table><tbody><tr><td colspan=\"2\">x</td></tr></tbody></table>", "<a href=\"https://example.com/\">x</a>",
      "<img src=\"https://example.com/a.png\" alt=\"a\">", "a<br>b", "<a href=\"mailto:a@example.com\">x</a>",
      "5 &lt; 6 &amp; 7",
      "<pre>\n\nx</pre>",
    ])
  func harmless(html: String) { #expect(sanitised(html) == html) }

  @Test(
    "What may do harm goes",
    arguments: [
      ("<script>alert(1)</script>x", "x"), ("<p onclick='alert(1)'>x</p>", "<p>x</p>"),
      ("<a href='javascript:alert(1)'>x</a>", "<a>x</a>"), ("<a href=' java\nscript:alert(1)'>x</a>", "<a>x</a>"),
      ("<a href='&#106;avascript:alert(1)'>x</a>", "<a>x</a>"), ("<a href='data:text/html,x'>x</a>", "<a>x</a>"),
      ("<img src='javascript:x' onerror=alert(1)>", "<img>"), ("<p style='position:fixed'>x</p>", "<p>x</p>"),
      ("<iframe src='https://example.com/'>x</iframe>y", "y"), ("<object><embed src=x></object>y", "y"),
      ("<svg><script>alert(1)</script></svg>y", "y"), ("<math><mtext><script>x</script></mtext></math>y", "y"),
      ("<style>p {}</style>y", "y"), ("<form action=x><input value=y>z</form>", "z"), ("<!-- <script> -->y", "y"),
      ("<scr<script>ipt>alert(1)</script>", "ipt&gt;alert(1)"),
      ("<p title='\"><script>'>x</p>", "<p title=\"&quot;&gt;&lt;script&gt;\">x</p>"),
      ("<IMG SRC=JaVaScRiPt:alert('x')>", "<img>"),
      ("<a href=//evil.example/x>x</a>", "<a href=\"https://evil.example/x\">x</a>"),
      (
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\"></noscript>",
        "<p title=\"&lt;/noscript&gt;&lt;img src=x onerror=alert(1)&gt;\"></p>"
      ),
      ("<base href='https://evil.example/'><a href=x>x</a>", "<a href=\"https://example.com/feed/x\">x</a>"),
      ("<meta http-equiv=refresh content=0>x", "x"), ("<x-thing>x</x-thing>", "x"),
    ])
  func harmful(html: String, safe: String) { #expect(sanitised(html) == safe) }

  @Test(
    "Links become absolute",
    arguments: [
      ("<a href='/a'>x</a>", "<a href=\"https://example.com/a\">x</a>"),
      ("<img src='b.png'>", "<img src=\"https://example.com/feed/b.png\">"),
      ("<a href='//other.example/c d'>x</a>", "<a href=\"https://other.example/c%20d\">x</a>"),
      (
        "<div xml:base='https://base.example/x/'><a href='y'>z</a></div><a href='y'>z</a>",
        "<div><a href=\"https://base.example/x/y\">z</a></div><a href=\"https://example.com/feed/y\">z</a>"
      ),
    ])
  func links(html: String, absolute: String) { #expect(sanitised(html) == absolute) }

  @Test("A relative link with nothing to be relative to goes")
  func noBase() {
    let content = FeedContent(Array("<a href='/a'>x</a>".utf8), markup: .html, base: nil)
    #expect(content.sanitised() == "<a>x</a>")
  }

  @Test("Text that declares to be text is escaped")
  func text() {
    let content = FeedContent(Array("5 < 6 <b>".utf8), markup: .text, base: nil)
    #expect(content.sanitised() == "<p>5 &lt; 6 &lt;b&gt;</p>")
  }

  @Test("A body that is an attack on the parser loses its markup, not its words")
  func attack() {
    let html = String(repeating: "<div>", count: 10_000) + "word"
    #expect(sanitised(html) == "<p>word</p>")
  }

  private func sanitised(_ html: String) -> String {
    FeedContent(Array(html.utf8), markup: .html, base: "https://example.com/feed/").sanitised()
  }
}
