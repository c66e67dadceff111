import Push
import Testing

private typealias Tag = Push.Tag

@Suite("Tags")
struct TagTests {
  @Test(
    "What Azure takes for a tag is one",
    arguments: [
      "World", "a.b@c.x.y", "user:42", "#1_-", "日本", "Zürich", "१२", "$InstallationId:{6b7c-1}", "$UserId:{a=b@c}",
      "$installationid:{x}", String(repeating: "a", count: 120),
    ])
  func legal(text: String) throws {
    #expect(try Tag(text).name == text)
  }

  @Test(
    "Anything else is refused with what is wrong",
    arguments: [
      ("", .empty), ("a b", .illegal(" ")), ("a,b", .illegal(",")), ("a=b", .illegal("=")), ("a$", .illegal("$")),
      ("a\n", .illegal("\n")), ("😀", .illegal("😀")), ("(a)", .illegal("(")), ("$x", .unknownForm),
      ("$UserId:", .unknownForm),
      ("$UserId:{}", .unknownForm), ("$UserId:{a b}", .unknownForm), ("$UserId:{a}b", .unknownForm),
      ("$TenantId:{a}", .unknownForm), (String(repeating: "a", count: 121), .tooLong),
    ] as [(String, TagError.Fault)])
  func illegal(text: String, fault: TagError.Fault) {
    let error = #expect(throws: TagError.self) { try Tag(text) }
    #expect(error?.fault == fault)
  }

  @Test("Tags are equal whatever their case, and keep their spelling")
  func equality() throws {
    let tags: Set = [try Tag("World"), try Tag("WORLD"), try Tag("world"), try Tag("Sports")]
    #expect(tags.count == 2)
    #expect(try Tag("ZÜRICH") == Tag("zürich"))
    #expect(try Tag("$UserId:{A}") == Tag(userID: "a"))
    #expect(try Tag("World").description == "World")
    #expect(try Tag("World").folded == "world")
  }

  @Test("A template's name is a tag even with blanks, which no expression can ask for")
  func templateName() {
    #expect(Tag(templateName: "Template Name").name == "Template Name")
    #expect(throws: TagError.self) { try Tag("Template Name") }
  }
}

@Suite("Tag expressions")
struct TagExpressionTests {
  @Test(
    "An expression means the devices whose tags satisfy it",
    arguments: [
      ("a", "a", true), ("a", "b", false), ("A", "a", true), ("a || b", "b", true), ("a||b", "c", false),
      ("a && b", "a,b", true), ("a&&b", "a", false), ("!a", "", true), ("!a", "a", false), ("!!a", "a", true),
      ("a || b && c", "a", true), ("a || b && c", "b", false), ("(a || b) && c", "a", false),
      ("(a || b) && c", "b,c", true), ("!a && b", "b", true), ("!(a && b)", "a", true), ("!(a || b)", "a", false),
      ("a && !b || c", "a,b", false), ("a && !b || c", "a,b,c", true), (" ( a )\t&&\nb ", "a,b", true),
      ("((((a))))", "a", true), ("a && (b || !c)", "a", true),
      ("$InstallationId:{6b7c-1}", "$installationid:{6B7C-1}", true),
      ("$UserId:{a=b} || x", "$UserId:{a=b}", true), ("a.b@c.x.y && user:42", "a.b@c.x.y,user:42", true),
      ("follows_Hawks:1 && #x", "follows_hawks:1,#X", true), ("日本||x", "日本", true),
    ])
  func matches(text: String, tags: String, isMatch: Bool) throws {
    let expression = try TagExpression(parsing: text)
    let tags = Set(try tags.split(separator: ",").map { try Tag($0) })
    #expect(expression.matches(tags) == isMatch)
    #expect(expression.matches { tags.contains($0) } == isMatch)
    #expect(Audience.matching(expression).includes(tags) == isMatch)
    #expect(Audience.everyone.includes(tags))
  }

