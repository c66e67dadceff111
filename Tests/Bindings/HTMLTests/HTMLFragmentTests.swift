import HTML
import Testing

@Suite("HTMLFragment") struct HTMLFragmentTests {
  @Test(
    "A fragment becomes the tree that HTML5 makes of it",
    arguments: [
      ("one <b>two</b>", "one [b:two]"), ("<p>a<p>b", "[p:a][p:b]"), ("<b><i>x</b>y</i>", "[b:[i:x]][i:y]"),
      ("a &amp; b &hellip; &lt;c&gt;", "a & b … <c>"), ("<3 & more", "<3 & more"), ("", ""),
      ("<x-thing a='1'>t</X-THING>", "[x-thing a=1:t]"), ("<svg><circle r=1 /></svg>", "[svg!:[circle! r=1:]]"),
      ("<script>if (a < b) {}</script>", "[script:if (a < b) {}]"), ("<!-- gone -->stays", "stays"),
      ("<body><div>in body</div></body>", "[div:in body]"), ("<img src=a.png alt='&quot;'>", "[img src=a.png alt=\":]"),
    ])
  func tree(markup: String, expected: String) throws {
    var writer = Writer()
    try HTMLFragment(Array(markup.utf8)).walk(&writer)
    #expect(writer.text == expected)
  }

  @Test("A visitor can pass over an element with all that is in it")
  func passOver() throws {
    var writer = Writer(passedOver: ["b"])
    try HTMLFragment(Array("x<b>y<i>z</i></b>!".utf8)).walk(&writer)
    #expect(writer.text == "x!")
  }

  @Test("Unclosed tags without end are refused, thousands of paragraphs are not")
  func depth() throws {
    #expect(throws: HTMLError.tooDeep(limit: 256)) {
      _ = try HTMLFragment(Array(String(repeating: "<div></x>", count: 600).utf8))
    }
    var writer = Writer()
    try HTMLFragment(Array(String(repeating: "<p>a<br>", count: 5000).utf8)).walk(&writer)
    #expect(writer.text.hasPrefix("[p:a[br:]][p:a[br:]]"))
  }

  @Test("Formatting that every paragraph must repeat is refused once the tree outgrows its bound")
  func intricate() {
    let markup =
      "<p>" + (0..<200).map { "<font size=\($0)>" }.joined() + String(repeating: "<p>x", count: 100_000)
    #expect(throws: HTMLError.tooIntricate(limit: 64 << 20)) { _ = try HTMLFragment(Array(markup.utf8)) }
  }

  @Test(
    "A tag with thousands of attributes is refused, however they are written",
    arguments: [
      (0..<2000).map { " a\($0)" }.joined(), (0..<2000).map { " a\($0)='>'" }.joined(),
      (0..<2000).map { "/a\($0)=>" }.joined().replacing(">", with: "x "), (0..<2000).map { "a\($0)=\"\"" }.joined(),
    ])
  func attributes(attributes: String) throws {
    #expect(throws: HTMLError.tooManyAttributes(limit: 1024)) {
      _ = try HTMLFragment(Array("<p \(attributes)>x</p>".utf8))
    }
    var writer = Writer()
    try HTMLFragment(Array(String(repeating: "<p a = 'b' c=\"d\"/>", count: 2000).utf8)).walk(&writer)
    #expect(writer.text.hasPrefix("[p a=b c=d:]"))
  }

  @Test("A fragment longer than the limit is refused")
  func large() {
    #expect(throws: HTMLError.tooLarge(limit: 10)) {
      _ = try HTMLFragment(Array("<p>12345678</p>".utf8), limits: HTMLLimits(bytesMax: 10))
    }
  }
}

@Suite("CharacterReferences") struct CharacterReferencesTests {
  @Test(
    "Names are HTML's, upper and lower case apart",
    arguments: [
      ("amp", "&"), ("eacute", "é"), ("Eacute", "É"), ("hellip", "…"), ("nbsp", "\u{A0}"), ("apos", "'"),
      ("NotEqualTilde", "≂̸"), ("CounterClockwiseContourIntegral", "∳"),
    ])
  func names(name: String, text: String) { #expect(CharacterReferences.text(named: name) == text) }

  @Test("Unknown names stand for nothing")
  func unknown() { #expect(CharacterReferences.text(named: "nobody") == nil) }

  @Test("Only the old names may lack the semicolon")
  func semicolon() {
    #expect(CharacterReferences.needsNoSemicolon("nbsp"))
    #expect(!CharacterReferences.needsNoSemicolon("hellip"))
  }

  @Test("Numbers of windows-1252 mean its characters, impossible ones the replacement character")
  func numbers() {
    #expect(CharacterReferences.scalar(numbered: 146) == "’")
    #expect(CharacterReferences.scalar(numbered: 8217) == "’")
    #expect(CharacterReferences.scalar(numbered: 0) == "\u{FFFD}")
    #expect(CharacterReferences.scalar(numbered: 0xD800) == "\u{FFFD}")
    #expect(CharacterReferences.scalar(numbered: 0x11_0000) == "\u{FFFD}")
  }
}

/// Writes the tree as `[name attribute=value:children]`; foreign elements have an exclamation mark.
private struct Writer: HTMLVisitor {
  var text = ""
  var passedOver: Set<String> = []

  mutating func start(_ element: borrowing HTMLElement) -> Bool {
    guard !passedOver.contains(element.name) else { return false }
    text += "[" + element.name + (element.isHTML ? "" : "!")
    var attributes = ""
    element.forEachAttribute { attributes += " \($0)=\($1)" }
    text += attributes + ":"
    return true
  }

  mutating func end(_ element: borrowing HTMLElement) { text += "]" }
  mutating func text(_ text: String) { self.text += text }
}
