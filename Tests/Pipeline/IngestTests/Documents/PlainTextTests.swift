import Testing

@testable import Ingest

@Suite("PlainText") struct PlainTextTests {
  @Test(
    "HTML becomes what a reader would see of it",
    arguments: [
      ("Plain", "Plain"), ("  two \n\t words ", "two words"), ("<b>Bold</b> news", "Bold news"),
      ("Tom &amp; Jerry", "Tom & Jerry"), ("It&#8217;s &ldquo;here&rdquo;", "It’s “here”"), ("It&#146;s", "It’s"),
      ("<p>One</p><p>Two</p>", "One Two"), ("One<br/>Two", "One Two"), ("in<b>side</b>", "inside"),
      ("<ul><li>a</li><li>b</li></ul>", "a b"), ("<td>1</td><td>2</td>", "1 2"),
      ("before<script>if (a < b) alert('x')</script>after", "before after"), ("a<style>p {}</style>b", "a b"),
      ("a<!-- <b>not</b> seen -->b", "ab"), ("caf&eacute; &nbsp; cr&egrave;me", "café crème"),
      ("10&nbsp;000", "10\u{A0}000"),
      ("x&shy;y", "x\u{AD}y"), ("AT&T", "AT&T"), ("R&D spend", "R&D spend"), ("a &copy b", "a © b"),
      ("?a=1&copy=2", "?a=1&copy=2"), ("&nobody; knows", "&nobody; knows"), ("&#0;&#xD800;", "\u{FFFD}\u{FFFD}"),
      ("\u{FEFF}BOM", "BOM"), ("C1 \u{92}quote", "C1 ’quote"), ("<a href='x>y'>link</a>", "link"),
      ("<a href=\"x\" title='a > b'>link</a>", "link"),
    ])
  func html(source: String, text: String) { #expect(plain(source) == text) }

  @Test(
    "What was escaped twice is read twice",
    arguments: [
      ("It&amp;#8217;s", "It’s"), ("Tom &amp;amp; Jerry", "Tom & Jerry"), ("&lt;b&gt;Bold&lt;/b&gt; news", "Bold news"),
      ("&amp;lt;p&amp;gt;Deep&amp;lt;/p&amp;gt;", "Deep"), ("one&lt;br&gt;two", "one two"),
      ("x &amp;amp;amp; y", "x & y"),
    ])
  func twice(source: String, text: String) { #expect(plain(source) == text) }

  @Test(
    "What only looks like markup stays",
    arguments: [
      ("I <3 you", "I <3 you"), ("I &lt;3 you", "I <3 you"), ("5 < 6 and 7 > 6", "5 < 6 and 7 > 6"), ("a<b", "a<b"),
      ("vector<int> in C++", "vector<int> in C++"), ("The &lt;b&gt; element", "The <b> element"), ("<->", "<->"),
      ("Q&A", "Q&A"), ("<Name> wins", "<Name> wins"), ("x <", "x <"), ("&", "&"), ("&;", "&;"), ("&#;", "&#;"),
    ])
  func lookalikes(source: String, text: String) { #expect(plain(source) == text) }

  @Test(
    "Of a picture its words are left, of a tag that is all there is the tag, and of other markup nothing",
    arguments: [
      ("<img src='x.png' alt='A cat'>", "A cat"), (" <table> ", "<table>"), ("<b></b>", ""),
      ("<!-- x -->", ""), ("<img src='x.png'>", ""), ("<p onclick='x()'></p>", ""),
      ("<svg><title>A dot</title><circle r=\"5\"></circle></svg>", "A dot"), ("<math><mi>a</mi></math>", "a"),
    ])
  func nothingButMarkup(source: String, text: String) { #expect(plain(source) == text) }

  @Test("Only white space is empty", arguments: ["", " ", "\n\t "])
  func blank(source: String) { #expect(plain(source) == "") }

  @Test("Declared text keeps a lone tag, and loses a pair that it was not meant to have")
  func declaredText() {
    #expect(plain("Use the <b> tag", markup: .text) == "Use the <b> tag")
    #expect(plain("<b>Bold</b> news", markup: .text) == "Bold news")
    #expect(plain("line<br>break", markup: .text) == "line break")
    #expect(plain("AT&amp;T", markup: .text) == "AT&T")
  }

  @Test("Long sources cost time in proportion", arguments: ["<b", "<b>", "<!--", "&amp;", "<a '", "</i>", "<script>"])
  func linear(piece: String) {
    let source = String(repeating: piece, count: 100_000)
    let clock = ContinuousClock()
    let elapsed = clock.measure { _ = plain(source, markup: .text) }
    // Quadratic work would take hours.
    #expect(elapsed < .seconds(20))
  }

  private func plain(_ source: String, markup: PlainText.Markup = .html) -> String {
    PlainText.text(of: Array(source.utf8)[...], markup: markup)
  }
}
