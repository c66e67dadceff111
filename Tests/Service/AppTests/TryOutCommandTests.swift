import Files
import Testing

@testable import App

@Suite struct TryOutCommandTests {
  private func run(_ words: String...) async -> (ExitCode, String, String) {
    let memory = MemoryConsole()
    let status = await CommandTable.standard.run(words, memory.console)
    return (status, memory.output.text, memory.errors.text)
  }

  @Test("A tag expression is tried on tags")
  func match() async {
    #expect(await run("match", "(World || Politics) && !muted", "--tags", "World,French") == (.done, "true\n", ""))
    #expect(await run("match", "World && !muted", "--tags", "world,MUTED") == (.done, "false\n", ""))
    #expect(await run("match", "World && French", "--tags", "World, French") == (.done, "true\n", ""))
    #expect(await run("match", "!World", "--tags", "") == (.done, "true\n", ""))
    #expect(
      await run("match", "World ||", "--tags", "a") == (
        .failed, "",
        "tidings match: the expression is not legal at column 9: expected a tag, ! or (, found the end\n"
      ))
    #expect(
      await run("match", "World", "--tags", "é,b c") == (
        .failed, "",
        "tidings match: the tags are not legal at column 3: The tag 'b c' holds ' '; only letters, digits and "
          + "_ @ # . : - are allowed.\n"
      ))
    #expect(await run("match", "World").0 == .usage)
  }

  @Test("A template is tried on properties")
  func render() async {
    let body = #"{"aps": {"alert": "$(News_French)"}}"#
    #expect(
      await run("render", "--template", body, "--properties", #"{"News_French": "Sé\"isme"}"#)
        == (.done, #"{"aps": {"alert": "Sé\"isme"}}"# + "\n", ""))
    #expect(
      await run("render", "--template", "<a>$(x)</a>", "--properties", #"{"x": "<&"}"#)
        == (.done, "<a>&lt;&amp;</a>\n", ""))
    #expect(
      await run("render", "--format", "text", "--template", "$(x)", "--properties", #"{"x": "y"}"#)
        == (.done, "y\n", ""))
    #expect(
      await run("render", "--format", "jsno", "--template", "{}", "--properties", "{}").2.contains(
        "did you mean \"json\"?"))
    let illegal = await run("render", "--template", #"{"a": "$(b"}"#, "--properties", "{}")
    #expect(illegal.0 == .failed && illegal.2.contains("1:7"))
    let noProperties = await run("render", "--template", "{}", "--properties", #"{"a": }"#)
    #expect(noProperties.0 == .failed && noProperties.2.contains("1:7"))
    let numbers = await run("render", "--template", "{}", "--properties", #"{"a": 1}"#)
    #expect(numbers.0 == .failed && numbers.2.contains("'a'"))
  }

  @Test("A configuration is checked and shown, or told what is wrong with exit code 3")
  func check() async throws {
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    let file = "\(directory)/c.yaml"
    try FileSystem.write(Array("store: {sqlite: x.db}".utf8), to: file)
    let (status, output, errors) = await run("check", "--config", file)
    #expect(status == .done && errors == "")
    #expect(output.contains("\nstore:\n  sqlite: x.db\n"))
    try FileSystem.write(Array("stroe: {}".utf8), to: file)
    #expect(
      await run("check", "--config", file) == (
        .invalidConfiguration, "", "\(file):1:1: there is no option \"stroe\" here; did you mean \"store\"?\n"
      ))
    #expect(await run("check", "--config", "\(directory)/absent").0 == .invalidConfiguration)
  }
}
