import TestKit
import Testing
import XML

@Suite("XMLParser") struct XMLParserTests {
  @Test("Elements, attributes and text come in document order")
  func order() throws {
    let recorder = Recorder(["a": .elements])
    let document = #"<a x="1"><b>one<i>two</i></b>three<c/><d y="2"/></a>"#
    try XMLParser(visitor: recorder).finish(with: Array(document.utf8))
    #expect(recorder.events == ["<a x=1>", "<b>", "onetwo>", "<c>", ">", "<d y=2>", ">", ">"])
  }

  @Test(
    "A visitor gets what it wants of an element",
    arguments: [
      (XMLInterest.elements, ["<a>", "<b>", "<c z=\">", "&>", "<br>", ">", ">"]), (.text, ["<a>", "<b>", "x&y>", ">"]),
      (.html, ["<a>", "<b>", "x<c z=\"&quot;\">&</c><br>y>", ">"]),
      (.xhtml, ["<a>", "<b>", "x<c z=\"&quot;\">&amp;</c><br>y>", ">"]), (.nothing, ["<a>", "<b>", ">"]),
    ])
  func interests(interest: XMLInterest, events: [String]) throws {
    let recorder = Recorder(["a": .elements, "b": interest, "br": .nothing])
    let document = #"<a><b>x<h:c xmlns:h="urn:h" z="&quot;">&amp;</h:c><br/>y</b></a>"#
    try XMLParser(visitor: recorder).finish(with: Array(document.utf8))
    #expect(recorder.events == events)
  }

