import JSON
import TestKit
import Testing

@Suite("Demo")
struct DemoTests {
  /// Each device hears of each category; the editor's article is about the world as well.
  static let expectedPlaces = ["English", "French", "Mandarin"].flatMap { device in
    ["World", "World", "Politics", "Business", "Technology", "Science", "Sports"].map { "\(device) \($0)" }
  }.sorted()

  /// Which devices heard of which categories, from the demo's output.
  static func places(_ output: [String]) throws -> [String] {
    try output.map { line in
      let arrival = try JSONValue(parsing: line)
      return "\(arrival["device"]?.string ?? "") \(arrival["category"]?.string ?? "")"
    }.sorted()
  }

  @Test(
    "Every sample and the editor's article arrive once on each device, in the device's language",
    .timeLimit(.minutes(2)))
  func once() async throws {
    let (ending, output, errors) = try await Program.run("demo", "--once")
    #expect(ending == .exited(0), "\(errors)")
    #expect(try Self.places(output) == Self.expectedPlaces)

    let arrivals = try output.map { try JSONValue(parsing: $0) }
    func message(_ device: String, _ category: String) -> String? {
      arrivals.first { $0["device"]?.string == device && $0["category"]?.string == category }?["message"]?.string
    }
    let messages = Set(arrivals.compactMap { $0["message"]?.string })
    #expect(
      messages.isSuperset(of: [
        "Old harbour bridge opens to walkers", "Le vieux pont du port s’ouvre aux piétons", "老港大桥向行人开放",
      ]))
    #expect(message("English", "Technology") == "Open modem firmware lets phones share R&D sensors offline")
    #expect(message("French", "Politics") == "Le Parlement adopte la loi sur l’eau, à une voix près")
    #expect(message("French", "Science") == "Une méduse bioluminescente découverte sous la banquise")
    #expect(message("Mandarin", "Sports") == "女篮加时险胜，时隔九年重返决赛")
    #expect(message("English", "Sports") == "Breaking Sports News: 女篮加时险胜，时隔九年重返决赛")
    #expect(message("Mandarin", "Science") == "科学快讯：Une méduse bioluminescente découverte sous la banquise")
  }
}
