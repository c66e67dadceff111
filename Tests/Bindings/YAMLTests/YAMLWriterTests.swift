import Testing
import YAML

@Suite struct YAMLWriterTests {
  @Test("Mappings become blocks, lists of scalars one line, other lists blocks")
  func layout() {
    let node = YAMLNode.mapping([
      ("roles", .sequence([.text("ingest"), .text("hub")])),
      ("feeds", .mapping([("interval", .text("15m")), ("proxy", .null), ("list", .sequence([]))])),
      ("locales", .sequence([.mapping([("name", .text("English")), ("phrase", .text("Breaking: {headline}"))])])),
    ])
    #expect(
      node.documentText == """
        roles: [ingest, hub]
        feeds:
          interval: 15m
          proxy: null
          list: []
        locales:
        - name: English
          phrase: 'Breaking: {headline}'

        """)
  }

  @Test(
    "Text comes back as the same text, whatever it looks like",
    arguments: [
      "plain", "", "null", "~", "true", "No", "12", "-1", ".5", "a: b", "# x", "- x", "{x}", "[x", "a, b", "*a", "&a",
      "!t", "%x", "@x", "`x`", "'", "\"", "\\", " x ", "two\nlines\n", "\ttab", "\u{7}", "中文 ü 🗞️", "$(x)", "?", "x:",
    ])
  func roundTrip(text: String) throws {
    let back = try YAMLNode(parsing: YAMLNode.mapping([(text, .sequence([.text(text)]))]).documentText)
    guard case .mapping(let entries) = back.content, case .sequence(let items)? = entries.first?.value.content,
      case .scalar(let read, _)? = items.first?.content
    else {
      Issue.record("another shape: \(back)")
      return
    }
    #expect(entries.first?.key == text)
    #expect(read == text)
    #expect(items.first?.isNull == false)
  }

  @Test(
    "Text that another reader takes for a number, a flag or a date is quoted, other text is not",
    arguments: [
      ("12", true), ("1e3", true), ("0x1f", true), ("1:30", true), ("2026-11-30T19:22:00Z", true), ("-.INF", true),
      ("off", true), ("15m", false), ("16MiB", false), ("1d", false), ("127.0.0.1/8", false), ("offset", false),
    ])
  func quoting(text: String, isQuoted: Bool) {
    #expect(YAMLNode.text(text).documentText == (isQuoted ? "\"\(text)\"\n" : "\(text)\n"))
  }

  @Test("Null comes back as null, however it was written", arguments: ["a:", "a: ~", "a: null"])
  func null(text: String) throws {
    let again = try YAMLNode(parsing: YAMLNode(parsing: text).documentText)
    #expect(again["a"]?.isNull == true)
  }
}
