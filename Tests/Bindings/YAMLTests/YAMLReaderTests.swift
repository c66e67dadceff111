import Testing
import YAML

@Suite struct YAMLReaderTests {
  @Test("Scalars, lists and mappings come out with the places where they stand")
  func places() throws {
    let root = try YAMLNode(
      parsing: """
        # a comment
        server:
          address: "127.0.0.1"
          ports: [8080, 9090]
        名前: ü x
        """)
    let server = try #require(root["server"])
    #expect(server.mark == .init(line: 3, column: 3))
    #expect(server["address"] == YAMLNode(.scalar("127.0.0.1", .quoted), at: .init(line: 3, column: 12)))
    #expect(
      server["ports"]
        == YAMLNode(
          .sequence([
            YAMLNode(.scalar("8080", .plain), at: .init(line: 4, column: 11)),
            YAMLNode(.scalar("9090", .plain), at: .init(line: 4, column: 17)),
          ]), at: .init(line: 4, column: 10)))
    #expect(root["名前"] == YAMLNode(.scalar("ü x", .plain), at: .init(line: 5, column: 5)))
    guard case .mapping(let entries) = root.content else { throw YAMLError(at: root.mark, "no mapping") }
    #expect(entries.map(\.mark) == [.init(line: 2, column: 1), .init(line: 5, column: 1)])
    #expect(root["absent"] == nil)
  }

  @Test(
    "Only what stands bare can be null",
    arguments: [
      ("a:", true), ("a: ~", true), ("a: null", true),
      ("a: 'null'", false), ("a: \"\"", false), ("a: nil", false), ("a: []", false),
    ])
  func null(text: String, isNull: Bool) throws {
    let root = try YAMLNode(parsing: text)
    #expect(root["a"]?.isNull == isNull)
  }

  @Test("An empty text is null", arguments: ["", "\n", "# only a comment\n", "---\n", "\u{FEFF}"])
  func empty(text: String) throws {
    #expect(try YAMLNode(parsing: text).isNull)
  }

  @Test("UTF-16 with its byte order mark is read")
  func utf16() throws {
    let bytes: [UInt8] = [0xFF, 0xFE] + "k: é".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(try YAMLNode(parsing: bytes)["k"]?.content == .scalar("é", .plain))
  }

  @Test("A block scalar keeps its line breaks, a quoted one its zero byte")
  func blocks() throws {
    let root = try YAMLNode(parsing: "a: |\n  one\n  two\nb: \"x\\0y\"\n")
    #expect(root["a"]?.content == .scalar("one\ntwo\n", .quoted))
    #expect(root["b"]?.content == .scalar("x\0y", .quoted))
  }

  @Test(
    "What is wrong comes with its place",
    arguments: [
      ("a: 1\nb: 2\na: 3\n", "3:1: the key \"a\" stands here for the second time, first on line 1"),
      (
        "a: [1, 2\nb: 3\n",
        "2:2: did not find expected ',' or ']', while parsing a flow sequence, which begins on line 1"
      ),
      ("a:\n\t- 1\n", "2:1: found character that cannot start any token, while scanning for the next token"),
      ("a: &x 1\n", "1:4: the anchor &x is not supported; write the value where it is used"),
      ("a: 1\nb: *x\n", "2:4: the alias *x is not supported; write the value where it is used"),
      ("a: !!str 1\n", "1:4: a tag (!) is not supported; quote the value to make it text"),
      ("a: 1\n---\nb: 2\n", "2:1: a second document begins; one file holds one document"),
      ("? [a]\n: 1\n", "1:3: a list or a mapping stands where a key should be; keys are plain words"),
      ("a: \"x\n", "2:1: found unexpected end of stream, while scanning a quoted scalar, which begins on line 1"),
    ])
  func errors(text: String, message: String) {
    #expect { try YAMLNode(parsing: text) } throws: { "\($0)" == message }
  }

  @Test("Bytes that are no text are told by line and column")
  func invalidBytes() {
    let bytes: [UInt8] = Array("a: 1\nbé: ".utf8) + [0xFF]
    #expect { try YAMLNode(parsing: bytes) } throws: { "\($0)" == "2:5: invalid leading UTF-8 octet" }
    #expect { try YAMLNode(parsing: "a: \u{7}") } throws: { "\($0)" == "1:4: control characters are not allowed" }
  }

  @Test("A text beyond its bounds is refused before it costs memory")
  func bounds() {
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    #expect { try YAMLNode(parsing: deep) } throws: {
      "\($0)" == "1:33: values are nested deeper than the 32 levels allowed"
    }
    #expect { try YAMLNode(parsing: "[1, 2, 3]", limits: YAMLLimits(nodesMax: 3)) } throws: {
      "\($0)" == "1:8: the text has more than the 3 values allowed"
    }
    #expect { try YAMLNode(parsing: "a: 1", limits: YAMLLimits(bytesMax: 3)) } throws: {
      "\($0)" == "1:1: the text has 4 bytes, more than the 3 allowed"
    }
    let billion = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
    #expect { try YAMLNode(parsing: billion) } throws: { "\($0)".hasPrefix("1:4: the anchor &a") }
  }
}
