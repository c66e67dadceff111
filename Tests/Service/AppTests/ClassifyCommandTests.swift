import Files
import JSON
import TestKit
import Testing

@testable import App

@Suite struct ClassifyCommandTests {
  private func run(_ command: any Command, _ words: [String], input: String = "") async -> (ExitCode, [String], String)
  {
    let memory = MemoryConsole(input: input)
    let status = await CommandTable([command]).run(words, memory.console)
    return (status, memory.output.text.split(separator: "\n").map(String.init), memory.errors.text)
  }

  @Test("Each line is answered with categories, scores, a decision and evidence")
  func lines() async throws {
    let (status, lines, errors) = await run(
      ClassifyCommand(), ["classify"],
      input: """
        {"id": "a", "title": "Striker scores twice as Arsenal win the cup final"}

        {"title": "Oil prices", "categories": ["Sport"]}
        {"title": "😀", "summary": null}
        """)
    #expect(status == .done, "\(errors)")
    let answers = try lines.map { try JSONValue(parsing: $0) }
    #expect(answers.map { $0["decision"]?.string } == ["classified", "classified", "abstained"])
    #expect(answers[0]["id"] == "a" && answers[0]["categories"] == ["Sports"])
    #expect((answers[0]["scores"]?["Sports"]?.double ?? 0) > 0.8)
    #expect(answers[1]["categories"] == ["Sports"] && answers[2]["categories"] == [])
    #expect(answers.allSatisfy { $0["evidence"]?.array?.isEmpty == false })
  }

  @Test("What cannot be read is told with its line, the rest is answered, and the exit status is 1")
  func faults() async throws {
    let (status, lines, errors) = await run(
      ClassifyCommand(), ["classify"],
      input: "{\"title\": 3}\nnonsense\n{}\n{\"title\": \"x\", \"homeCountry\": \"Narnia\"}\n{\"title\": \"x\"}\n")
    #expect(status == .failed && lines.count == 1)
    for place in ["input:1: \"title\" is no text", "input:2: ", "input:3: \"title\" is missing", "input:4: \"Narnia\""]
    {
      #expect(errors.contains(place))
    }
  }

  @Test(
    "Options that make no sense are wrong usage",
    arguments: [["--home-country", "Narnia"], ["--threshold", "2"], ["--threshold", "x"]])
  func usage(words: [String]) async {
    #expect(await run(ClassifyCommand(), ["classify"] + words).0 == .usage)
  }

  @Test("A model that was trained is evaluated and used")
  func train() async throws {
    let folder = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(folder) }
    var rows = "label\toriginal_label\ttitle\ttext\tsplit\tsource\tdate\n"
    let words = ["Sports": "goal striker cup", "Business": "shares profit bank", "World": "embassy border envoy"]
    for number in 0..<60 {
      for (topic, text) in words.sorted(by: { $0.key < $1.key }) {
        rows += "\(topic)\tseg:x\t\(text) number\(number)\t\t\toutlet\(number % 7).com\t2026-11-30\n"
      }
    }
    try FileSystem.write(Array(rows.utf8), to: "\(folder)/small.en.tsv")
    let (status, _, errors) = await run(
      TrainCommand(), ["train", "--data", "\(folder)/small.en.tsv", "--output", "\(folder)/model"])
    #expect(status == .done, "\(errors)")
    let (judged, report, _) = await run(
      EvaluateCommand(),
      [
        "evaluate", "--data", "\(folder)/small.en.tsv", "--model", "\(folder)/model", "--plots", "\(folder)/plots",
        "--home-unknown",
      ])
    #expect(judged == .done)
    let figures = try JSONValue(parsing: report.joined(separator: "\n"))
    #expect(figures["all"]?["accuracy"]?.double == 1)
    #expect(figures["languages"]?["en"]?["confusion"]?[0]?[0]?.int == 60)
    #expect(try FileSystem.names(inDirectory: "\(folder)/plots") == ["calibration.svg", "confusion.svg"])
    let (classified, lines, _) = await run(
      ClassifyCommand(), ["classify", "--model", "\(folder)/model", "--threshold", "0.1"],
      input: "{\"title\": \"striker goal\"}\n")
    #expect(classified == .done && lines.first?.contains("[\"Sports\"]") == true)
  }
}
