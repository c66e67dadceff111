import Files
import JSON
import Publish
import TestKit
import Testing
import Zlib

@testable import App

@Suite struct EvaluateStoriesCommandTests {
  private static func labels(_ name: String) -> String {
    FileSystem.path("../../Pipeline/PublishTests/Stories/\(name)", from: FileSystem.directory(of: #filePath))
  }

  @Test(
    "Of what is taken for one story at least 99 % is: headlines the rule was made by, and others that it has not seen",
    .enabled(if: Corpora.arePresent, Corpora.absence),
    arguments: [("labelled-pairs.tsv", 220, 0.3), ("held-out-pairs.tsv", 12, 0.6)])
  func precision(name: String, differentMin: Int, recallMin: Double) throws {
    let pairs = try LabelledPairs(
      labels: Self.labels(name), directory: FileSystem.path("news", from: Corpora.directory))
    #expect(pairs.all.count { !$0.isOneStory } >= differentMin)
    let evaluation = StoryEvaluation(of: pairs, by: .standard)
    #expect(evaluation.precision >= 0.99, "\(evaluation.mistaken)")
    #expect(evaluation.recall >= recallMin)
  }

  @Test("Precision, recall and the mistaken pairs are printed")
  func printed() async throws {
    let folder = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(folder) }
    let rows = """
      label\toriginal_label\ttitle\ttext\tsplit\tsource\tdate
      World\tx\tJudge blocks the new harbour toll law\t\t\techo.example\t2026-11-30
      World\tx\tFederal judge blocks the new harbour toll law\t\t\tstar.example\t2026-11-30
      World\tx\tRovers beat Wanderers to reach the cup final\t\t\techo.example\t2026-11-30
      World\tx\tUnited beat Wanderers to reach the cup final\t\t\tstar.example\t2026-11-30

      """
    try FileSystem.write(Compression.gzip.compress(Array(rows.utf8)), to: folder + "/some.en.tsv.gz")
    let labels =
      "label\tfile\tfirst\tsecond\nsame\tsome.en.tsv.gz\t1\t2\nsame\tsome.en.tsv.gz\t1\t3\n"
      + "different\tsome.en.tsv.gz\t3\t4\ndifferent\tsome.en.tsv.gz\t2\t1\n"
    try FileSystem.write(Array(labels.utf8), to: folder + "/labels.tsv")
    let memory = MemoryConsole()
    let words = ["evaluate", "stories", "--labels", folder + "/labels.tsv", "--data", folder]
    #expect(await CommandTable.standard.run(words, memory.console) == .done)
    let printed = try JSONValue(parsing: Array(memory.output.text.utf8))
    #expect(printed["precision"] == 0.5)
    #expect(printed["recall"] == 0.5)
    #expect(printed["twoStories"]?["mistaken"] == ["some.en.tsv.gz:2,1"])
  }
}
