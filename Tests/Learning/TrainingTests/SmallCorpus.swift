import Files
import TestKit
import Topics

@testable import Training

/// Rows that a lottery makes up: each topic has words of its own, each language and outlet writes some of them.
enum SmallCorpus {
  static func rows(_ count: Int, seed: UInt64 = 1) -> [LabelledRow] {
    var lottery = Lottery(seed: seed)
    let languages = ["en", "fr", "de"]
    return (0..<count).map { number in
      let topic = Topic(rawValue: lottery.below(7)) ?? .other
      let words = (0..<6).map { _ in
        lottery.below(3) == 0 ? "common\(lottery.below(20))" : "\(topic.name)word\(lottery.below(30))"
      }
      return LabelledRow(
        topic: topic, section: topic == .other ? "seg:entertainment" : "seg:news",
        title: words.prefix(3).joined(separator: " "), summary: words.suffix(3).joined(separator: " "),
        source: "outlet\(lottery.below(9)).example.com", date: "2026-11-\(10 + number % 20)",
        language: languages[lottery.below(3)], collection: "urlsec_train")
    }
  }

  /// The notes that ship.
  static func notes() throws -> TrainingNotes {
    let root = FileSystem.path("../../..", from: FileSystem.directory(of: #filePath))
    return try TrainingNotes(directory: "\(root)/config/training")
  }

  /// Does something with a folder that is gone afterwards.
  static func withFolder<Result>(_ work: (String) throws -> Result) throws -> Result {
    let folder = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(folder) }
    return try work(folder)
  }
}
