import JSON
import Push
import TestKit
import Testing

@Suite("Template expressions")
struct TemplateExpressionTests {
  static let properties: Properties = [
    "Name": "Bob", "title": "This is the title line", "badge": "40", "url": "a b/c&d=é", "zero": "0", "family": "👨‍👩‍👧‍👦👍🏽é日本",
    "trick": "$(name)", "empty": "",
  ]

  @Test(
    "Every recorded vector holds, in kind, value and error", .enabled(if: Corpora.arePresent, Corpora.absence))
  func recordedVectors() throws {
    let recording = try Corpora.json("recordings/template-vectors.json")
    let properties = try Properties(json: #require(recording["properties"]))
    let vectors = try #require(recording["vectors"]?.array)
    #expect(vectors.count >= 36)
    for vector in vectors {
      let text = try #require(vector["expression"]?.string)
      do throws(TemplateError) {
        let expression = try TemplateExpression(parsing: text)
        let value: TemplateExpression.Value? =
          if let number = vector["value"]?["number"]?.string { .number(number) } else {
            vector["value"]?.string.map { .text($0) }
          }
        #expect(expression.kind.rawValue == vector["type"]?.string, "\(text)")
        #expect(expression.value(properties) == value, "\(text)")
      } catch {
        #expect(error.kind.rawValue == vector["error"]?.string, "\(text): \(error)")
      }
    }
  }

  @Test(
    "An expression gives its properties' texts, treated as asked",
    arguments: [
      ("%(url)", "a%20b%2Fc%26d%3D%C3%A9"), ("%(missing)", ""), ("%(missing:{a b})", "a%20b"),
      ("$(title, 4)", "This"), ("$(title,+4)", "This"), ("$(title, 400)", "This is the title line"),
      ("$(title,-0)", ""), (".(title,22)", "This is the title line"), (".(title,21)", "This is the title ..."),
      (".(title,4)", "T..."), (".(title,3)", "..."), (".(title,2)", ".."), (".(title,0)", ""), (".(missing,3)", ""),
      (".(missing:{a longer default},9)", "a long..."), ("$(who:{guest})", "guest"), ("$(empty:{guest})", ""),
      ("$(who:{a\\}b\\\\c})", "a}b\\c"), ("$(who:{})", ""), ("$(who:{$(name)})", "$(name)"), ("$(who :{x})", "x"),
      ("$(who:{a},1)", "a"), ("$(who:{ab}, 1 )", "a"), ("#(who:{7})", "7"),
      ("{'it''s ' + \"a \"\"b\"\"\"}", "it's a \"b\""), ("{''''}", "'"), ("{'' + 'a'}", "a"), ("{'a+b'}", "a+b"),
      ("{ 'a'   +\t$(NAME)+'b' }", "aBobb"),
      ("{.(title,7) + '|' + %(url) + $(name,1)}", "This...|a%20b%2Fc%26d%3D%C3%A9B"),
      ("$(name) ", "Bob"), ("$(name)+$(name)", "BobBob"), ("{'}'}", "}"), ("{$(trick)}", "$(name)"),
      ("$(trick)", "$(name)"),
      ("$(body)", ""), ("plain", "plain"), ("Hi $(name)", "Hi $(name)"), ("'name'", "'name'"),
      ("\t$(name)", "\t$(name)"),
      ("   ", "   "), ("€", "€"),
    ])
  func gives(text: String, value: String) throws {
    #expect(try TemplateExpression(parsing: text).value(Self.properties).text == value)
  }

  @Test(
    "Characters are counted as a reader counts them",
    arguments: [("$(family,1)", "👨‍👩‍👧‍👦"), ("$(family,3)", "👨‍👩‍👧‍👦👍🏽é"), (".(family,4)", "👨‍👩‍👧‍👦..."), (".(family,5)", "👨‍👩‍👧‍👦👍🏽é日本")])
  func countsGraphemes(text: String, value: String) throws {
    #expect(try TemplateExpression(parsing: text).value(Self.properties).text == value)
  }

  @Test(
    "Only what Azure takes for a number becomes one",
    arguments: [
      ("0", true), ("40", true), ("1.50", true), ("0.5", true), ("1e5", true), ("1E+05", true), ("2.5e-3", true),
      ("-3", false), ("+3", false), ("007", false), ("00", false), (".5", false), ("1.", false), ("1e", false),
      ("", false),
      (" 1", false), ("1 ", false), ("0x1", false), ("NaN", false), ("１", false), ("1,5", false), ("1.2.3", false),
    ])
  func numbers(text: String, isNumber: Bool) throws {
    let value = try TemplateExpression(parsing: "#(n)").value(["n": text])
    #expect(value == (isNumber ? .number(text) : .text(text)))
  }

  @Test(
    "What Azure refuses is refused for the same reason",
    arguments: [
      ("$5 off", .missingOpenParentheses), ("#ff0000", .missingOpenParentheses), ("%20x", .missingOpenParentheses),
      ("$bo", .missingOpenParentheses), ("$", .invalidToken), ("$b", .invalidToken), ("#(", .invalidToken),
      ("{ab}", .invalidToken), ("{''}", .invalidToken), ("{   }", .invalidToken), ("$(a)+", .invalidToken),
      ("{'a' + ''}", .invalidToken), ("{", .missingClosingBrace), ("{$(a)} ", .missingClosingBrace),
      ("{abc}", .invalidTokenType), ("{$(a) + name}", .invalidTokenType), ("{($(a))}", .invalidTokenType),
      ("{$(a) $(b)}", .invalidCompositionOperator), ("$(a) and", .invalidCompositionOperator),
      ("$bodyguard", .invalidCompositionOperator), ("$(a:{x}))", .invalidCompositionOperator),
      ("$BODY", .bodyIsNotSupported), ("{$body + 'x'}", .bodyIsNotSupported),
      ("#(a) + 'x'", .hashInComposite), ("{'x' + #(a)}", .hashInComposite),
      ("{'abc}", .literalNotClosed), ("{\"abc'}", .literalNotClosed), ("{'abc''}", .literalNotClosed),
      ("$(:{x})", .missingProperty), ("$(a:{x)", .missingDefaultEnd), ("$(a:{x\\})", .missingDefaultEnd),
      ("$(a:{x}", .missingClosingParentheses), ("$(a:{x", .missingClosingParentheses),
      ("#(a,1)", .percentFormat), ("%(a:{x},1)", .percentFormat), (".(a:{x})", .dotFormat),
      (".(a) + $(b,1)", .dotFormat),
      ("$(a,)", .notPositiveInteger), ("$(a,1.5)", .notPositiveInteger), ("$(a,2147483648)", .notPositiveInteger),
      ("$(a,1,2)", .notPositiveInteger), (".(a,-5)", .notPositiveInteger),
      ("$(a-b)", .propertyNameIsBad), ("$(é)", .propertyNameIsBad), ("$(a:{x}y)", .propertyNameIsBad),
      ("$($(a))", .propertyNameIsBad), ("$(a:{x} ,1)", .propertyNameIsBad), ("$(,1)", .propertyNameIsBad),
      ("$($body)", .propertyNameIsBad),
    ] as [(String, TemplateError.Kind)])
  func refuses(text: String, kind: TemplateError.Kind) {
    let error = #expect(throws: TemplateError.self) { try TemplateExpression(parsing: text) }
    #expect(error?.kind == kind)
  }

  @Test("A name may have 120 characters and no more")
  func nameLength() throws {
    let longest = String(repeating: "a", count: 120)
    #expect(try TemplateExpression(parsing: "$(\(longest))").value([longest: "x"]).text == "x")
    let error = #expect(throws: TemplateError.self) { try TemplateExpression(parsing: "$(a\(longest))") }
    #expect(error?.kind == .propertyTooLong)
    #expect(error?.description == "Property name is of length. 121. Maximum allowed length is 120")
  }

  @Test("An error says Azure's words with the expression and what is left of it")
  func words() {
    let error = #expect(throws: TemplateError.self) { try TemplateExpression(parsing: "{'a' - $(b)}") }
    #expect(
      error?.description
        == "Expression is {'a' - $(b)}. Only valid composition operator is +. Current invalid token is : - $(b)")
  }

  @Test("A device's own variable hides a property of the same name, whatever the case")
  func pushVariables() throws {
    let expression = try TemplateExpression(parsing: "$(name)")
    #expect(expression.value(Self.properties, pushVariables: ["NAME": "Ann"]).text == "Ann")
    #expect(expression.value(Self.properties, pushVariables: ["other": "Ann"]).text == "Bob")
  }

  @Test("A long hostile expression is read in proportion to its length")
  func linear() {
    let terms = Array(repeating: "$(a)", count: 50_000).joined(separator: "+")
    #expect(throws: Never.self) { try TemplateExpression(parsing: terms) }
    #expect(throws: TemplateError.self) { try TemplateExpression(parsing: terms + "+#(") }
  }
}