  @Test(
    "References are read in text and in attributes",
    arguments: [
      (#"<a x="?p=1&amp;q=2&lt;&quot;">?p=1&amp;q=2&lt;</a>"#, "?p=1&q=2<\"", "?p=1&q=2<"),
      (#"<a x="&#8211;&#x2014;">&#8211;&#x2014;</a>"#, "–—", "–—"),
      (#"<a x="caf&eacute; &amp; more">caf&eacute; &amp; more</a>"#, "café & more", "café & more"),
      (#"<a x="&AMP;&two;">&AMP;&two;</a>"#, "&<&", "&<&"),
    ])
  func references(document: String, attribute: String, text: String) throws {
    let recorder = Recorder()
    try XMLParser(visitor: recorder).finish(with: Array(document.utf8))
    #expect(recorder.attributes == [attribute])
    #expect(recorder.text == text)
  }

  @Test("An entity that nobody knows stays as it is written, and so does the text around it")
  func unknownEntity() throws {
    let recorder = Recorder()
    try XMLParser(visitor: recorder).finish(with: Array(#"<a x="1&nobody;2">3&nobody;4&amp;5</a>"#.utf8))
    #expect(recorder.attributes == ["1&nobody;2"])
    #expect(recorder.text == "3&nobody;4&5")
  }

  @Test("XHTML that begins with a reference is escaped from its first byte")
  func escapedFirst() throws {
    let recorder = Recorder(["a": .xhtml])
    try XMLParser(visitor: recorder).finish(with: Array("<a>&amp;x&lt;</a>".utf8))
    #expect(recorder.text == "&amp;x&lt;")
  }

  @Test("CDATA is untouched")
  func cdata() throws {
    #expect(try events(of: "<a><![CDATA[&nbsp; & <b>]]></a>") == ["<a>", "&nbsp; & <b>>"])
  }

  @Test("Entities of the internal subset are read, also inside each other and in attributes")
  func internalSubset() throws {
    let recorder = Recorder()
    let document = #"<!DOCTYPE a [<!ENTITY p "tag:"><!ENTITY q "&p;x&#38;amp;y">]><a x="&q;">&q;z</a>"#
    try XMLParser(visitor: recorder).finish(with: Array(document.utf8))
    #expect(recorder.text == "tag:x&yz")
    #expect(recorder.attributes == ["tag:x&y"])
  }

  @Test("A billion laughs end with an error that names the bound")
  func billionLaughs() {
    var document = "<!DOCTYPE a [<!ENTITY l0 'lol'>"
    for level in 1...9 {
      document += "<!ENTITY l\(level) '\(String(repeating: "&l\(level - 1);", count: 10))'>"
    }
    document += "]><a>&l9;</a>"
    #expect(throws: XMLError.tooLarge(.entities, limit: 1 << 20)) { try events(of: document) }
  }

  @Test("Many references to one large entity are bounded alike")
  func quadraticBlowup() {
    let document =
      "<!DOCTYPE a [<!ENTITY l '\(String(repeating: "l", count: 50_000))'>]><a>"
      + String(repeating: "&l;", count: 1000) + "</a>"
    #expect(throws: XMLError.tooLarge(.entities, limit: 1 << 20)) { try events(of: document) }
  }

  @Test("An entity that refers to itself ends with an error")
  func selfReference() {
    #expect(throws: XMLError.tooLarge(.entities, limit: 1 << 20)) {
      try events(of: "<!DOCTYPE a [<!ENTITY l '&l;'>]><a>&l;</a>")
    }
  }

  @Test("An external entity is never loaded: its reference stays as it is written")
  func externalEntity() throws {
    let events = try events(of: "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a>[&x;]</a>")
    #expect(events == ["<a>", "[&x;]>"])
  }

  @Test(
    "What is not well-formed ends the parse with its place",
    arguments: [
      ("<a>R&D spend</a>", 1), ("<a>\n<b></a>", 2), ("<a>\u{8}</a>", 1), ("<a>&#x18;</a>", 1), ("<a x=1/>", 1),
      ("<a", 1), ("", 1), ("\0<\0a\0>", 1), ("<\0\0\0a", 1), ("\n <?xml version='1.0'?><a/>", 2),
    ])
  func illFormed(document: String, line: Int) {
    #expect {
      try events(of: document)
    } throws: {
      guard case XMLError.illFormed(let place, _) = $0 else { return false }
      return place.line == line
    }
  }

  @Test("What follows a complete root is told apart, for nothing is lost before it")
  func contentAfterRoot() {
    let recorder = Recorder()
    #expect {
      try XMLParser(visitor: recorder).finish(with: Array("<a>text</a><script/>".utf8))
    } throws: {
      guard case XMLError.contentAfterRoot = $0 else { return false }
      return true
    }
    #expect(recorder.events == ["<a>", "text>"])
  }

  @Test("Depth, attributes and namespaces are bounded")
  func limits() {
    let deep = String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300)
    #expect(throws: XMLError.tooDeep(limit: 256)) { try events(of: deep) }
    let wide = "<a " + (0..<600).map { "x\($0)='' " }.joined() + "/>"
    #expect(throws: XMLError.tooLarge(.attributes, limit: 512)) { try events(of: wide) }
    let spaced = "<a>" + (0..<5000).map { "<b xmlns:n\($0)='n'/>" }.joined() + "</a>"
    #expect(throws: XMLError.tooLarge(.namespaces, limit: 4096)) { try events(of: spaced) }
  }

  @Test(
    "A tag of a hundred thousand attributes is refused before anything compares them, wherever it hides",
    .timeLimit(.minutes(1)),
    arguments: [
      "", "<!-- it's -->", "<![CDATA[ <b c=' ]]>", "<b c='>' d=\">\"/>", "it's <b>so</b>", "<?p a='?>",
    ])
  func manyAttributes(before: String) {
    let wide = "<a>\(before)<b x='>' " + (0..<100_000).map { "x\($0)='' " }.joined() + "/></a>"
    #expect(throws: XMLError.tooLarge(.attributes, limit: 512)) { try events(of: wide) }
    #expect(throws: XMLError.tooLarge(.attributes, limit: 512)) {
      let parser = XMLParser(visitor: Recorder())
      let bytes = Array(wide.utf8)
      for start in stride(from: 0, to: bytes.count, by: 65_537) {
        try parser.parse(Array(bytes[start..<min(start + 65_537, bytes.count)]))
      }
    }
  }

  @Test("Text may hold as many signs of equality as it likes")
  func equalitySigns() throws {
    let text = String(repeating: "a = b, ", count: 20_000)
    _ = try events(of: "<a>\(text)<![CDATA[\(text)]]><b c='\(text)'/></a>")
  }

  @Test(
    "A text larger than libxml2's own limits arrives whole, if it is within the limit here", arguments: [false, true])
  func hugeText(cdata: Bool) throws {
    let text = String(repeating: "x", count: 11_000_000)
    let document = Array((cdata ? "<a><![CDATA[\(text)]]></a>" : "<a>\(text)</a>").utf8)
    let recorder = Recorder()
    try XMLParser(visitor: recorder, limits: XMLLimits(textBytesMax: 11_000_000)).finish(with: document)
    #expect(recorder.text.utf8.count == text.utf8.count)
    #expect(throws: XMLError.tooLarge(.text, limit: 8 << 20)) {
      try XMLParser(visitor: Recorder()).finish(with: document)
    }
  }

