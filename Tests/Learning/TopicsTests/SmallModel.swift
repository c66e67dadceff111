import Files

@testable import Topics

/// A model of a few words, in a file of its own.
enum SmallModel {
  static let places = PlaceNames([
    ("France", CountryCode("FR")!), ("French", CountryCode("FR")!), ("New York", CountryCode("US")!),
    ("US", CountryCode("US")!), ("росси*", CountryCode("RU")!), ("法国", CountryCode("FR")!),
    ("Victoria", CountryCode("AU")!), ("Victoria", CountryCode("CA")!),
  ])

  /// The model's file: each word speaks for its topic.
  static func bytes(_ words: [(word: String, topic: Topic)], policy: DecisionPolicy = .init()) -> [UInt8] {
    var reader = FeatureReader(places: Places(places))
    var weights: [UInt32: SIMD8<Float>] = [:]
    for (word, topic) in words {
      reader.read(title: word, summary: "", language: "en", home: nil)
      for feature in reader.features { weights[feature.hash, default: .zero][topic.rawValue] += 3 }
    }
    let hashes = weights.keys.sorted()
    var placeWeights = [SIMD8<Float>](repeating: .zero, count: ModelFile.placeFeatureCount)
    // Nothing at home, something abroad, in the title.
    placeWeights[1][Topic.world.rawValue] = 60
    // Something at home, nothing abroad.
    placeWeights[3][Topic.politics.rawValue] = 60
    return ModelFile(
      hashes: hashes, weights: hashes.map { weights[$0]! }, bias: .init(repeating: -4), placeWeights: placeWeights,
      places: places,
      policy: policy
    ).encoded()
  }

  /// Opens the model that these bytes are.
  static func open(_ bytes: [UInt8]) throws -> TopicModel {
    let folder = try FileSystem.makeTemporaryDirectory()
    // What is mapped stays mapped.
    defer { try? FileSystem.remove(folder) }
    try FileSystem.write(bytes, to: "\(folder)/model")
    return try TopicModel(path: "\(folder)/model")
  }

  static let words: [(word: String, topic: Topic)] = [
    ("election parliament minister", .politics), ("goal striker cup final", .sports), ("比赛 冠军", .sports),
    ("horoscope recipe celebrity", .other),
  ]
}
