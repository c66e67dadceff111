import JSON
import Push
import Testing

@Suite("Templates")
struct TemplateTests {
  static let properties: Properties = [
    "name": "Bob", "news": "Salut \"monde\" <b> & ]]> \\ '\n\u{1}", "badge": "40", "url": "https://e.org/?a=1&b=2",
  ]

  @Test("In JSON every string that is a value is an expression, and the rest stays as it was written")
  func json() throws {
    let template = try Template(
      body: ##"""
        { "aps": {"alert":"$(news)" , "badge": "#(badge)"},
          "$(name)": ["{'Hi ' + $(name)}", "Hi $(name)", 1.50, "\u00e9"] }
        """##)
    #expect(
      template.render(Self.properties)
        == ##"""
        { "aps": {"alert":"Salut \"monde\" <b> & ]]> \\ '\n\u0001" , "badge": 40},
          "$(name)": ["Hi Bob", "Hi $(name)", 1.50, "\u00e9"] }
        """##)
    #expect(template.propertyNames == ["news", "badge", "name"])
  }

  @Test(
    "A number is put in without quotes only where it is one",
    arguments: [("40", "{\"b\":40}"), ("-3", "{\"b\":\"-3\"}"), ("x\"", "{\"b\":\"x\\\"\"}")])
  func jsonNumber(badge: String, rendered: String) throws {
    #expect(try Template(body: ##"{"b":"#(badge)"}"##).render(["badge": badge]) == rendered)
  }

  @Test("An expression that JSON escapes is read with its escapes resolved")
  func jsonEscapes() throws {
    let template = try Template(body: #"{"a":"{\"Hi \" + $(name)}","b":"\u0024(name)"}"#)
    #expect(template.render(Self.properties) == #"{"a":"Hi Bob","b":"Bob"}"#)
  }

  @Test("In XML attributes and text are expressions, and the rest stays as it was written")
  func xml() throws {
    let template = try Template(
      body: """
        <?xml version="1.0" encoding="utf-16"?>
        <!-- $(name) -->
        <toast launch='$(url)' x = "plain" y="{&quot;a &quot; + $(name)}"><visual>
        <text id="1">$(news)</text>
        <text><![CDATA[$(news)]]></text><text>Hi $(name)</text><e/></visual></toast>
        """)
    #expect(
      template.render(Self.properties) == """
        <?xml version="1.0" encoding="utf-16"?>
        <!-- $(name) -->
        <toast launch='https://e.org/?a=1&amp;b=2' x = "plain" y="a Bob"><visual>
        <text id="1">Salut "monde" &lt;b&gt; &amp; ]]&gt; \\ '
        </text>
        <text><![CDATA[Salut "monde" <b> & ]]]]><![CDATA[> \\ '
        ]]></text><text>Hi $(name)</text><e/></visual></toast>
        """)
    #expect(template.rootElement == "toast")
    #expect(template.format == .xml)
  }

  @Test("What an attribute's quotes and a parser would change is escaped in it")
  func xmlAttribute() throws {
    let template = try Template(body: "<a b=\"$(v)\"/>")
    #expect(template.render(["v": "\"'<>&\t\r\n"]) == "<a b=\"&quot;&apos;&lt;&gt;&amp;&#9;&#13;&#10;\"/>")
  }

  @Test("A raw body is one expression, sent as it is")
  func text() throws {
    #expect(try Template(body: "{'<' + $(name) + '&'}", format: .text).render(Self.properties) == "<Bob&")
  }

  @Test("A value never becomes an expression, markup or structure")
  func singlePass() throws {
    let hostile: Properties = ["a": "$(b)", "b": "secret"]
    #expect(try Template(body: #"{"x":"$(a)"}"#).render(hostile) == #"{"x":"$(b)"}"#)
    #expect(try Template(body: "<x>$(a)</x>").render(["a": "</x><y>"]) == "<x>&lt;/x&gt;&lt;y&gt;</x>")
    #expect(try Template(body: #"{"x":"$(a)"}"#).render(["a": "\",\"y\":\""]) == #"{"x":"\",\"y\":\""}"#)
  }

  @Test("What was rendered from any text is JSON that holds the text")
  func jsonRoundTrip() throws {
    let text = String(String.UnicodeScalarView((0..<0x300).compactMap(Unicode.Scalar.init))) + "😀\u{2028}\u{FFFF}"
    let rendered = try Template(body: #"{"x":["$(a)"]}"#).render(["a": text])
    #expect(try JSONValue(parsing: rendered)["x"]?[0]?.string == text)
  }

  @Test(
    "A fault in a body is told with its place",
    arguments: [
      ("{\"aps\":{\"alert\":[\"ok\",\n \"$(na me)\"]}}", .propertyNameIsBad, "2:2 /aps/alert/1"),
      ("{\"a/b\":{\"~\":\"$5 off\"}}", .missingOpenParentheses, "1:13 /a~1b/~0"),
      ("{\"a\":[[1],{\"b\":[{},\"#ff0000\"]}]}", .missingOpenParentheses, "1:20 /a/1/b/1"),
      ("{\"a\":}", .bodyNotDeserialized, "1:6"), ("", .bodyNotDeserialized, "1:1"),
      ("[\"$(a)\"]", .invalidPayloadFormat, nil), ("\"$(a)\"", .invalidPayloadFormat, nil),
      ("<toast>\n<text>é$</text><text id='$(a'/></toast>", .missingClosingParentheses, "2:26"),
      ("<t>$body</t>", .bodyIsNotSupported, "1:4"),
    ] as [(String, TemplateError.Kind, String?)])
  func places(body: String, kind: TemplateError.Kind, place: String?) {
    let error = #expect(throws: TemplateError.self) { try Template(body: body) }
    #expect(error?.kind == kind)
    #expect(error?.place?.description == place)
  }

  @Test(
    "XML that is not well-formed is refused with what would be right",
    arguments: [
      ("<a>", "</a>"), ("<a></b>", "expected '</a>', found '</b>'"), ("<a/><b/>", "only one outermost"),
      ("<a b=c/>", "in quotes"),
      ("<a b='1' b='2'/>", "there twice"), ("<a b='1'c='2'/>", "expected a blank"), ("<a b='<'/>", "&lt;"),
      ("<a>&nbsp;</a>", "&amp;"), ("<a>R & D</a>", "&amp;"), ("<a>&#1;</a>", "&amp;"), ("<a>&#x110000;</a>", "&amp;"),
      ("<a>\u{8}</a>", "control characters"), ("<a>]]></a>", "]]&gt;"), ("<!DOCTYPE a []><a/>", "DOCTYPE"),
      ("<a><!-- -- --></a>", "comment"), ("<a><![CDATA[x</a>", "]]>"), ("<a/>x", "inside the document"),
      ("</a>", "no element is open"),
      ("<a", "'>'"), ("<1/>", "name"), ("<?xml version='1.0'?>", "expected an element"), ("<a>< b/></a>", "&lt;"),
      (String(repeating: "<a>", count: 129), "at most 128 deep"), ("<a b='x", "closing quote"),
    ])
  func malformedXML(body: String, advice: String) {
    let error = #expect(throws: TemplateError.self) { try Template(body: body) }
    #expect(error?.kind == .bodyNotDeserialized)
    #expect(error?.advice.contains(advice) == true, "\(String(describing: error))")
  }

  @Test(
    "A body that would become too long is given up before it does",
    arguments: [
      #"{"a": "$(long)", "b": "$(long)"}"#,
      "{\"a\": \"{" + Array(repeating: "$(long)", count: 5000).joined(separator: "+") + "}\"}",
      "{" + (0..<5000).map { "\"k\($0)\": \"$(long)\"" }.joined(separator: ",") + "}",
    ])
  func tooLong(_ body: String) throws {
    let template = try Template(body: body)
    let properties: Properties = ["long": String(repeating: "x", count: 60_000)]
    #expect(template.render(properties, bytesMax: 100_000) == nil)
    #expect(template.render([:], bytesMax: 100_000) == template.render([:]))
  }

  @Test("Templates are equal by body and format")
  func equality() throws {
    #expect(try Template(body: "{}") == Template(body: "{}"))
    #expect(try Template(body: "{}") != Template(body: "{ }"))
  }
}
