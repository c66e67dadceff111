internal import Topics

/// Weights that make the topics of the rows probable: seven logistic regressions side by side, by AdaGrad. Everything is
/// added in one order, so the same rows give the same bits.
struct LinearFit {
  private let documents: Documents
  private let options: TrainingOptions
  /// Features, then places, then the bias.
  private var weights: [SIMD8<Float>]
  private var squares: [SIMD8<Float>]
  /// How much faster each feature learns, because its topics are clear already by counting.
  private let clarity: [Float]
  private let featureCount: Int

  init(_ documents: Documents, featureCount: Int, options: TrainingOptions) {
    self.documents = documents
    self.options = options
    self.featureCount = featureCount
    let total = featureCount + ModelFile.placeFeatureCount + 1
    weights = Array(repeating: .zero, count: total)
    // Above zero, so that the first steps are no leaps.
    squares = Array(repeating: SIMD8(repeating: 1e-6), count: total)
    clarity = Self.clarity(documents, featureCount: featureCount, options: options)
  }

  var featureWeights: [SIMD8<Float>] { (0..<featureCount).map { weights[$0] * clarity[$0] } }
  var placeWeights: [SIMD8<Float>] { Array(weights[featureCount..<(featureCount + ModelFile.placeFeatureCount)]) }
  var bias: SIMD8<Float> { weights[weights.count - 1] }

  mutating func run(_ report: (String) -> Void) {
    var lottery = Lottery(seed: options.seed &+ 2)
    var order = documents.topics.indices.filter { documents.weights[$0] > 0 }.map { Int32($0) }
    let steps = Float(max(1, order.count * options.epochs - 1))
    var done: Float = 0
    for epoch in 1...options.epochs {
      lottery.shuffle(&order)
      var loss = 0.0
      for row in order {
        let rate = options.stepFirst + (options.stepLast - options.stepFirst) * (done / steps)
        let isBlanked = Double(lottery.below(1 << 20)) < options.homeBlankedShare * Double(1 << 20)
        loss += learn(Int(row), isBlanked: isBlanked, rate: rate)
        done += 1
      }
      report("epoch \(epoch): \(loss / Double(order.count)) nats a row")
    }
  }

  private mutating func learn(_ row: Int, isBlanked: Bool, rate: Float) -> Double {
    let range = documents.starts[row]..<documents.starts[row + 1]
    let places = isBlanked ? documents.placesAnywhere[row] : documents.placesAtHome[row]
    var sum = weights[weights.count - 1]
    for index in range {
      let feature = Int(documents.hashes[index])
      sum += weights[feature] * (documents.values[index] * clarity[feature])
    }
    for place in places { sum += weights[featureCount + Int(place)] * FeatureReader.placeValue }

    let topic = documents.topics[row].rawValue
    var target = SIMD8<Float>(repeating: options.smoothing / 7)
    target[topic] += 1 - options.smoothing
    var error = SIMD8<Float>.zero
    var loss = 0.0
    for index in 0..<7 {
      let probability = 1 / (1 + StableMath.exp(-Double(sum[index])))
      error[index] = (Float(probability) - target[index]) * documents.weights[row]
      if index == topic { loss = -StableMath.log(max(probability, 1e-12)) }
    }
    for index in range {
      let feature = Int(documents.hashes[index])
      step(feature, error * (documents.values[index] * clarity[feature]), rate)
    }
    for place in places { step(featureCount + Int(place), error * FeatureReader.placeValue, rate) }
    step(weights.count - 1, error, rate)
    return loss
  }

  private mutating func step(_ index: Int, _ gradient: SIMD8<Float>, _ rate: Float) {
    let gradient = gradient + weights[index] * options.decay
    let square = squares[index] + gradient * gradient
    squares[index] = square
    weights[index] -= gradient * rate / square.squareRoot()
  }

  /// For each feature the largest distance of its topics' log frequencies from their mean, bounded, 1 on average.
  private static func clarity(_ documents: Documents, featureCount: Int, options: TrainingOptions) -> [Float] {
    var counts = [SIMD8<Float>](repeating: SIMD8(repeating: Float(options.clarityCount)), count: featureCount)
    for row in documents.topics.indices where documents.weights[row] > 0 {
      let topic = documents.topics[row].rawValue
      let weight = documents.weights[row]
      for index in documents.starts[row]..<documents.starts[row + 1] {
        counts[Int(documents.hashes[index])][topic] += documents.values[index] * weight
      }
    }
    var totals = [Double](repeating: 0, count: 7)
    for row in counts { for topic in 0..<7 { totals[topic] += Double(row[topic]) } }
    let logTotals = totals.map { StableMath.log($0) }
    var clarity: [Float] = []
    clarity.reserveCapacity(featureCount)
    var sum = 0.0
    for row in counts {
      let ratios = (0..<7).map { StableMath.log(Double(row[$0])) - logTotals[$0] }
      let mean = ratios.reduce(0, +) / 7
      let largest = ratios.reduce(0) { max($0, abs($1 - mean)) }
      let scale = min(max(largest, options.clarityRange.lowerBound), options.clarityRange.upperBound)
      clarity.append(Float(scale))
      sum += scale
    }
    let mean = Float(sum / Double(max(1, featureCount)))
    return clarity.map { $0 / mean }
  }
}
