/// When a model's scores are clear enough to answer, and what they are worth as probabilities.
public struct DecisionPolicy: Sendable, Hashable {
  /// What scores are divided by before they become probabilities, for each of `languages`, and last for all others:
  /// outlets draw the borders between topics less clearly in one language than in another.
  public var temperatures: [Float]
  /// The least confidence at which a category is accepted.
  public var threshold: Float
  /// A second category is added if it is at least this probable among the six.
  public var second: Float

  /// Languages with a temperature of their own.
  public static let languages = ["de", "en", "fr", "it", "nl", "ru", "zh"]

  static let numberCount = languages.count + 3

  /// A policy of these numbers.
  public init(temperatures: [Float], threshold: Float, second: Float) {
    precondition(temperatures.count == Self.languages.count + 1, "a temperature for each language and one for the rest")
    self.temperatures = temperatures
    self.threshold = threshold
    self.second = second
  }

  /// A policy that treats all languages alike.
  public init(temperature: Float = 1, threshold: Float = 0.3, second: Float = 0.4) {
    self.init(
      temperatures: Array(repeating: temperature, count: Self.languages.count + 1), threshold: threshold,
      second: second)
  }

  init(_ numbers: ArraySlice<Float>) {
    let numbers = Array(numbers)
    let count = Self.languages.count + 1
    self.init(temperatures: Array(numbers[..<count]), threshold: numbers[count], second: numbers[count + 1])
  }

  var numbers: [Float] { temperatures + [threshold, second] }

  /// What the scores of a text are worth.
  ///
  /// - Parameter language: The text's language, its primary subtag; nil where that is unknown.
  public func probabilities(_ scores: SIMD8<Float>, language: String?) -> TopicProbabilities {
    let index = language.flatMap { Self.languages.firstIndex(of: $0) } ?? Self.languages.count
    return TopicProbabilities(scores, temperature: temperatures[index])
  }
}

/// What a model's scores are worth: each topic's yes or no as a probability, made to sum to 1.
public struct TopicProbabilities: Sendable, Hashable {
  /// Of the six categories, by their numbers.
  public let six: SIMD8<Float>
  /// Of all seven topics.
  public let seven: SIMD8<Float>
  /// The number of the most probable category.
  public let best: Int

  /// Probabilities of scores; a higher temperature makes them more alike.
  public init(_ scores: SIMD8<Float>, temperature: Float) {
    var odds = SIMD8<Float>.zero
    for index in 0..<7 {
      odds[index] = Float(1 / (1 + StableMath.exp(-Double(scores[index] / temperature))))
    }
    var best = 0
    for index in 1..<6 where scores[index] > scores[best] { best = index }
    self.best = best
    // No score is so low that its odds are nothing: the sums are above zero.
    let other = odds[6]
    let sum = odds.sum() - other
    var six = odds / max(sum, .leastNormalMagnitude)
    six[6] = 0
    self.six = six
    seven = odds / max(sum + other, .leastNormalMagnitude)
  }

  /// How much more probable the best category is than that the text is none of the six; 0 where it is not.
  public var confidence: Float { max(0, seven[best] - seven[Topic.other.rawValue]) }
}