  @Test(
    "Its text has no more parentheses than it needs, and reads as the same",
    arguments: [
      ("a", "a"), ("((a))", "a"), ("a||b&&c", "a || b && c"), ("(a||b)&&c", "(a || b) && c"), ("!(a)", "!a"),
      ("!(a&&b)", "!(a && b)"), ("!!a", "!!a"), ("(a&&b)||(c&&!d)", "a && b || c && !d"),
      ("a||(b||c)", "a || (b || c)"),
      ("$UserId:{X}&&World", "$UserId:{X} && World"),
    ])
  func describes(text: String, description: String) throws {
    let expression = try TagExpression(parsing: text)
    #expect(expression.description == description)
    #expect(try TagExpression(parsing: expression.description) == expression)
  }

  @Test(
    "A fault is told with its column and what would be right",
    arguments: [
      ("", 1, "expected a tag, ! or (, found the end"), ("  ", 3, "found the end"),
      ("a b", 3, "expected &&, || or the end"),
      ("a &", 3, "found a single &"), ("a | b", 3, "found a single |"), ("a &&", 5, "found the end"),
      ("&& a", 1, "found '&'"),
      ("(a", 1, "not closed"), ("a && (b || c", 6, "not closed"), ("a)", 2, "found ')'"), ("()", 2, "found ')'"),
      ("!", 2, "the end"),
      ("a || || b", 6, "found '|'"), ("a, b", 2, "found ','"), ("a && $x", 6, "only $InstallationId"),
      ("(a b)", 4, "&&, || or )"),
      ("$UserId:{a", 1, "$UserId"), ("a && {category}", 6, "found '{'"), ("é日 && 'x'", 7, "found '''"),
      (String(repeating: "x", count: 121), 1, "at most 120"),
      ("a && " + String(repeating: "!", count: 32) + "b", 38, "at most 32 deep"),
      (String(repeating: "(", count: 5000), 33, "at most 32 deep"),
      (String(repeating: "a||", count: 3000) + "a", 1, "8192 bytes"),
    ])
  func refuses(text: String, column: Int, message: String) {
    let error = #expect(throws: TagExpressionError.self) { try TagExpression(parsing: text) }
    #expect(error?.column == column, "\(String(describing: error))")
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test("Twenty different tags are allowed with || alone, six otherwise; repetitions count once")
  func limits() throws {
    func tags(_ count: Int, _ separator: String) -> String { (1...count).map { "t\($0)" }.joined(separator: separator) }
    #expect(try TagExpression(parsing: tags(20, " || ")).tags.count == 20)
    #expect(try TagExpression(parsing: "(\(tags(10, "||"))) || (\(tags(20, "||"))) || T1").tags.count == 20)
    #expect(try TagExpression(parsing: tags(6, " && ")).tags.count == 6)
    #expect(try TagExpression(parsing: "t1 && t1 && (\(tags(6, "||")))").tags.count == 6)
    for text in [tags(21, " || "), tags(7, " && "), "!t0 || " + tags(6, " || ")] {
      let error = #expect(throws: TagExpressionError.self) { try TagExpression(parsing: text) }
      #expect(error?.message.contains("different tags are too many") == true)
    }
  }

  @Test("The tags come in the order of their first occurrence")
  func order() throws {
    #expect(try TagExpression(parsing: "c && (a || C) && !b").tags.map(\.name) == ["c", "a", "b"])
  }

  @Test("A query can be planned from what an expression is made of")
  func structure() throws {
    let (a, b, c) = (try Tag("a"), try Tag("b"), try Tag("c"))
    let expression = try TagExpression(parsing: "a && !b || c")
    #expect(expression.root == .any([.all([.tag(a), .not(.tag(b))]), .tag(c)]))
    #expect(try TagExpression(expression.root) == expression)
    #expect(TagExpression(a).description == "a")
  }

  @Test("A placeholder is filled with an expression, which keeps its meaning whatever stands around it")
  func placeholders() throws {
    let placeholders = ["category": try TagExpression(parsing: "World || Politics")]
    let expression = try TagExpression(parsing: "{category} && fr", placeholders: placeholders)
    #expect(expression.description == "(World || Politics) && fr")
    #expect(try TagExpression(parsing: "{category}", placeholders: placeholders).description == "World || Politics")
    let error = #expect(throws: TagExpressionError.self) {
      try TagExpression(parsing: "fr && {locale}", placeholders: placeholders)
    }
    #expect(error?.description == "7: expected a known placeholder ({category}), found '{locale}'")
  }
}
