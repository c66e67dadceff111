import Files
import Testing

@testable import Topics

@Suite struct TopicModelTests {
  @Test("A model's weights are those it was written with, as 4 bits tell them")
  func roundTrip() throws {
    let hashes: [UInt32] = [1, 0x0001_0000, 0x0001_0001, 0xFFFF_FFFF]
    let weights: [SIMD8<Float>] = [
      .init(1, -1, 0.5, 0, 0, 0, 0, 0), .init(0.1, 0.05, -0.1, 0, 0, 0, 0.02, 0), .init(-3, 0, 0, 0, 0, 0, 3, 0), .zero,
    ]
    let file = ModelFile(
      hashes: hashes, weights: weights, bias: .init(repeating: 0.25),
      placeWeights: .init(repeating: .zero, count: ModelFile.placeFeatureCount), places: SmallModel.places,
      policy: .init(temperatures: [1, 2, 3, 4, 5, 6, 7, 8], threshold: 0.6, second: 0.7))
    let model = try SmallModel.open(file.encoded())
    for (hash, row) in zip(hashes, weights) {
      let read = model.weights(of: hash)
      let largest = (0..<8).reduce(Float(0)) { max($0, abs(row[$1])) }
      for topic in 0..<7 { #expect(abs(read[topic] - row[topic]) <= largest / 7) }
    }
    #expect(model.weights(of: 2) == .zero)
    #expect(model.policy == file.policy)
    #expect(model.featureCount == 4)
  }

  @Test("A file that is no model, or is cut, is refused with the reason")
  func damage() throws {
    let bytes = SmallModel.bytes(SmallModel.words)
    var other = bytes
    other[4] = 9
    var greedy = bytes
    greedy[10] = 0xFF
    for (bytes, reason) in [
      ([], "empty"), ([1, 2, 3], "no model"), (Array(bytes.dropLast()), "damaged"),
      (Array(bytes.prefix(100)), "damaged"),
      (other, "version 9"), (greedy, "damaged"), ([UInt8](repeating: 7, count: 5000), "no model"),
    ] {
      #expect { _ = try SmallModel.open(bytes) } throws: { "\($0)".contains(reason) }
    }
    #expect(throws: ModelError.self) { try TopicModel(path: "/nowhere/model") }
  }

  @Test("A damaged index leads to no place outside the file")
  func wildIndex() throws {
    var bytes = SmallModel.bytes(SmallModel.words)
    let layout = ModelLayout(featureCount: 1, placeSlots: 1)
    for index in layout.offsets..<(layout.offsets + 4 * ModelLayout.bucketCount) { bytes[index] = 0xFF }
    var judge = TopicJudge(model: try SmallModel.open(bytes))
    _ = judge.judge(title: "Striker scores in cup final in France")
  }

  @Test(
    "Exponential and logarithm are right to fifteen digits",
    arguments: [
      (0.0, 1.0), (1, 2.718281828459045), (-1, 0.36787944117144233), (10, 22026.465794806718),
      (-20, 2.061153622438558e-09),
    ])
  func stableMath(x: Double, power: Double) {
    #expect(abs(StableMath.exp(x) - power) <= power * 1e-14)
    #expect(abs(StableMath.log(power) - x) <= max(abs(x), 1) * 1e-14)
  }
}