  @Test(
    "More names than any document needs are refused before they cost time",
    arguments: [
      ["<a ", " x#=''", "/>"], ["<a>", "<x#/>", "</a>"], ["<a>", "&x#;", "</a>"],
      ["<!DOCTYPE a [", "<!ENTITY x# ''>", "]><a/>"], ["<!DOCTYPE a [<!ATTLIST a ", " x# CDATA ''", ">]><a/>"],
    ])
  func manyNames(pieces: [String]) {
    var document = pieces[0]
    for number in 0..<200_000 { document += pieces[1].replacing("#", with: String(number)) }
    document += pieces[2]
    let elapsed = ContinuousClock().measure {
      #expect {
        try events(of: document)
      } throws: {
        // An element that has too many attributes as well may be refused for those.
        guard case XMLError.tooLarge(let part, _) = $0 else { return false }
        return part == .names || part == .attributes
      }
    }
    // Comparing each with every other would take minutes.
    #expect(elapsed < .seconds(20))
  }

  @Test("Pieces of any size give the same text", arguments: [1, 2, 3, 7, 64])
  func pieces(size: Int) throws {
    let document = Array("<a x='ü'>München &amp; <![CDATA[東京]]> &eacute;</a>".utf8)
    let recorder = Recorder()
    let parser = XMLParser(visitor: recorder)
    var rest = document[...]
    while !rest.isEmpty {
      try parser.parse(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    try parser.finish()
    #expect(recorder.text == "München & 東京 é")
    #expect(recorder.attributes == ["ü"])
  }

  @Test("A visitor that has heard enough ends the parse")
  func stop() {
    let recorder = Recorder(["a": .elements])
    recorder.eventsMax = 2
    #expect(throws: XMLError.stopped) {
      try XMLParser(visitor: recorder).finish(with: Array("<a><b/><c/></a>".utf8))
    }
    #expect(recorder.events == ["<a>", "<b>"])
  }

  @Test("Each distinct name is asked about once, with its namespace and prefix")
  func names() throws {
    let recorder = Recorder(["a": .elements])
    let document = "<a xmlns='urn:a' xmlns:b='urn:b'><b:c/><b:c/><c/><d:c/><e:c/></a>"
    try XMLParser(visitor: recorder).finish(with: Array(document.utf8))
    #expect(recorder.names.map(\.local) == ["a", "c", "c", "c", "c"])
    #expect(recorder.names.map(\.namespace) == ["urn:a", "urn:b", "urn:a", nil, nil])
    #expect(recorder.names.map(\.prefix) == [nil, "b", nil, "d", "e"])
  }

  @Test("A document that declares entities leaves no memory behind")
  func leavesNothing() throws {
    let document = #"<!DOCTYPE a [<!ENTITY e "x"><!ENTITY f SYSTEM "file:///f">]><a>&e;</a>"#
    // libxml2 would keep thirteen kilobytes of each.
    #expect(try !keepsMemory(times: 1000) { _ = try events(of: document) })
  }

  private func events(of document: String) throws -> [String] {
    let recorder = Recorder()
    try XMLParser(visitor: recorder).finish(with: Array(document.utf8))
    return recorder.events
  }
}

/// Writes down what it hears: `<name attributes>`, and `text>` for an end.
private final class Recorder: XMLVisitor {
  var events: [String] = []
  var names: [XMLName] = []
  var attributes: [String] = []
  var text = ""
  var eventsMax = Int.max
  /// What is wanted of elements by name; text of all others.
  private let interests: [String: XMLInterest]

  init(_ interests: [String: XMLInterest] = [:]) { self.interests = interests }

  func code(for name: XMLName) -> UInt16 {
    names.append(name)
    return UInt16(names.count)
  }

  func start(_ element: borrowing XMLElement) throws(XMLStop) -> XMLInterest {
    var event = "<" + element.localName
    for index in 0..<element.attributeCount {
      let code = element.code(at: index)
      attributes.append(element.value(at: index))
      event += " \(names[Int(code) - 1].local)=\(element[code] ?? "")"
    }
    try record(event + ">")
    return interests[element.localName] ?? .text
  }

  func end(_ element: borrowing XMLEndElement) throws(XMLStop) {
    text = String(decoding: element.text, as: UTF8.self)
    try record(text + ">")
  }

  func entity(named name: String) -> String? {
    switch name {
    case "eacute": "é"
    case "AMP": "&"
    case "two": "<&"
    default: nil
    }
  }

  private func record(_ event: String) throws(XMLStop) {
    guard events.count < eventsMax else { throw XMLStop() }
    events.append(event)
  }
}
