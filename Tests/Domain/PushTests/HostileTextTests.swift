import JSON
import Push
import TestKit
import Testing

@Suite("Hostile texts")
struct HostileTextTests {
  static let seeds = [
    ##"{"aps":{"alert":"$(News_French)","badge":"#(badge)"},"l":["{'Hi ''' + .(name:{a\}b},4)}","%(url)"]}"##,
    ##"<?xml version="1.0"?><!-- c --><toast a="$(url)" b='{"x" + %(y)}'><t>$(n,3)</t><![CDATA[$(z)]]>&amp;&#x41;</toast>"##,
    "{'a ' + $(b:{c},1) + \"d\"\"e\" + .(f, 2)}", "#(n:{5})", "((World || $UserId:{a=b}) && !x.y@z) || !!(a && b)",
    "SharedAccessSignature sr=https%3a%2f%2fh%2fhub&sig=YQ%3D%3D&se=1700000000&skn=a%20b",
    "Endpoint=sb://h:1/;SharedAccessKeyName=n;SharedAccessKey=k=;EntityPath=e",
    "NH-20230803155355238-23cfaa9cd29144c8a8e05c08336d5153-07", "9999-12-31T23:59:59.9999999Z",
  ]
  static let pieces: [String] =
    ["$(", ")", "{", "}", ":{", ",", "+", "'", "\"", "\\", "#", "%", ".", "<", ">", "&", ";", "=", "]]>", "<![CDATA["]
    + [
      "||", "&&", "!", " ", "\n", "\r\n", "\u{0}", "é", "\u{301}", "👨‍👩‍👧", "\u{FEFF}", "-1", "99999999999999999999",
      "$body",
    ]

  /// A seed with a few pieces cut out, doubled and put in.
  static func text(_ generator: inout SeededGenerator) -> String {
    var scalars = Array(seeds.randomElement(using: &generator)!.unicodeScalars)
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let start = Int.random(in: 0...scalars.count, using: &generator)
      let end = Int.random(in: start...min(scalars.count, start + 4), using: &generator)
      let piece = pieces.randomElement(using: &generator)!.unicodeScalars
      scalars.replaceSubrange(start..<end, with: Bool.random(using: &generator) ? Array(piece) : [])
    }
    return String(String.UnicodeScalarView(scalars))
  }

  static func isWellFormed(_ body: String, _ format: Template.Format) -> Bool {
    do throws(TemplateError) {
      _ = try Template(body: body, format: format)
      return true
    } catch {
      // A value that looks like an expression is none of the document's faults.
      return error.kind != .bodyNotDeserialized
    }
  }

  @Test("Whatever the text, each parser answers or refuses, and what it answers keeps its promise", arguments: 0..<20)
  func parsersAnswer(seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let hostile: Properties = [
      "News_French": "\"</t>]]>$(url)\\\u{1}", "badge": "1e5", "url": "&'<\"", "z": "]]>", "n": "]]",
    ]
    for _ in 0..<250 {
      let text = Self.text(&generator)
      if let template = try? Template(body: text) {
        let rendered = template.render(hostile)
        #expect(Self.isWellFormed(rendered, template.format), "\(text) → \(rendered)")
      }
      if let expression = try? TemplateExpression(parsing: text) { _ = expression.value(hostile) }
      if let expression = try? TagExpression(parsing: text) {
        #expect(try TagExpression(parsing: expression.description) == expression, "\(text)")
      }
      if let token = try? SharedAccessSignature(parsing: text) {
        _ = try? token.verify(with: [], for: AccessRequest(host: text, path: text), at: token.expires)
      }
      _ = try? ConnectionString(parsing: text)
      _ = NotificationID(text)
      let json: JSONValue = [
        "installationId": .string(text), "platform": "apns", "pushChannel": .string(text),
        "expirationTime": .string(text),
        "tags": [.string(text)], "userId": .string(text),
        "templates": [text: ["body": .string(text), "expiry": .string(text), "headers": [text: .string(text)]]],
      ]
      if let installation = try? Installation(json: json) {
        #expect(try Installation(json: installation.json) == installation)
      }
    }
  }
}
